// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The perf ring's reader against a file laid out as the kernel's mapping: perf_event_mmap_page,
 * then the data, once. Records wrap over the end at every place where they can. Also built with the thread
 * sanitizer (test_perf_ring_tsan): then only the tests in which somebody writes at the same time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ring/perf_meta.h"
#include "ring/perf_ring.h"

#define MOST 64
/* Positions only grow: far enough that 32 bits would not hold them. */
#define LATER ((uint64_t)1 << 40)

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

static struct fixture *make(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->bytes = pages * page;
	f->map_size = page + f->bytes;
	f->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(ftruncate(f->fd, (off_t)f->map_size), 0);
	f->page = mmap(NULL, f->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_true(f->page != MAP_FAILED);
	f->page->data_offset = page;
	f->page->data_size = f->bytes;
	f->data = (unsigned char *)f->page + page;
	/* in this very mapping: another one would be other memory to a thread sanitizer */
	assert_int_equal(perf_ring_over(f->page, f->bytes, &f->ring), 0);
	return f;
}

static int set_up(void **state)
{
	*state = make(1);
	return 0;
}

static int set_up_large(void **state)
{
	*state = make(16);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	perf_ring_close(f->ring);
	munmap(f->page, f->map_size);
	close(f->fd);
	free(f);
	return 0;
}

/* As the kernel copies into its ring: round the end. */
static void store(struct fixture *f, uint64_t position, const void *bytes, size_t size)
{
	size_t offset = position % f->bytes;
	size_t first = size < f->bytes - offset ? size : f->bytes - offset;

	memcpy(f->data + offset, bytes, first);
	memcpy(f->data, (const unsigned char *)bytes + first, size - first);
}

static unsigned char pattern(uint32_t type, size_t index)
{
	return (unsigned char)(type * 31 + index + index / 251);
}

/* A record whose bytes follow from its type. Returns its position. */
static uint64_t put(struct fixture *f, uint32_t type, size_t size)
{
	static unsigned char bytes[UINT16_MAX + 1];
	struct perf_event_header header = { .type = type, .size = (uint16_t)size };
	uint64_t position = f->page->data_head;

	for (size_t i = sizeof(header); i < size; i++)
		bytes[i] = pattern(type, i);
	memcpy(bytes, &header, sizeof(header));
	store(f, position, bytes, size);
	f->page->data_head = position + size;
	return position;
}

/* Nothing but a header of that size, with room bytes ready to be read. */
static void put_raw(struct fixture *f, uint16_t size, uint64_t room)
{
	struct perf_event_header header = { .type = 1, .size = size };

	store(f, f->page->data_head, &header, sizeof(header));
	f->page->data_head += room;
}

static int take(void *context, const struct perf_event_header *record)
{
	const unsigned char *bytes = (const unsigned char *)record;
	struct fixture *f = context;
	size_t wrong = 0;

	assert_true(f->count < MOST);
	assert_int_equal((uintptr_t)record % 8, 0);
	for (size_t i = sizeof(*record); i < record->size; i++)
		wrong += bytes[i] != pattern(record->type, i);
	assert_int_equal(wrong, 0);
	f->size[f->count] = record->size;
	f->type[f->count] = record->type;
	f->tail_then[f->count] = f->page->data_tail;
	f->count++;
	return f->count == f->stop_at ? f->answer : 0;
}

static int ignore(void *context, const struct perf_event_header *record)
{
	(void)context;
	(void)record;
	return 0;
}

static void consume(struct fixture *f, int result, size_t seen)
{
	f->count = 0;
	assert_int_equal(perf_ring_consume(f->ring, take, f), result);
	assert_int_equal(f->count, seen);
}

static void start_at(struct fixture *f, uint64_t position)
{
	memset(f->data, 0xa5, f->bytes);
	f->page->data_head = f->page->data_tail = position;
}

static void assert_drained(const struct fixture *f)
{
	assert_int_equal(f->page->data_tail, f->page->data_head);
}

static void test_empty(void **state)
{
	struct fixture *f = *state;

	consume(f, 0, 0);
	assert_int_equal(f->page->data_tail, 0);
	start_at(f, LATER + 8);
	consume(f, 0, 0);
	assert_int_equal(f->page->data_tail, LATER + 8);
	assert_int_equal(perf_ring_stats(f->ring)->high_water, 0);
}

static void test_many(void **state)
{
	struct fixture *f = *state;

	start_at(f, LATER);
	for (uint32_t i = 0; i < 30; i++)
		put(f, i, 8 + 8 * i);
	consume(f, 30, 30);
	for (uint32_t i = 0; i < 30; i++) {
		assert_int_equal(f->type[i], i);
		assert_int_equal(f->size[i], 8 + 8 * i);
	}
	assert_drained(f);
	consume(f, 0, 0);
}

/* The place is given back only when the callback is through with it, and then at once. */
static void test_tail_is_published(void **state)
{
	struct fixture *f = *state;
	uint64_t position[10];

	start_at(f, LATER + f->bytes - 200);
	for (uint32_t i = 0; i < 10; i++)
		position[i] = put(f, i, 8 + 8 * i);
	consume(f, 10, 10);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(f->tail_then[i], position[i]);
	assert_drained(f);
}

static void wrap_once(struct fixture *f, size_t size, size_t before_end)
{
	f->page->data_head = f->page->data_tail = LATER + f->bytes - before_end;
	put(f, (uint32_t)(size + before_end), size);
	put(f, 5, 16); /* what follows is found */
	consume(f, 2, 2);
	assert_int_equal(f->size[0], size);
	assert_int_equal(f->type[0], size + before_end);
	assert_int_equal(f->type[1], 5);
	assert_drained(f);
}

/* Up to where it ends exactly at the end, and one that begins there. */
static void test_wrap(void **state)
{
	struct fixture *f = *state;

	for (size_t size = 8; size <= 2048; size += 8) {
		for (size_t before_end = 0; before_end <= size; before_end += 8)
			wrap_once(f, size, before_end);
	}
}

static void test_full(void **state)
{
	struct fixture *f = *state;
	size_t most = f->bytes < UINT16_MAX ? f->bytes : UINT16_MAX / 8 * 8;

	for (size_t offset = 0; offset < f->bytes; offset += 8) {
		start_at(f, LATER + offset);
		put(f, 1, most);
		consume(f, 1, 1);
		assert_drained(f);
	}
	assert_int_equal(perf_ring_stats(f->ring)->high_water, most);
}

/* The largest record that 16 bits can tell. */
static void test_largest(void **state)
{
	struct fixture *f = *state;

	for (size_t offset = 0; offset < f->bytes; offset += 2056) {
		start_at(f, LATER + offset);
		put(f, 9, UINT16_MAX / 8 * 8);
		consume(f, 1, 1);
		assert_drained(f);
	}
}

static void test_header_too_small(void **state)
{
	struct fixture *f = *state;

	for (uint16_t size = 0; size < sizeof(struct perf_event_header); size++) {
		put(f, 1, 24);
		put_raw(f, size, 64);
		put(f, 2, 24);
		consume(f, -EBADMSG, 1);
		assert_drained(f);
		put(f, 3, 24); /* it can be used again */
		consume(f, 1, 1);
		assert_int_equal(f->type[0], 3);
	}
}

static void test_header_larger_than_available(void **state)
{
	struct fixture *f = *state;

	for (size_t size = 16; size <= UINT16_MAX; size += 8) {
		put(f, 1, 16);
		put_raw(f, (uint16_t)size, size < 72 ? size - 8 : 64);
		consume(f, -EBADMSG, 1);
		assert_drained(f);
	}
	put(f, 3, 24);
	consume(f, 1, 1);
}

/* At the last place of the ring, with the head right behind it. */
static void test_bad_header_at_the_end(void **state)
{
	struct fixture *f = *state;

	start_at(f, LATER + f->bytes - 8);
	put_raw(f, 16, 8);
	consume(f, -EBADMSG, 0);
	assert_drained(f);
	start_at(f, LATER + f->bytes - 8);
	put_raw(f, 0, 8);
	consume(f, -EBADMSG, 0);
	assert_drained(f);
}

/* The kernel rounds all sizes up to 8: another one would make the next header wrap. */
static void test_unaligned_size(void **state)
{
	struct fixture *f = *state;

	put_raw(f, 12, 12);
	assert_int_equal(perf_ring_consume(f->ring, ignore, f), -EBADMSG);
	assert_drained(f);
}

/* More bytes than the ring has cannot be there: they would be copied from beyond the mapping. */
static void test_head_too_far(void **state)
{
	struct fixture *f = *state;

	put_raw(f, (uint16_t)(f->bytes + 8), f->bytes + 8);
	assert_int_equal(perf_ring_consume(f->ring, ignore, f), -EBADMSG);
	assert_drained(f);
}

static void test_callback_stops(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 1; i <= 5; i++)
		put(f, i, 40);
	f->stop_at = 2;
	f->answer = -ENOMEM;
	consume(f, -ENOMEM, 2);
	assert_int_equal(f->page->data_tail, 80); /* the record that failed is not read again */
	f->stop_at = 0;
	consume(f, 3, 3);
	assert_int_equal(f->type[0], 3);
	assert_drained(f);
}

