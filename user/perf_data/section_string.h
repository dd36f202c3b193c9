/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A string as feature sections have it: the size of its room, then the room. */
#ifndef TRACER_PERF_DATA_SECTION_STRING_H
#define TRACER_PERF_DATA_SECTION_STRING_H

#include "../record/bytes.h"

/* Not copied; NULL: it is not all there, or has no end. */
static inline const char *section_string(struct bytes *bytes)
{
	uint32_t room = bytes_take32(bytes);
	const char *string = bytes_take(bytes, room);

	if (string && !memchr(string, 0, room)) {
		bytes->failed = true;
		return NULL;
	}
	return string;
}

#endif
