/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks the user stack of a perf sample, of which the kernel copied registers and stack memory. */
#ifndef TRACER_SAMPLE_WALK_H
#define TRACER_SAMPLE_WALK_H

#include "../record/record.h"

struct tasks;
struct unwind_library;

/* The registers that a sample must carry for it: PERF_SAMPLE_REGS_USER's mask for this machine. */
uint64_t sample_walk_registers(void);
/*
 * record: RECORD_SAMPLE; ip: room for max addresses. 0; -ENOENT: the sample carries no user registers (a kernel
 * thread, or not asked for); -EAGAIN: a table is not there yet.
 */
int sample_walk(struct unwind_library *library, struct tasks *tasks, const struct record *record,
		uint64_t *ip, uint32_t max, struct record_stack *stack);

#endif