static void test_positive_return_does_not_stop(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 5; i++)
		put(f, i, 8);
	f->stop_at = 2;
	f->answer = 1;
	consume(f, 5, 5);
}

static void test_high_water(void **state)
{
	struct fixture *f = *state;

	put(f, 1, 64);
	put(f, 1, 32);
	consume(f, 2, 2);
	assert_int_equal(perf_ring_stats(f->ring)->high_water, 96);
	put(f, 1, 88);
	consume(f, 1, 1);
	assert_int_equal(perf_ring_stats(f->ring)->high_water, 96);
	put(f, 1, 104);
	consume(f, 1, 1);
	assert_int_equal(perf_ring_stats(f->ring)->high_water, 104);
}

/* A mapping of its own. */
static void test_open(void **state)
{
	struct perf_ring *ring = NULL;
	struct fixture *f = *state;

	assert_int_equal(perf_ring_open(f->fd, f->bytes, &ring), 0);
	assert_int_equal(perf_ring_bytes(ring), f->bytes);
	assert_ptr_not_equal(perf_ring_page(ring), f->page);
	put(f, 1, 64);
	assert_int_equal(perf_ring_consume(ring, take, f), 1);
	assert_drained(f);
	perf_ring_close(ring);
}

static void test_open_fails(void **state)
{
	struct perf_ring *ring = NULL;

	(void)state;
	assert_int_equal(perf_ring_open(-1, 4096, &ring), -EBADF);
	assert_int_equal(perf_ring_open_backward(-1, 4096, &ring), -EBADF);
	perf_ring_close(NULL);
}

