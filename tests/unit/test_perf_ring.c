// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The perf ring's reader against a file laid out as the kernel's mapping: perf_event_mmap_page,
 * then the data, once. Records wrap over the end at every place where they can.
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
#include <unistd.h>

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
	assert_int_equal(perf_ring_open(f->fd, f->bytes, &f->ring), 0);
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

static void test_open_fails(void **state)
{
	struct perf_ring *ring = NULL;

	(void)state;
	assert_int_equal(perf_ring_open(-1, 4096, &ring), -EBADF);
	perf_ring_close(NULL);
}

/* ---- a writer that runs at the same time ---------------------------------------------------- */

#define STREAM_RECORDS 120000
/* Without a record in that many turns, none will come. */
#define STREAM_PATIENCE 20000000

struct stream {
	struct fixture *fixture;
	uint32_t next;	    /* the record that must come next */
	uint64_t size_sum;  /* bytes read */
	uint64_t sent_size; /* bytes written */
	size_t wrong;
	bool is_over;
};

/* 16 to 520 bytes; follows from the number, so that both sides know it. */
static size_t stream_size(uint32_t number)
{
	return 16 + (number * 2654435761u >> 16) % 64 * 8;
}

/* Waits until size bytes are free. false when nobody reads any more. */
static bool wait_for_room(struct stream *stream, uint64_t head, size_t size)
{
	struct fixture *f = stream->fixture;

	while (head + size - __atomic_load_n(&f->page->data_tail, __ATOMIC_ACQUIRE) > f->bytes) {
		if (__atomic_load_n(&stream->is_over, __ATOMIC_RELAXED))
			return false;
		sched_yield();
	}
	return true;
}

static void *write_stream(void *context)
{
	struct stream *stream = context;
	struct fixture *f = stream->fixture;
	unsigned char bytes[16 + 64 * 8];
	uint64_t head = 0;

	for (uint32_t number = 0; number < STREAM_RECORDS; number++) {
		size_t size = stream_size(number);
		struct perf_event_header header = { .type = number, .size = (uint16_t)size };

		for (size_t i = sizeof(header); i < size; i++)
			bytes[i] = pattern(number, i);
		memcpy(bytes, &header, sizeof(header));
		if (!wait_for_room(stream, head, size))
			break;
		store(f, head, bytes, size);
		head += size;
		__atomic_store_n(&f->page->data_head, head, __ATOMIC_RELEASE);
	}
	stream->sent_size = head;
	return NULL;
}

/* Counts what is wrong: the writer must be joined before an assertion may leave the test. */
static int take_stream(void *context, const struct perf_event_header *record)
{
	const unsigned char *bytes = (const unsigned char *)record;
	struct stream *stream = context;

	stream->wrong += record->type != stream->next || record->size != stream_size(stream->next);
	for (size_t i = sizeof(*record); i < record->size; i++)
		stream->wrong += bytes[i] != pattern(record->type, i);
	stream->next++;
	stream->size_sum += record->size;
	return stream->wrong ? -EILSEQ : 0;
}

static int read_stream(struct stream *stream)
{
	unsigned idle = 0;
	int result = 0;

	while (result >= 0 && stream->next < STREAM_RECORDS && idle < STREAM_PATIENCE) {
		result = perf_ring_consume(stream->fixture->ring, take_stream, stream);
		idle = result ? 0 : idle + 1;
		if (!result)
			sched_yield();
	}
	return result < 0 ? result : 0;
}

static void test_concurrent_writer(void **state)
{
	struct stream stream = { .fixture = *state };
	pthread_t writer;
	int result;

	assert_int_equal(pthread_create(&writer, NULL, write_stream, &stream), 0);
	result = read_stream(&stream);
	__atomic_store_n(&stream.is_over, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_int_equal(result, 0);
	assert_int_equal(stream.wrong, 0);
	assert_int_equal(stream.next, STREAM_RECORDS);
	assert_int_equal(stream.size_sum, stream.sent_size);
	assert_drained(stream.fixture);
	assert_true(perf_ring_stats(stream.fixture->ring)->high_water <= stream.fixture->bytes);
}

#define RING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		RING_TEST(test_concurrent_writer),
		RING_TEST(test_unaligned_size),
		RING_TEST(test_head_too_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
