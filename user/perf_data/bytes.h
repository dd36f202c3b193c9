/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fields taken one after another out of a feature section, at any alignment. Beyond its end they are 0. */
#ifndef TRACER_PERF_DATA_BYTES_H
#define TRACER_PERF_DATA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at, *end;
	bool failed; /* something was beyond the end */
};

static inline const void *bytes_take(struct bytes *bytes, uint64_t size)
{
	const uint8_t *at = bytes->at;

	if (bytes->failed || size > (uint64_t)(bytes->end - at)) {
		bytes->failed = true;
		return NULL;
	}
	bytes->at += size;
	return at;
}

static inline uint32_t bytes_take32(struct bytes *bytes)
{
	const void *at = bytes_take(bytes, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint64_t bytes_take64(struct bytes *bytes)
{
	const void *at = bytes_take(bytes, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/* A string as feature sections have it: the size of its room, then the room. Not copied; NULL: failed. */
static inline const char *bytes_take_string(struct bytes *bytes)
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