/* ---- statistics --------------------------------------------------------------------------------- */

/* A record with a body of numbers. */
static void put_numbers(struct fixture *f, uint32_t type, const uint64_t *numbers, size_t count)
{
	struct perf_event_header header = { .type = type };

	header.size = (uint16_t)(sizeof(header) + count * sizeof(*numbers));
	store(f, f->page->data_head, &header, sizeof(header));
	store(f, f->page->data_head + sizeof(header), numbers, count * sizeof(*numbers));
	f->page->data_head += header.size;
}

static void test_statistics(void **state)
{
	const uint64_t lost[] = { 77, 5, 1, 2 }, lost_samples[] = { 11, 3 };
	const struct perf_ring_stats *stats;
	struct fixture *f = *state;

	start_at(f, LATER + f->bytes - 24);
	stats = perf_ring_stats(f->ring);
	put_numbers(f, PERF_RECORD_LOST, lost, 4); /* joined: its numbers wrap */
	put_numbers(f, PERF_RECORD_LOST, lost, 2);
	put_numbers(f, PERF_RECORD_LOST, lost, 1); /* cut short: no number of records */
	put_numbers(f, PERF_RECORD_LOST_SAMPLES, lost_samples, 2);
	put_numbers(f, PERF_RECORD_LOST_SAMPLES, lost_samples, 0);
	put_numbers(f, PERF_RECORD_THROTTLE, lost, 3);
	assert_int_equal(perf_ring_consume(f->ring, ignore, f), 6);
	assert_int_equal(stats->lost_records, 10);
	assert_int_equal(stats->lost_samples, 11);
	assert_int_equal(stats->records, 6);
	assert_int_equal(stats->bytes, 6 * 8 + 12 * 8);
	assert_int_equal(stats->high_water, stats->bytes);
	assert_int_equal(stats->corrupt, 0);
	put_raw(f, 0, 16);
	assert_int_equal(perf_ring_consume(f->ring, ignore, f), -EBADMSG);
	assert_int_equal(stats->corrupt, 1);
	assert_int_equal(stats->records, 6);
	assert_int_equal(stats->wakeups, 0);
	perf_ring_woken(f->ring);
	perf_ring_woken(f->ring);
	assert_int_equal(stats->wakeups, 2);
}

