/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's way (6.6) to put one program on many uprobes at once. */
#ifndef TRACER_UPROBE_MULTI_H
#define TRACER_UPROBE_MULTI_H

#include <stdbool.h>

/* BPF_TRACE_UPROBE_MULTI, for programs that are to be attached so */
#define UPROBE_MULTI_ATTACH_TYPE 48

struct probe_places;

/* A descriptor that ends the probes when it is closed, or -errno. program: loaded for the attach type above. */
int uprobe_multi_attach(int program, const struct probe_places *places);
/* Has this kernel it, and may we use it? Tried: 0, -EPERM, or -ENOTSUP. */
int uprobe_multi_try(void);
bool uprobe_multi_works(void);

#endif
