/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --wall: the scheduler says exactly how long each thread was on the CPU, samples say where. Each
 * thread's samples share its on-CPU time; time that no sample hit stands as a row of its own.
 */
#ifndef TRACER_WALL_H
#define TRACER_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "counts.h"

struct wall;

struct wall *wall_new(void);
void wall_free(struct wall *wall);
/* A thread's on-CPU time, ns; adds to what is known of it. comm: at most TRACER_COMM bytes, for a row without samples. 0 or -ENOMEM. */
int wall_add_oncpu(struct wall *wall, uint32_t pid, uint32_t tid, const char *comm, uint64_t ns);
/* Has anything been added for the thread? */
bool wall_knows(const struct wall *wall, uint32_t tid);
/*
 * Copies from into to: samples weighed with their share of their thread's time, waits as they are, and
 * a row of source without stacks for each thread whose time no sample hit. Rows keep their thread only
 * if keep_tid. Sums are exact to the ns. 0 or -ENOMEM.
 */
int wall_weigh(struct wall *wall, struct counts *from, const struct source_info *source,
	       int keep_tid, struct counts *to);

#endif