/* What has come after a head that was read stays there. */
static void test_consume_to(void **state)
{
	struct fixture *f = *state;
	uint64_t head;

	put(f, 1, 24);
	put(f, 2, 32);
	head = perf_ring_head(f->ring);
	put(f, 3, 40);
	f->count = 0;
	assert_int_equal(perf_ring_consume_to(f->ring, head, take, f), 2);
	assert_int_equal(f->page->data_tail, head);
	assert_int_equal(perf_ring_consume_to(f->ring, head, take, f), 0);
	consume(f, 1, 1);
	assert_int_equal(f->type[0], 3);
}

/* ---- backward ------------------------------------------------------------------------------------- */

/* As the kernel: the head goes down by the record's size, and the record begins there. */
static void put_backward(struct fixture *f, uint32_t type, size_t size)
{
	static unsigned char bytes[UINT16_MAX + 1];
	struct perf_event_header header = { .type = type, .size = (uint16_t)size };

	for (size_t i = sizeof(header); i < size; i++)
		bytes[i] = pattern(type, i);
	memcpy(bytes, &header, sizeof(header));
	f->page->data_head -= size;
	store(f, f->page->data_head, bytes, size);
}

static void read_backward(struct fixture *f, int result, size_t seen)
{
	f->count = 0;
	assert_int_equal(perf_ring_read_backward(f->ring, take, f), result);
	assert_int_equal(f->count, seen);
	assert_int_equal(f->page->data_tail, 0); /* the mapping may be read-only */
}

static void assert_types(const struct fixture *f, uint32_t first)
{
	for (uint32_t i = 0; i < f->count; i++)
		assert_int_equal(f->type[i], first + i);
}

static void test_backward_empty(void **state)
{
	struct fixture *f = *state;

	read_backward(f, 0, 0);
	put_backward(f, 1, 16);
	read_backward(f, 1, 1);
	read_backward(f, 0, 0);
}

/* All is there, oldest first; then only what is new. */
static void test_backward_not_wrapped(void **state)
{
	struct fixture *f = *state;

	memset(f->data, 0xa5, f->bytes);
	for (uint32_t i = 0; i < 20; i++)
		put_backward(f, i, 8 + 8 * i);
	read_backward(f, 20, 20);
	assert_types(f, 0);
	for (uint32_t i = 20; i < 25; i++)
		put_backward(f, i, 40);
	read_backward(f, 5, 5);
	assert_types(f, 20);
	assert_int_equal(perf_ring_stats(f->ring)->records, 25);
	assert_int_equal(perf_ring_stats(f->ring)->corrupt, 0);
}

/* Exactly as much as it holds, and not a byte overwritten. */
static void test_backward_full(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 32; i++)
		put_backward(f, i, f->bytes / 32);
	read_backward(f, 32, 32);
	assert_types(f, 0);
	for (uint32_t i = 0; i < 33; i++)
		put_backward(f, i, f->bytes / 32);
	read_backward(f, 32, 32);
	assert_types(f, 1);
}

/*
 * Records of all sizes, so that the oldest has lost 8 bytes, or all but its header, or nothing: how many
 * are whole is counted from the sizes, newest first.
 */
static void test_backward_wrapped(void **state)
{
	struct fixture *f = *state;
	uint32_t number = 0;

	for (size_t round = 0; round < 400; round++) {
		size_t whole = 0, bytes = 0;

		for (size_t i = 0; i < 150 + round % 7; i++, number++)
			put_backward(f, number, 72 + (number * 2654435761u >> 16) % 32 * 8);
		for (uint32_t i = number;; whole++) {
			bytes += 72 + (--i * 2654435761u >> 16) % 32 * 8;
			if (bytes > f->bytes)
				break;
		}
		read_backward(f, (int)whole, whole);
		assert_types(f, number - (uint32_t)whole);
	}
	assert_int_equal(perf_ring_stats(f->ring)->corrupt, 0);
	assert_int_equal(perf_ring_stats(f->ring)->high_water, f->bytes);
}

/* After a callback's error the rest is not read again; what comes later is. */
static void test_backward_callback_stops(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 1; i <= 5; i++)
		put_backward(f, i, 40);
	f->stop_at = 2;
	f->answer = -ENOMEM;
	read_backward(f, -ENOMEM, 2);
	assert_types(f, 1);
	f->stop_at = 0;
	put_backward(f, 6, 40);
	read_backward(f, 1, 1);
	assert_int_equal(f->type[0], 6);
}

