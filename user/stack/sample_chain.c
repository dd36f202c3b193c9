// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Marks are the addresses from PERF_CONTEXT_MAX on (enum perf_callchain_context). */
#include "sample_chain.h"

#include <linux/perf_event.h>

uint32_t sample_chain_take(const struct record_sample *sample, enum stack_space space, uint64_t *ip,
			   uint32_t max, bool *is_cut)
{
	const uint64_t wanted = space == STACK_KERNEL ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
	uint64_t context = 0;
	uint32_t count = 0;

	*is_cut = false;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		uint64_t address;

		memcpy(&address, sample->chain + i, sizeof(address));
		if (address >= PERF_CONTEXT_MAX) {
			context = address;
			continue;
		}
		if (context != wanted)
			continue;
		if (count == max) {
			*is_cut = true;
			break;
		}
		ip[count++] = address;
	}
	return count;
}
