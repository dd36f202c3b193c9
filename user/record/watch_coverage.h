/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* On how much of its target a breakpoint is, and why not on the rest: for the summary. */
#ifndef TRACER_WATCH_COVERAGE_H
#define TRACER_WATCH_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

struct watch_coverage {
	bool by_cpu; /* threads and covered are CPUs: the breakpoint is on each, for every task */
	bool is_thread_local; /* each thread has its own copy, and is watched at that */
	uint64_t threads;     /* that the target had when it was set; the sum of the next six */
	uint64_t covered;     /* they have it, and so do threads and processes that they make */
	uint64_t ended;	      /* before it was their turn */
	uint64_t no_slot;     /* no debug register was free */
	uint64_t denied;      /* not permitted */
	uint64_t without;     /* had no copy of a thread-local variable yet */
	uint64_t failed;      /* anything else */
	uint64_t uncertain; /* were made meanwhile: they have it if who made them had it already */
	uint64_t later; /* of thread-local variables: threads that began later, and are not watched */
	/* Of files that were not mapped when it was set: whether it waits for them, and processes that did map them. */
	bool waits;
	uint64_t late;
	uint64_t late_ns; /* the longest that it took from the mapping to the breakpoint */
};

static inline bool watch_coverage_is_full(const struct watch_coverage *coverage)
{
	return coverage->covered + coverage->ended == coverage->threads && !coverage->uncertain &&
	       !coverage->later && !coverage->waits;
}

#endif
