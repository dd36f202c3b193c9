/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_PRIVILEGES_H
#define TRACER_PRIVILEGES_H

#include <stdbool.h>

/* May the process load and attach BPF programs? */
bool privileges_suffice(void);
/* Has the process what a recording needs? Names what is missing. 0 or -EPERM. */
int privileges_check(void);
/* Gives up what only attaching needed; attaches_later: there will be more of it. Says what is wrong. 0 or -errno. */
int privileges_drop(bool attaches_later);

#endif
