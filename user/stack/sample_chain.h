/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The callchain of a perf sample: kernel and user addresses in one, with marks between. */
#ifndef TRACER_SAMPLE_CHAIN_H
#define TRACER_SAMPLE_CHAIN_H

#include <stdbool.h>

#include "../record/record.h"

/*
 * Copies the addresses of one space out of a chain, leaf first, at most max of them. Their number; *is_cut tells
 * whether there were more.
 */
uint32_t sample_chain_take(const struct record_sample *sample, enum stack_space space, uint64_t *ip,
			   uint32_t max, bool *is_cut);

#endif
