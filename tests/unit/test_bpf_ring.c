// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The BPF ring's reader against a file laid out as the kernel lays out the ring: consumer page,
 * producer page, data twice in a row. What the kernel has as one memory at two addresses is
 * written twice here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/bpf_ring.h"

#define BYTES 4096
#define MOST  256
/* Positions only grow: a ring that has been running for a while is past 32 bits. */
#define LATER ((unsigned long)BYTES << 32)

struct fixture {
	int fd;
	unsigned char *file;
	size_t file_size;
	unsigned long *consumer, *producer;
	unsigned char *data;
	struct bpf_ring *ring;
	/* what the callback saw */
	size_t count;
	size_t size[MOST];
	unsigned char tag[MOST];
	unsigned long consumer_then[MOST];
	size_t stop_at; /* the record, counted from 1, that is answered with answer */
	int answer;
};

static int set_up(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->file_size = 2 * page + 2 * BYTES;
	f->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(ftruncate(f->fd, (off_t)f->file_size), 0);
	f->file = mmap(NULL, f->file_size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_true(f->file != MAP_FAILED);
	f->consumer = (void *)f->file;
	f->producer = (void *)(f->file + page);
	f->data = f->file + 2 * page;
	assert_int_equal(bpf_ring_open(f->fd, BYTES, &f->ring), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	bpf_ring_close(f->ring);
	munmap(f->file, f->file_size);
	close(f->fd);
	free(f);
	return 0;
}

static void poke(struct fixture *f, unsigned long position, unsigned char byte)
{
	size_t offset = position % BYTES;

	f->data[offset] = byte;
	f->data[offset + BYTES] = byte;
}

static void set_header(struct fixture *f, unsigned long position, uint32_t length)
{
	uint32_t header[2] = { length,
			       0xdeadbeef }; /* the second is the page offset, the kernel's own */
	const unsigned char *bytes = (const unsigned char *)header;

	for (size_t i = 0; i < sizeof(header); i++)
		poke(f, position + i, bytes[i]);
}

/* A record of size bytes that count up from tag. Returns its position. */
static unsigned long put(struct fixture *f, unsigned char tag, size_t size, uint32_t flags)
{
	unsigned long position = *f->producer;

	set_header(f, position, (uint32_t)size | flags);
	for (size_t i = 0; i < size; i++)
		poke(f, position + BPF_RINGBUF_HDR_SZ + i, (unsigned char)(tag + i));
	*f->producer = position + (BPF_RINGBUF_HDR_SZ + size + 7) / 8 * 8;
	return position;
}

static int take(void *context, const void *data_, size_t size)
{
	const unsigned char *data = data_;
	struct fixture *f = context;

	assert_true(f->count < MOST);
	assert_int_equal((uintptr_t)data % 8, 0);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(data[i], (unsigned char)(data[0] + i));
	f->size[f->count] = size;
	f->tag[f->count] = size ? data[0] : 0;
	f->consumer_then[f->count] = *f->consumer;
	f->count++;
	return f->count == f->stop_at ? f->answer : 0;
}

/* Reads, and checks the result and how many records were seen. */
static void consume(struct fixture *f, int result, size_t seen)
{
	f->count = 0;
	assert_int_equal(bpf_ring_consume(f->ring, take, f), result);
	assert_int_equal(f->count, seen);
}

static void start_at(struct fixture *f, unsigned long position)
{
	memset(f->data, 0xa5, (size_t)2 * BYTES);
	*f->consumer = *f->producer = position;
}

static void test_empty(void **state)
{
	struct fixture *f = *state;

	consume(f, 0, 0);
	assert_int_equal(*f->consumer, 0);
	start_at(f, LATER + 16);
	consume(f, 0, 0);
	assert_int_equal(*f->consumer, LATER + 16);
	assert_int_equal(bpf_ring_high_water(f->ring), 0);
}

static void test_single(void **state)
{
	struct fixture *f = *state;

	put(f, 3, 24, 0);
	consume(f, 1, 1);
	assert_int_equal(f->size[0], 24);
	assert_int_equal(f->tag[0], 3);
	assert_int_equal(*f->consumer, 32);
	consume(f, 0, 0);
	assert_int_equal(*f->consumer, 32);
}

/* Lengths are exact, positions are rounded up to 8. */
static void test_many(void **state)
{
	struct fixture *f = *state;

	for (size_t size = 0; size < 60; size++)
		put(f, (unsigned char)(size + 1), size, 0);
	consume(f, 60, 60);
	for (size_t size = 0; size < 60; size++) {
		assert_int_equal(f->size[size], size);
		assert_int_equal(f->tag[size], size ? size + 1 : 0);
	}
	assert_int_equal(*f->consumer, *f->producer);
}

/* The place is given back only when the callback is through with it. */
static void test_consumer_follows(void **state)
{
	struct fixture *f = *state;
	unsigned long position[10];

	start_at(f, LATER);
	for (unsigned i = 0; i < 10; i++)
		position[i] = put(f, 1, 10 * i, 0);
	consume(f, 10, 10);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(f->consumer_then[i], position[i]);
}

static void test_busy(void **state)
{
	struct fixture *f = *state;
	unsigned long busy;

	put(f, 1, 8, 0);
	busy = put(f, 2, 20, BPF_RINGBUF_BUSY_BIT);
	put(f, 3, 8, 0);
	consume(f, 1, 1);
	assert_int_equal(*f->consumer, busy);
	consume(f, 0, 0);
	assert_int_equal(*f->consumer, busy);
	set_header(f, busy, 20);
	consume(f, 2, 2);
	assert_int_equal(f->tag[0], 2);
	assert_int_equal(f->size[0], 20);
	assert_int_equal(f->tag[1], 3);
	assert_int_equal(*f->consumer, *f->producer);
}

static void test_busy_then_discarded(void **state)
{
	struct fixture *f = *state;
	unsigned long busy = put(f, 1, 40, BPF_RINGBUF_BUSY_BIT);

	put(f, 2, 8, 0);
	consume(f, 0, 0);
	set_header(f, busy, 40 | BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	consume(f, 0, 0);
	assert_int_equal(*f->consumer, busy);
	set_header(f, busy, 40 | BPF_RINGBUF_DISCARD_BIT);
	consume(f, 1, 1);
	assert_int_equal(f->tag[0], 2);
	assert_int_equal(*f->consumer, *f->producer);
}

static void test_discarded(void **state)
{
	struct fixture *f = *state;

	put(f, 1, 8, 0);
	put(f, 2, 13, BPF_RINGBUF_DISCARD_BIT);
	put(f, 3, 30, BPF_RINGBUF_DISCARD_BIT);
	put(f, 4, 8, 0);
	put(f, 5, 8, BPF_RINGBUF_DISCARD_BIT);
	consume(f, 2, 2);
	assert_int_equal(f->tag[0], 1);
	assert_int_equal(f->tag[1], 4);
	assert_int_equal(*f->consumer, *f->producer);
}

static void test_only_discarded(void **state)
{
	struct fixture *f = *state;

	put(f, 1, 100, BPF_RINGBUF_DISCARD_BIT);
	consume(f, 0, 0);
	assert_int_equal(*f->consumer, *f->producer);
}

static void test_wrap(void **state)
{
	struct fixture *f = *state;

	for (unsigned long offset = 0; offset < 2 * BYTES; offset += 8) {
		start_at(f, LATER + offset);
		put(f, 7, 205, 0);
		put(f, 8, 64, BPF_RINGBUF_DISCARD_BIT);
		put(f, 9, 800, 0);
		consume(f, 2, 2);
		assert_int_equal(f->size[0], 205);
		assert_int_equal(f->tag[0], 7);
		assert_int_equal(f->size[1], 800);
		assert_int_equal(f->tag[1], 9);
		assert_int_equal(*f->consumer, *f->producer);
	}
}

/* One record that fills the ring. */
static void test_full(void **state)
{
	struct fixture *f = *state;

	for (unsigned long offset = 0; offset < 2 * BYTES; offset += 8) {
		start_at(f, LATER + offset);
		put(f, 1, BYTES - BPF_RINGBUF_HDR_SZ, 0);
		consume(f, 1, 1);
		assert_int_equal(f->size[0], BYTES - BPF_RINGBUF_HDR_SZ);
		assert_int_equal(*f->consumer, LATER + offset + BYTES);
	}
	assert_int_equal(bpf_ring_high_water(f->ring), BYTES);
}

static void test_callback_stops(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i <= 5; i++)
		put(f, (unsigned char)i, 8, 0);
	f->stop_at = 2;
	f->answer = -ENOMEM;
	consume(f, -ENOMEM, 2);
	assert_int_equal(*f->consumer, 32); /* the record that failed is not read again */
	f->stop_at = 0;
	consume(f, 3, 3);
	assert_int_equal(f->tag[0], 3);
	assert_int_equal(*f->consumer, *f->producer);
}

static void test_positive_return_does_not_stop(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 5; i++)
		put(f, 1, 8, 0);
	f->stop_at = 2;
	f->answer = 1;
	consume(f, 5, 5);
}

static void test_high_water(void **state)
{
	struct fixture *f = *state;
	unsigned long busy;

	put(f, 1, 56, 0);
	consume(f, 1, 1);
	assert_int_equal(bpf_ring_high_water(f->ring), 64);
	put(f, 1, 8, 0);
	consume(f, 1, 1);
	assert_int_equal(bpf_ring_high_water(f->ring), 64);
	busy = put(f, 1, 8, BPF_RINGBUF_BUSY_BIT); /* waits, even if it cannot be read */
	put(f, 1, 104, 0);
	consume(f, 0, 0);
	assert_int_equal(bpf_ring_high_water(f->ring), 128);
	set_header(f, busy, 8);
	consume(f, 2, 2);
	assert_int_equal(bpf_ring_high_water(f->ring), 128);
}

static int take_longest(void *context, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], (unsigned char)(i * 7));
	*(size_t *)context = size;
	return 0;
}

