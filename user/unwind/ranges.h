/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers given out in runs, and taken back: table memory in units, slots of mappings. */
#ifndef TRACER_RANGES_H
#define TRACER_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct range {
	uint32_t first, count;
};

struct ranges {
	struct range *free; /* sorted, disjoint, not touching each other */
	size_t count, room;
};

/* All of [first, first + count) is free at first. 0 or -ENOMEM. */
int ranges_init(struct ranges *ranges, uint32_t first, uint32_t count);
void ranges_destroy(struct ranges *ranges);
/*
 * A run of count numbers, the lowest there is. block not 0: it does not cross a multiple of block, or
 * begins at one when it is longer. 0; -ENOSPC; -ENOMEM.
 */
int ranges_take(struct ranges *ranges, uint32_t count, uint32_t block, uint32_t *first);
/* Takes a run back. 0 or -ENOMEM (it stays taken then). */
int ranges_give(struct ranges *ranges, uint32_t first, uint32_t count);
/* Is all of the run free? */
int ranges_are_free(const struct ranges *ranges, uint32_t first, uint32_t count);
/* How many numbers are free. */
uint64_t ranges_free_count(const struct ranges *ranges);

#endif