/* What is newer than a header that cannot be one is handed over. */
static void test_backward_corrupt(void **state)
{
	const uint16_t sizes[] = { 0, 4, 12, 4104 };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct perf_event_header header = { .type = 1, .size = sizes[i] };

		put_backward(f, 1, 64);
		put_backward(f, 1, 64);
		store(f, f->page->data_head, &header, sizeof(header));
		put_backward(f, 7, 24);
		read_backward(f, -EBADMSG, 1);
		assert_int_equal(f->type[0], 7);
		assert_int_equal(perf_ring_stats(f->ring)->corrupt, i + 1);
		put_backward(f, 8, 24);
		read_backward(f, 1, 1);
	}
}

/* ---- the metadata page under its lock -------------------------------------------------------------- */

static void test_meta(void **state)
{
	struct fixture *f = *state;
	struct perf_meta meta;

	f->page->lock = 42;
	f->page->index = 3;
	f->page->offset = -5;
	f->page->time_enabled = 100;
	f->page->time_running = 50;
	f->page->pmc_width = 48;
	f->page->cap_user_rdpmc = 1;
	f->page->cap_user_time_zero = 1;
	f->page->time_shift = 10;
	f->page->time_mult = 1000;
	f->page->time_zero = 1 << 20;
	assert_int_equal(perf_meta_read(f->page, &meta), 0);
	assert_int_equal(meta.index, 3);
	assert_int_equal(meta.offset, -5);
	assert_int_equal(meta.time_enabled, 100);
	assert_int_equal(meta.time_running, 50);
	assert_int_equal(meta.pmc_width, 48);
	assert_true(meta.can_read_counter && meta.has_time_zero);
	assert_false(meta.has_time || meta.has_time_short);
	assert_int_equal(meta.time_shift, 10);
	assert_int_equal(meta.time_mult, 1000);
	assert_int_equal(meta.time_zero, 1 << 20);
	f->page->lock = 43; /* and it stays so: tries are bounded */
	assert_int_equal(perf_meta_read(f->page, &meta), -EAGAIN);
}

#define UPDATES 50000

struct updates {
	struct perf_event_mmap_page *page;
	bool is_over;
};

/* The kernel's writer, with all fields the same number. */
static void *update_meta(void *context)
{
	struct updates *updates = context;
	struct perf_event_mmap_page *page = updates->page;

	for (uint64_t i = 1; !__atomic_load_n(&updates->is_over, __ATOMIC_RELAXED); i++) {
		__atomic_store_n(&page->lock, page->lock + 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&page->time_enabled, i, __ATOMIC_SEQ_CST);
		__atomic_store_n(&page->index, (uint32_t)i, __ATOMIC_SEQ_CST);
		__atomic_store_n(&page->offset, (int64_t)i, __ATOMIC_SEQ_CST);
		__atomic_store_n(&page->time_running, i, __ATOMIC_SEQ_CST);
		__atomic_store_n(&page->time_zero, i, __ATOMIC_SEQ_CST);
		__atomic_store_n(&page->lock, page->lock + 1, __ATOMIC_SEQ_CST);
		if (i % 256 == 0)
			sched_yield();
	}
	return NULL;
}

static bool is_one(const struct perf_meta *meta)
{
	return meta->time_enabled == meta->time_running && meta->time_enabled == meta->time_zero &&
	       meta->time_enabled == (uint64_t)meta->offset &&
	       (uint32_t)meta->time_enabled == meta->index;
}

/* Never half of one update and half of another. */
static void test_meta_while_updated(void **state)
{
	struct fixture *f = *state;
	struct updates updates = { .page = f->page };
	size_t torn = 0, backwards = 0;
	struct perf_meta meta = {};
	uint64_t last = 0;
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, update_meta, &updates), 0);
	for (time_t end = time(NULL) + 60; last < UPDATES && time(NULL) < end;) {
		if (perf_meta_read(f->page, &meta)) {
			sched_yield(); /* it was interrupted in the middle of one */
			continue;
		}
		torn += !is_one(&meta);
		backwards += meta.time_enabled < last;
		last = meta.time_enabled;
	}
	__atomic_store_n(&updates.is_over, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_int_equal(torn, 0);
	assert_int_equal(backwards, 0);
	assert_true(last >= UPDATES);
}

/* ---- a writer that runs at the same time ---------------------------------------------------- */