/* The longest record, of which all but the header is what is mapped for the second time; and one that is too long. */
static void test_longest(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)4 * BPF_RING_RECORD;
	const size_t longest = BPF_RING_RECORD - BPF_RINGBUF_HDR_SZ;
	int fd = memfd_create("ring", MFD_CLOEXEC);
	struct bpf_ring *ring = NULL;
	unsigned char *file;
	uint32_t *header;
	size_t seen = 0;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)(2 * page + 2 * bytes)), 0);
	file = mmap(NULL, 2 * page + 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(file != MAP_FAILED);
	assert_int_equal(bpf_ring_open(fd, bytes, &ring), 0);
	*(unsigned long *)file = bytes - BPF_RINGBUF_HDR_SZ;
	*(unsigned long *)(file + page) = bytes + longest;
	header = (uint32_t *)(file + 2 * page + bytes) - 2;
	*header = (uint32_t)longest;
	for (size_t i = 0; i < longest; i++)
		file[2 * page + bytes + i] = (unsigned char)(i * 7);
	assert_int_equal(bpf_ring_consume(ring, take_longest, &seen), 1);
	assert_int_equal(seen, longest);
	*(unsigned long *)file = bytes - BPF_RINGBUF_HDR_SZ;
	*header = (uint32_t)longest + 1;
	assert_int_equal(bpf_ring_consume(ring, take_longest, &seen), -EBADMSG);
	bpf_ring_close(ring);
	munmap(file, 2 * page + 2 * bytes);
	close(fd);
}

static void test_open_fails(void **state)
{
	struct bpf_ring *ring = NULL;
	int fd;

	(void)state;
	assert_int_equal(bpf_ring_open(-1, BYTES, &ring), -EBADF);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(bpf_ring_open(fd, BYTES, &ring),
			 -EACCES); /* no writing: no consumer page */
	close(fd);
	/* The consumer page is there, but what follows does not fit into any address space. */
	fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(bpf_ring_open(fd, (size_t)1 << 61, &ring), -ENOMEM);
	close(fd);
	bpf_ring_close(NULL);
}

#define RING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(test_empty),
		RING_TEST(test_single),
		RING_TEST(test_many),
		RING_TEST(test_consumer_follows),
		RING_TEST(test_busy),
		RING_TEST(test_busy_then_discarded),
		RING_TEST(test_discarded),
		RING_TEST(test_only_discarded),
		RING_TEST(test_wrap),
		RING_TEST(test_full),
		RING_TEST(test_callback_stops),
		RING_TEST(test_positive_return_does_not_stop),
		RING_TEST(test_high_water),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_open_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
