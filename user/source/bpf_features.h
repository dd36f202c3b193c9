/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this kernel can do. Found by trying, not by its version. */
#ifndef TRACER_BPF_FEATURES_H
#define TRACER_BPF_FEATURES_H

#include <stdbool.h>

struct bpf_features {
	bool ringbuf;	   /* 5.8 */
	bool cookies;	   /* 5.15 */
	bool uprobe_multi; /* 6.6 */
};

void bpf_features_find(struct bpf_features *features);
/* Can a program be attached to the entry of that kernel function? More than one thing may forbid it. */
bool bpf_features_can_trace(const char *function);

#endif
