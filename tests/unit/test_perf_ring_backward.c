// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The reader of rings that are written backward, over what is oldest: what is whole is handed over, oldest first. */
#include "perf_ring_fixture.h"

#include <errno.h>

/* As the kernel: the head goes down by the record's size, and the record begins there. */
static void put_backward(struct fixture *f, uint32_t type, size_t size)
{
	static unsigned char bytes[UINT16_MAX + 1];

	fill(bytes, type, size);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(test_backward_empty),		 RING_TEST(test_backward_not_wrapped),
		RING_TEST(test_backward_full),		 RING_TEST(test_backward_wrapped),
		RING_TEST(test_backward_callback_stops), RING_TEST(test_backward_corrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
