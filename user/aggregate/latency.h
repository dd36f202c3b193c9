/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long the calls of a function took: a histogram in steps of an eighth of a power of two. */
#ifndef TRACER_LATENCIES_H
#define TRACER_LATENCIES_H

#include <stddef.h>
#include <stdint.h>

#include "../../bpf/latency.h"
#include "../record/source_info.h"

struct latency_row {
	const struct source_info *source;
	uint64_t count, total_ns, max_ns;
	uint64_t unreturned; /* left by longjmp, an exception, or the thread's end */
	uint64_t running;    /* had not returned when the recording ended */
	uint64_t slots[LATENCY_SLOTS];
};

/* By source. */
struct latencies {
	struct latency_row **rows;
	size_t count;
};

/* The row of a source, made if there is none; NULL without memory. Sources have numbers below 2^32. */
struct latency_row *latencies_row(struct latencies *latencies, const struct source_info *source);
/* By total time, falling. */
void latencies_sort(struct latencies *latencies);
void latencies_free(struct latencies *latencies);

/*
 * The time in ns that a share (0.5, 0.99) of the calls took at most, within a step by proportion, and never more
 * than the longest of all. 0 without calls.
 */
uint64_t latency_quantile(const struct latency_row *row, double share);

#endif