struct stream {
	struct fixture *fixture;
	/* how it is written */
	uint32_t records;
	size_t least, most; /* bytes of a record */
	/*
	 * Bytes after which the writer waits until all has been read. Within them it loses what there is no
	 * room for, as the kernel; 0: waits for room each time.
	 */
	uint64_t burst;
	/* the writer's */
	uint64_t head, lost, pending, in_burst;
	bool is_written;
	/* the reader's */
	uint32_t next; /* the record that must come next, or one after it with LOST between */
	uint64_t seen, seen_bytes, told, gap;
	size_t wrong;
	bool is_over;
};

/* Follows from the number, so that both sides know it. */
static size_t stream_size(const struct stream *stream, uint32_t number)
{
	size_t steps = (stream->most - stream->least) / 8 + 1;

	return stream->least + (number * 2654435761u >> 12) % steps * 8;
}

static bool has_room(const struct stream *stream, size_t size)
{
	const struct fixture *f = stream->fixture;

	return stream->head + size - __atomic_load_n(&f->page->data_tail, __ATOMIC_ACQUIRE) <=
	       f->bytes;
}

/* Until size bytes are free, or nobody reads any more. */
static void wait_for_room(const struct stream *stream, size_t size)
{
	while (!has_room(stream, size) && !__atomic_load_n(&stream->is_over, __ATOMIC_RELAXED))
		sched_yield();
}

static void wait_for_reader(struct stream *stream, size_t size)
{
	if (!stream->burst)
		wait_for_room(stream, size);
	stream->in_burst += size;
	if (!stream->burst || stream->in_burst < stream->burst)
		return;
	wait_for_room(stream, stream->fixture->bytes);
	stream->in_burst = 0;
}

/* Before the next record that has room, as the kernel: how many there have been that had none. */
static size_t store_lost(struct stream *stream)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} record = { { .type = PERF_RECORD_LOST, .size = sizeof(record) }, 1, stream->pending };

	if (!stream->pending)
		return 0;
	store(stream->fixture, stream->head, &record, sizeof(record));
	stream->pending = 0;
	return sizeof(record);
}

/* Type 100 and up: none that the reader looks into. */
static void write_record(struct stream *stream, uint32_t number, unsigned char *bytes)
{
	size_t size = stream_size(stream, number), lost_size = stream->pending ? 24 : 0;
	struct perf_event_header header = { .type = number + 100, .size = (uint16_t)size };

	wait_for_reader(stream, size);
	if (!has_room(stream, size + lost_size)) {
		stream->pending++;
		stream->lost++;
		return;
	}
	for (size_t i = sizeof(header); i < size; i++)
		bytes[i] = pattern(header.type, i);
	memcpy(bytes, &header, sizeof(header));
	stream->head += store_lost(stream);
	store(stream->fixture, stream->head, bytes, size);
	stream->head += size;
	__atomic_store_n(&stream->fixture->page->data_head, stream->head, __ATOMIC_RELEASE);
}

