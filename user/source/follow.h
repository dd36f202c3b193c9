/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Children and new threads join the target, those that end leave it: the fork, exec and exit tracepoints. */
#ifndef TRACER_FOLLOW_H
#define TRACER_FOLLOW_H

#include "bpf_side.h"

struct follow {
	struct bpf_link *links[5];
};

/* Says what is wrong. 0 or -errno. */
int follow_attach(struct follow *follow, struct bpf_side *bpf);
/* May be called again. */
void follow_detach(struct follow *follow);

#endif
