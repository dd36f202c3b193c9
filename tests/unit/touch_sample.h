/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the unit tests and the fuzzers do with a sample that was decoded of hostile bytes. */
#ifndef TRACER_TOUCH_SAMPLE_H
#define TRACER_TOUCH_SAMPLE_H

#include "record/perf_layout.h"

/* Reads all that it points to: a sanitizer sees what is beyond. The sum keeps the compiler from leaving it out. */
static inline uint64_t touch_sample(const struct record_sample *sample)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < sample->chain_count; i++)
		sum += sample->chain[i];
	for (uint64_t i = 0; i < sample->stack_size; i++)
		sum += sample->stack[i];
	for (uint64_t i = 0; i < sample->raw_size; i++)
		sum += ((const uint8_t *)sample->raw)[i];
	for (uint64_t i = 0; i < sample->counter_count; i++)
		sum += record_sample_counter(sample, i).lost;
	for (int i = 0; i < __builtin_popcountll(sample->regs_mask); i++)
		sum += sample->regs[i];
	return sum;
}

#endif
