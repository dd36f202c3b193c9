// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* First fit over a sorted list of what is free. */
#include "ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int insert(struct ranges *ranges, size_t at, struct range range)
{
	if (ranges->count == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 16;
		struct range *grown = reallocarray(ranges->free, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		ranges->free = grown;
		ranges->room = room;
	}
	if (!ranges->free)
		return -ENOMEM;
	memmove(ranges->free + at + 1, ranges->free + at,
		(ranges->count - at) * sizeof(*ranges->free));
	ranges->free[at] = range;
	ranges->count++;
	return 0;
}

static void erase(struct ranges *ranges, size_t at)
{
	ranges->count--;
	memmove(ranges->free + at, ranges->free + at + 1,
		(ranges->count - at) * sizeof(*ranges->free));
}

int ranges_init(struct ranges *ranges, uint32_t first, uint32_t count)
{
	memset(ranges, 0, sizeof(*ranges));
	return count ? insert(ranges, 0, (struct range){ first, count }) : 0;
}

void ranges_destroy(struct ranges *ranges)
{
	free(ranges->free);
	memset(ranges, 0, sizeof(*ranges));
}

/* Where in range a run of count may begin; false when it may not. */
static int fits(const struct range *range, uint32_t count, uint32_t block, uint32_t *first)
{
	uint64_t at = range->first, end = at + range->count;

	if (block && (count > block || at % block + count > block))
		at = (at + block - 1) / block * block;
	*first = (uint32_t)at;
	return at + count <= end;
}

/* Cuts [first, first + count) out of the free range at index. */
static int cut(struct ranges *ranges, size_t index, uint32_t first, uint32_t count)
{
	struct range *range = &ranges->free[index];
	uint32_t before = first - range->first, after = range->count - before - count;
	int err;

	if (before && after) {
		err = insert(ranges, index + 1, (struct range){ first + count, after });
		if (err)
			return err;
		ranges->free[index].count = before;
	} else if (before) {
		range->count = before;
	} else if (after) {
		*range = (struct range){ first + count, after };
	} else {
		erase(ranges, index);
	}
	return 0;
}

int ranges_take(struct ranges *ranges, uint32_t count, uint32_t block, uint32_t *first)
{
	if (!count)
		return -ENOSPC;
	for (size_t i = 0; i < ranges->count; i++)
		if (fits(&ranges->free[i], count, block, first))
			return cut(ranges, i, *first, count);
	return -ENOSPC;
}

/* Index of the first free range that begins above number. */
static size_t first_above(const struct ranges *ranges, uint32_t number)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->free[middle].first > number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int ranges_give(struct ranges *ranges, uint32_t first, uint32_t count)
{
	size_t at = first_above(ranges, first);
	struct range *before = at ? &ranges->free[at - 1] : NULL;
	struct range *after = at < ranges->count ? &ranges->free[at] : NULL;
	int joins_before = before && before->first + before->count == first;
	int joins_after = after && first + count == after->first;

	if (joins_before && joins_after) {
		before->count += count + after->count;
		erase(ranges, at);
	} else if (joins_before) {
		before->count += count;
	} else if (joins_after) {
		after->first = first;
		after->count += count;
	} else {
		return insert(ranges, at, (struct range){ first, count });
	}
	return 0;
}

int ranges_are_free(const struct ranges *ranges, uint32_t first, uint32_t count)
{
	size_t at = first_above(ranges, first);
	const struct range *range = at ? &ranges->free[at - 1] : NULL;

	return range && first - range->first < range->count &&
	       count <= range->count - (first - range->first);
}

uint64_t ranges_free_count(const struct ranges *ranges)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ranges->count; i++)
		sum += ranges->free[i].count;
	return sum;
}
