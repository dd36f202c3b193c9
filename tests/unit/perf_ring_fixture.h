/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A perf ring over a file, records written into it as the kernel does, and what its reader hands over. */
#ifndef TRACER_PERF_RING_FIXTURE_H
#define TRACER_PERF_RING_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/perf_ring.h"
#include "ring_file.h"

#define MOST 64

struct fixture {
	int fd;
	struct perf_event_mmap_page *page;
	size_t map_size, bytes;
	unsigned char *data;
	struct perf_ring *ring;
	/* what the callback saw */
	size_t count;
	size_t size[MOST];
	uint32_t type[MOST];
	uint64_t tail_then[MOST];
	size_t stop_at; /* the record, counted from 1, that is answered with answer */
	int answer;
};

static inline struct fixture *make(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->bytes = pages * page;
	f->map_size = page + f->bytes;
	f->page = map_ring_file(f->map_size, f->bytes, &f->fd);
	f->data = (unsigned char *)f->page + page;
	/* in this very mapping: another one would be other memory to a thread sanitizer */
	assert_int_equal(perf_ring_over(f->page, f->bytes, &f->ring), 0);
	return f;
}

static inline int set_up(void **state)
{
	*state = make(1);
	return 0;
}

static inline int set_up_large(void **state)
{
	*state = make(16);
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	perf_ring_close(f->ring);
	munmap(f->page, f->map_size);
	close(f->fd);
	free(f);
	return 0;
}

/* As the kernel copies into its ring: round the end. */
static inline void store(struct fixture *f, uint64_t position, const void *bytes, size_t size)
{
	size_t offset = position % f->bytes;
	size_t first = size < f->bytes - offset ? size : f->bytes - offset;

	memcpy(f->data + offset, bytes, first);
	memcpy(f->data, (const unsigned char *)bytes + first, size - first);
}

static inline unsigned char pattern(uint32_t type, size_t index)
{
	return (unsigned char)(type * 31 + index + index / 251);
}

/* A record whose bytes follow from its type, size of them. */
static inline void fill(unsigned char *bytes, uint32_t type, size_t size)
{
	struct perf_event_header header = { .type = type, .size = (uint16_t)size };

	for (size_t i = sizeof(header); i < size; i++)
		bytes[i] = pattern(type, i);
	memcpy(bytes, &header, sizeof(header));
}

/* How many bytes behind the header are not of its pattern. */
static inline size_t count_wrong(const struct perf_event_header *record)
{
	const unsigned char *bytes = (const unsigned char *)record;
	size_t wrong = 0;

	for (size_t i = sizeof(*record); i < record->size; i++)
		wrong += bytes[i] != pattern(record->type, i);
	return wrong;
}

static inline int take(void *context, const struct perf_event_header *record)
{
	struct fixture *f = context;

	assert_true(f->count < MOST);
	assert_int_equal((uintptr_t)record % 8, 0);
	assert_int_equal(count_wrong(record), 0);
	f->size[f->count] = record->size;
	f->type[f->count] = record->type;
	f->tail_then[f->count] = f->page->data_tail;
	f->count++;
	return f->count == f->stop_at ? f->answer : 0;
}

static inline void assert_drained(const struct fixture *f)
{
	assert_int_equal(f->page->data_tail, f->page->data_head);
}

#define RING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#define LARGE_RING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_large, tear_down)

#endif
