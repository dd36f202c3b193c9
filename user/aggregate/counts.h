/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events added up by stack and by what --by asks for. */
#ifndef TRACER_COUNTS_H
#define TRACER_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "../record/source_info.h"
#include "../stack/stack.h"

struct count_row {
	const struct stack *user;   /* NULL: none, or lost: see flags */
	const struct stack *kernel; /* the same */
	const struct source_info *source;
	uint32_t pid, tid; /* tid 0 unless rows are kept apart by thread */
	uint32_t cpu;
	uint64_t cgroup; /* id; 0 unless asked for */
	uint32_t flags;	 /* enum event_flag, but for the STACK_LOST and off-CPU bits 0 */
	char comm[TRACER_COMM + 1];
	uint64_t count; /* events */
	uint64_t ns; /* time: blocked for off-CPU rows, on the CPU for samples of --wall, else 0 */
};

struct counts;

struct counts *counts_new(void);
void counts_free(struct counts *counts);
/* Adds row's count and ns to the row with the same other fields. 0 or -ENOMEM. */
int counts_add(struct counts *counts, const struct count_row *row);
size_t counts_size(const struct counts *counts);
/*
 * Rows in a stable order: by weight falling (ns if any row has some, else count), then by first
 * sight. NULL beyond the last. Valid until the next add.
 */
const struct count_row *counts_row(struct counts *counts, size_t index);
/* Events in all rows together. */
uint64_t counts_total(const struct counts *counts);

#endif
