/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registers by which threads find what is thread-local. */
#ifndef TRACER_THREAD_POINTERS_H
#define TRACER_THREAD_POINTERS_H

#include <stddef.h>

#include "../../bpf/tracer.h"

struct bpf_side;

/* Before the programs load: has the one loaded that is asked. */
void thread_pointers_prepare(struct bpf_side *bpf);
/* Of every thread there is now, of all processes. 0 or -errno; the list is to be freed. */
int thread_pointers_read(struct bpf_side *bpf, struct thread_pointer **list, size_t *count);

#endif
