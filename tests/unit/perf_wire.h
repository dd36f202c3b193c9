/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of perf put together by hand, field after field, as include/uapi/linux/perf_event.h has them. */
#ifndef TRACER_PERF_WIRE_H
#define TRACER_PERF_WIRE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

struct wire {
	size_t size;
	unsigned char bytes[PATH_MAX + 256];
};

static inline void add_bytes(struct wire *wire, const void *bytes, size_t size)
{
	assert_true(wire->size + size <= sizeof(wire->bytes));
	memcpy(wire->bytes + wire->size, bytes, size);
	wire->size += size;
}

static inline void add16(struct wire *wire, uint16_t value)
{
	add_bytes(wire, &value, sizeof(value));
}

static inline void add32(struct wire *wire, uint32_t value)
{
	add_bytes(wire, &value, sizeof(value));
}

static inline void add64(struct wire *wire, uint64_t value)
{
	add_bytes(wire, &value, sizeof(value));
}

static inline void add_if(struct wire *wire, uint64_t asked, uint64_t value)
{
	if (asked)
		add64(wire, value);
}

static inline void add_pair(struct wire *wire, uint64_t asked, uint32_t first, uint32_t second)
{
	if (!asked)
		return;
	add32(wire, first);
	add32(wire, second);
}

/* With its terminator, and zeros up to a multiple of 8, as the kernel does. */
static inline void add_string(struct wire *wire, const char *string)
{
	add_bytes(wire, string, strlen(string) + 1);
	while (wire->size % 8)
		add_bytes(wire, "", 1);
}

static inline void set_size(struct wire *wire, size_t size)
{
	uint16_t value = (uint16_t)size;

	memcpy(wire->bytes + offsetof(struct perf_event_header, size), &value, sizeof(value));
	wire->size = size;
}

static inline void begin(struct wire *wire, uint32_t type, uint16_t misc)
{
	memset(wire, 0, sizeof(*wire));
	add32(wire, type);
	add16(wire, misc);
	add16(wire, 0);
}

/*
 * A copy without a byte to spare, freed by the caller; what is shorter than a header cannot be handed over at
 * all.
 */
static inline void *copy_of(const struct wire *wire)
{
	size_t size = wire->size < sizeof(struct perf_event_header) ?
			      sizeof(struct perf_event_header) :
			      wire->size;
	void *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, wire->bytes, size);
	return copy;
}

/* Changes bytes at random, the type more often than others, and in a third of all cases the size. */
static inline void mutate(struct wire *wire, uint64_t *seed)
{
	size_t size = wire->size;

	for (uint32_t changes = next_random(seed) % 8; changes; changes--)
		wire->bytes[next_random(seed) % size] = (unsigned char)next_random(seed);
	if (next_random(seed) % 4 == 0)
		wire->bytes[0] = (unsigned char)(next_random(seed) % 24);
	if (next_random(seed) % 3 == 0)
		size = next_random(seed) % (size / 8 + 4) * 8;
	set_size(wire, size);
}

#endif
