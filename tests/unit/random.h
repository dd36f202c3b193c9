/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers that look random and are the same in every run. */
#ifndef TRACER_TEST_RANDOM_H
#define TRACER_TEST_RANDOM_H

#include <stdint.h>

static inline uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

#endif
