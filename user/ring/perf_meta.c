// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The sequence lock of include/uapi/linux/perf_event.h: `lock` is odd while the kernel writes the fields,
 * and another number afterwards. The writer may be on another CPU, so that each load is an acquire: none
 * of them may come after the second look at the lock.
 */
#include <errno.h>

#include "perf_meta.h"

/* An update takes the kernel less than a microsecond. */
#define TRIES 1000

#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

/* Bits of `capabilities`: bit fields cannot be loaded atomically. */
enum {
	CAP_USER_RDPMC = 1 << 2,
	CAP_USER_TIME = 1 << 3,
	CAP_USER_TIME_ZERO = 1 << 4,
	CAP_USER_TIME_SHORT = 1 << 5,
};

static void load_fields(const struct perf_event_mmap_page *page, struct perf_meta *meta)
{
	uint64_t capabilities = LOAD(page->capabilities);

	meta->index = LOAD(page->index);
	meta->offset = LOAD(page->offset);
	meta->time_enabled = LOAD(page->time_enabled);
	meta->time_running = LOAD(page->time_running);
	meta->pmc_width = LOAD(page->pmc_width);
	meta->can_read_counter = capabilities & CAP_USER_RDPMC;
	meta->has_time = capabilities & CAP_USER_TIME;
	meta->has_time_zero = capabilities & CAP_USER_TIME_ZERO;
	meta->has_time_short = capabilities & CAP_USER_TIME_SHORT;
	meta->time_shift = LOAD(page->time_shift);
	meta->time_mult = LOAD(page->time_mult);
	meta->time_offset = LOAD(page->time_offset);
	meta->time_zero = LOAD(page->time_zero);
	meta->time_cycles = LOAD(page->time_cycles);
	meta->time_mask = LOAD(page->time_mask);
}

int perf_meta_read(const struct perf_event_mmap_page *page, struct perf_meta *meta)
{
	for (int i = 0; i < TRIES; i++) {
		uint32_t before = LOAD(page->lock);

		if (before & 1)
			continue;
		load_fields(page, meta);
		if (LOAD(page->lock) == before)
			return 0;
	}
	return -EAGAIN;
}