static void *write_stream(void *context)
{
	struct stream *stream = context;
	unsigned char *bytes = malloc(UINT16_MAX + 1);

	for (uint32_t number = 0; bytes && number < stream->records; number++)
		write_record(stream, number, bytes);
	free(bytes);
	__atomic_store_n(&stream->is_written, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Counts what is wrong: the writer must be joined before an assertion may leave the test. */
static int take_stream(void *context, const struct perf_event_header *record)
{
	const unsigned char *bytes = (const unsigned char *)record;
	struct stream *stream = context;
	uint32_t number = record->type - 100;

	if (record->type == PERF_RECORD_LOST) {
		stream->wrong += record->size != 24;
		memcpy(&stream->gap, bytes + 16, sizeof(stream->gap));
		stream->told += stream->gap;
		return 0;
	}
	/* as many are missing as have been told just before */
	stream->wrong += number != stream->next + stream->gap ||
			 record->size != stream_size(stream, number);
	for (size_t i = sizeof(*record); i < record->size; i++)
		stream->wrong += bytes[i] != pattern(record->type, i);
	stream->gap = 0;
	stream->next = number + 1;
	stream->seen++;
	stream->seen_bytes += record->size;
	return stream->wrong ? -EILSEQ : 0;
}

static int read_stream(struct stream *stream)
{
	bool is_written = false;
	int result = 0;

	while (result >= 0 && !is_written) {
		is_written = __atomic_load_n(&stream->is_written, __ATOMIC_ACQUIRE);
		result = perf_ring_consume(stream->fixture->ring, take_stream, stream);
		sched_yield();
	}
	return result < 0 ? result : 0;
}

static void run_stream(struct stream *stream)
{
	const struct perf_ring_stats *stats = perf_ring_stats(stream->fixture->ring);
	pthread_t writer;
	int result;

	assert_int_equal(pthread_create(&writer, NULL, write_stream, stream), 0);
	result = read_stream(stream);
	__atomic_store_n(&stream->is_over, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_int_equal(result, 0);
	assert_int_equal(stream->wrong, 0);
	assert_drained(stream->fixture);
	assert_int_equal(stream->seen + stream->lost, stream->records);
	assert_int_equal(stream->told + stream->pending, stream->lost);
	assert_int_equal(stats->lost_records, stream->told);
	assert_int_equal(stats->bytes, stream->fixture->page->data_head);
	assert_int_equal(stats->corrupt, 0);
	assert_true(stats->high_water <= stream->fixture->bytes);
}

/* Nothing is lost: the writer waits. */
static void test_concurrent_writer(void **state)
{
	struct stream stream = { .fixture = *state, .records = 30000, .least = 8, .most = 520 };

	run_stream(&stream);
	assert_int_equal(stream.lost, 0);
	assert_int_equal(stream.seen, stream.records);
}

/* Up to the largest record, most of which are joined. */
static void test_concurrent_large_records(void **state)
{
	struct stream stream = { .fixture = *state, .records = 1500, .least = 8, .most = 65528 };

	run_stream(&stream);
	assert_int_equal(stream.seen, stream.records);
}

static void overrun(struct stream *stream)
{
	stream->burst = 4 * stream->fixture->bytes;
	run_stream(stream);
	assert_true(stream->lost > 0);
	assert_true(stream->seen > 0);
	assert_true(stream->told > 0);
	assert_true(stream->fixture->page->data_head > 10 * stream->fixture->bytes);
}

/* A writer that does not wait: what is not read is told, in its place. */
static void test_concurrent_overruns(void **state)
{
	struct stream stream = { .fixture = *state, .records = 40000, .least = 8, .most = 520 };

	overrun(&stream);
}

static void test_concurrent_large_overruns(void **state)
{
	struct stream stream = { .fixture = *state, .records = 3000, .least = 8, .most = 65528 };

	overrun(&stream);
}

#define RING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* gcc's word for being built with the thread sanitizer */
#ifdef __SANITIZE_THREAD__
#define WITH_THREAD_SANITIZER true
#else
#define WITH_THREAD_SANITIZER false
#endif

int main(void)
{
	const struct CMUnitTest alone[] = {
		RING_TEST(test_empty),
		RING_TEST(test_many),
		RING_TEST(test_tail_is_published),
		RING_TEST(test_wrap),
		RING_TEST(test_full),
		cmocka_unit_test_setup_teardown(test_largest, set_up_large, tear_down),
		RING_TEST(test_header_too_small),
		RING_TEST(test_header_larger_than_available),
		RING_TEST(test_bad_header_at_the_end),
		RING_TEST(test_callback_stops),
		RING_TEST(test_positive_return_does_not_stop),
		RING_TEST(test_high_water),
		cmocka_unit_test(test_open_fails),
		RING_TEST(test_unaligned_size),
		RING_TEST(test_head_too_far),
		RING_TEST(test_open),
		RING_TEST(test_statistics),
		RING_TEST(test_consume_to),
		RING_TEST(test_backward_empty),
		RING_TEST(test_backward_not_wrapped),
		RING_TEST(test_backward_full),
		RING_TEST(test_backward_wrapped),
		RING_TEST(test_backward_callback_stops),
		RING_TEST(test_backward_corrupt),
		RING_TEST(test_meta),
	};
	const struct CMUnitTest concurrent[] = {
		RING_TEST(test_meta_while_updated),
		RING_TEST(test_concurrent_writer),
		RING_TEST(test_concurrent_overruns),
		cmocka_unit_test_setup_teardown(test_concurrent_large_records, set_up_large,
						tear_down),
		cmocka_unit_test_setup_teardown(test_concurrent_large_overruns, set_up_large,
						tear_down),
	};

	int failed = WITH_THREAD_SANITIZER ? 0 : cmocka_run_group_tests(alone, NULL, NULL);

	return failed + cmocka_run_group_tests(concurrent, NULL, NULL);
}
