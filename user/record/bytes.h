/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fields taken one after another out of foreign bytes, at any alignment. Beyond their end they are 0. */
#ifndef TRACER_BYTES_H
#define TRACER_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at, *end;
	bool failed; /* something was beyond the end */
};

/* The next size bytes; NULL: there are not as many. */
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

/* The next size bytes into *value, which stays as it is where there are not as many. */
static inline void bytes_copy(struct bytes *bytes, void *value, size_t size)
{
	const void *at = bytes_take(bytes, size);

	if (at)
		memcpy(value, at, size);
}

static inline uint16_t bytes_take16(struct bytes *bytes)
{
	uint16_t value = 0;

	bytes_copy(bytes, &value, sizeof(value));
	return value;
}

static inline uint32_t bytes_take32(struct bytes *bytes)
{
	uint32_t value = 0;

	bytes_copy(bytes, &value, sizeof(value));
	return value;
}

static inline uint64_t bytes_take64(struct bytes *bytes)
{
	uint64_t value = 0;

	bytes_copy(bytes, &value, sizeof(value));
	return value;
}

/* Passed over where it was not asked for. */
static inline uint64_t bytes_take64_if(struct bytes *bytes, uint64_t asked)
{
	return asked ? bytes_take64(bytes) : 0;
}

#endif
