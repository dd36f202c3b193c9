/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The metadata page of a mapped perf event: what the kernel says of it there, read as one whole. */
#ifndef TRACER_PERF_META_H
#define TRACER_PERF_META_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Where several events write to one ring, the page is of the one that the kernel updated last. */
struct perf_meta {
	uint32_t index;			     /* hardware counter + 1; 0 when it is not counting */
	int64_t offset;			     /* to be added to what the counter shows */
	uint64_t time_enabled, time_running; /* ns */
	uint16_t pmc_width;		     /* bits of the counter */
	bool can_read_counter;		     /* from user space (rdpmc) */
	/* from a time stamp counter's cycles to ns, with its parts valid where the flag says so */
	bool has_time, has_time_zero, has_time_short;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset, time_zero, time_cycles, time_mask;
};

/*
 * Reads it under the page's sequence lock. 0, or -EAGAIN when it was being changed at every one of a bounded
 * number of tries.
 */
int perf_meta_read(const struct perf_event_mmap_page *page, struct perf_meta *meta);

#endif
