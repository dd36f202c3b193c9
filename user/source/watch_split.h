/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hardware watches 1, 2, 4 or 8 bytes, at a multiple of that: what is longer, or lies askew, is split. */
#ifndef TRACER_WATCH_SPLIT_H
#define TRACER_WATCH_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many as the hardware has: 4 on x86-64; arm64 tells at least 2, and 4 on most. */
#define WATCH_MAX_PARTS 4

struct watch_part {
	uint32_t offset; /* in the variable */
	uint32_t length; /* 1, 2, 4 or 8 */
};

struct watch_parts {
	struct watch_part list[WATCH_MAX_PARTS];
	size_t count;
};

/* The longest length that the address permits. */
uint32_t watch_natural_length(uint64_t address);
bool watch_parts_equal(const struct watch_parts *a, const struct watch_parts *b);
/* As few parts as there can be. 0, or -E2BIG when they are more than fit; then *fitting is how many bytes do. */
int watch_split(uint64_t address, uint64_t size, struct watch_parts *parts, uint64_t *fitting);

#endif
