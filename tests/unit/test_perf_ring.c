// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The perf ring's reader against a file laid out as the kernel's mapping: perf_event_mmap_page, then the data,
 * once. Records wrap over the end at every place where they can.
 */
#include "perf_ring_fixture.h"

#include <errno.h>

/* Positions only grow: far enough that 32 bits would not hold them. */
#define LATER ((uint64_t)1 << 40)

/* Returns its position. */
static uint64_t put(struct fixture *f, uint32_t type, size_t size)
{
	static unsigned char bytes[UINT16_MAX + 1];
	uint64_t position = f->page->data_head;

	fill(bytes, type, size);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(test_empty),
		RING_TEST(test_many),
		RING_TEST(test_tail_is_published),
		RING_TEST(test_wrap),
		RING_TEST(test_full),
		LARGE_RING_TEST(test_largest),
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
