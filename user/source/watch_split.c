// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "watch_split.h"

#include <errno.h>

uint32_t watch_natural_length(uint64_t address)
{
	uint32_t length = 8;

	while (address % length)
		length /= 2;
	return length;
}

bool watch_parts_equal(const struct watch_parts *a, const struct watch_parts *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->list[i].offset != b->list[i].offset ||
		    a->list[i].length != b->list[i].length)
			return false;
	return true;
}

int watch_split(uint64_t address, uint64_t size, struct watch_parts *parts, uint64_t *fitting)
{
	uint64_t done = 0;

	parts->count = 0;
	while (done < size && parts->count < WATCH_MAX_PARTS) {
		uint32_t length = watch_natural_length(address + done);

		while (length > size - done)
			length /= 2;
		parts->list[parts->count++] = (struct watch_part){ (uint32_t)done, length };
		done += length;
	}
	*fitting = done;
	return done < size ? -E2BIG : 0;
}
