// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The AUX area's reader against a file laid out as the kernel's mappings: the metadata page, the ring's data,
 * then the area. What it asks of the event is answered here, so that no kernel is needed.
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
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/aux_ring.h"
#include "ring_file.h"

/* Positions only grow: far enough that 32 bits would not hold them; a multiple of every size here. */
#define LATER ((uint64_t)1 << 40)
#define PAGES 2

struct fixture {
	int fd;
	struct perf_event_mmap_page *page;
	size_t map_size, bytes;
	unsigned char *data; /* of the area */
	struct aux_ring *ring;
	/* what the callback saw */
	unsigned calls;
	uint64_t from, to;
	unsigned char *seen; /* 2 * bytes of room */
	int answer;
};

/* What the event was asked for. */
static struct {
	unsigned enabled, disabled;
	int err;
} event;

/* In the place of libc's. */
int ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	if (event.err) {
		errno = event.err;
		return -1;
	}
	event.enabled += request == PERF_EVENT_IOC_ENABLE;
	event.disabled += request == PERF_EVENT_IOC_DISABLE;
	return 0;
}

static struct fixture *make(enum aux_mode mode, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	memset(&event, 0, sizeof(event));
	f->bytes = pages * page;
	f->map_size = page + PAGES * page + f->bytes;
	f->page = map_ring_file(f->map_size, PAGES * page, &f->fd);
	f->data = (unsigned char *)f->page + page + PAGES * page;
	f->seen = malloc(2 * f->bytes);
	assert_non_null(f->seen);
	assert_int_equal(aux_ring_open(f->fd, f->page, f->bytes, mode, &f->ring), 0);
	return f;
}

static int set_up_full(void **state)
{
	*state = make(AUX_FULL, 1);
	return 0;
}

static int set_up_snapshot(void **state)
{
	*state = make(AUX_SNAPSHOT, 1);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	aux_ring_close(f->ring);
	munmap(f->page, f->map_size);
	close(f->fd);
	free(f->seen);
	free(f);
	return 0;
}

/* Follows from the position, and is never 0. */
static unsigned char pattern(uint64_t position)
{
	return (unsigned char)(1 + (position + position / 251 + (position >> 12) * 7) % 255);
}

/* As a PMU writes: round the end, over what is there. */
static void put(struct fixture *f, size_t size)
{
	uint64_t head = f->page->aux_head;

	for (size_t i = 0; i < size; i++)
		f->data[(head + i) % f->bytes] = pattern(head + i);
	f->page->aux_head = head + size;
}

static void start_at(struct fixture *f, uint64_t position)
{
	f->page->aux_head = f->page->aux_tail = position;
}

static int take(void *context, const struct aux_span *span)
{
	struct fixture *f = context;
	size_t size = span->to - span->from;

	f->calls++;
	f->from = span->from;
	f->to = span->to;
	assert_true(size > 0 && size <= f->bytes);
	assert_int_equal(span->piece[0].size + span->piece[1].size, size);
	memcpy(f->seen, span->piece[0].data, span->piece[0].size);
	memcpy(f->seen + span->piece[0].size, span->piece[1].data, span->piece[1].size);
	return f->answer;
}

static void assert_span(const struct fixture *f, uint64_t from, uint64_t to)
{
	size_t bad = 0;

	assert_int_equal(f->from, from);
	assert_int_equal(f->to, to);
	for (uint64_t i = 0; i < to - from; i++)
		bad += f->seen[i] != pattern(from + i);
	assert_int_equal(bad, 0);
}

static void read_span(struct fixture *f, size_t most, uint64_t from, uint64_t to)
{
	f->calls = 0;
	assert_int_equal(aux_ring_read(f->ring, most, take, f), to - from);
	assert_int_equal(f->calls, 1);
	assert_span(f, from, to);
}

static void read_nothing(struct fixture *f)
{
	f->calls = 0;
	assert_int_equal(aux_ring_read(f->ring, f->bytes, take, f), 0);
	assert_int_equal(f->calls, 0);
}

/* ---- opening ---------------------------------------------------------------------------------- */

static void test_open_sizes(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t sizes[] = { 0, 8, page / 2, page + 8, 3 * page, page - 1, SIZE_MAX };
	struct fixture *f = *state;
	struct aux_ring *ring;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		assert_int_equal(aux_ring_open(f->fd, f->page, sizes[i], AUX_FULL, &ring), -EINVAL);
	assert_int_equal(aux_ring_open(-1, f->page, page, AUX_FULL, &ring), -EBADF);
	assert_int_equal(f->page->aux_offset, page + PAGES * page);
	assert_int_equal(f->page->aux_size, page);
	assert_int_equal(aux_ring_size(f->ring), page);
	aux_ring_close(NULL);
}

/* More than there are addresses: halved until it goes, and the page says what it came to. */
static void test_open_less(void **state)
{
	struct fixture *f = *state;
	struct aux_ring *ring;

	assert_int_equal(aux_ring_open(f->fd, f->page, (size_t)1 << 62, AUX_SNAPSHOT, &ring), 0);
	assert_true(aux_ring_size(ring) < (size_t)1 << 62);
	assert_int_equal(aux_ring_size(ring) & (aux_ring_size(ring) - 1), 0);
	assert_int_equal(f->page->aux_size, aux_ring_size(ring));
	aux_ring_close(ring);
}

/* ---- full mode -------------------------------------------------------------------------------- */

static void test_empty(void **state)
{
	struct fixture *f = *state;

	read_nothing(f);
	start_at(f, LATER + 24);
	read_nothing(f);
	assert_int_equal(f->page->aux_tail, LATER + 24);
	assert_int_equal(aux_ring_statistics(f->ring)->bytes, 0);
}

static void test_wraps(void **state)
{
	struct fixture *f = *state;
	uint64_t sum = 0;

	for (size_t size = 8; size <= f->bytes; size += size < 64 ? 8 : 248) {
		for (size_t before_end = 0; before_end <= size; before_end += 8) {
			uint64_t from = LATER + f->bytes - before_end;

			start_at(f, from);
			put(f, size);
			read_span(f, f->bytes, from, from + size);
			assert_int_equal(f->page->aux_tail, from + size);
			sum += size;
		}
	}
	assert_int_equal(aux_ring_statistics(f->ring)->bytes, sum);
}

/* The first byte in each place of a full area. */
static void test_full_area(void **state)
{
	struct fixture *f = *state;

	for (size_t offset = 0; offset < f->bytes; offset += 8) {
		start_at(f, LATER + offset);
		put(f, f->bytes);
		read_span(f, f->bytes, LATER + offset, LATER + offset + f->bytes);
	}
	assert_int_equal(aux_ring_statistics(f->ring)->high_water, f->bytes);
	assert_int_equal(aux_ring_statistics(f->ring)->skipped, 0);
}

/* A round is bounded, whatever waits; only the last one need not be a multiple of 8. */
static void test_rounds(void **state)
{
	const size_t asked[] = { 0, 1, 8, 15, 16, 1000, 1001, 4095 };
	const size_t given[] = { 8, 8, 8, 8, 16, 1000, 1000, 4088 };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		uint64_t from = LATER + 4000, to = from + f->bytes - 5;

		start_at(f, from);
		put(f, to - from);
		for (; to - from > given[i]; from += given[i])
			read_span(f, asked[i], from, from + given[i]);
		read_span(f, asked[i], from, to);
		read_nothing(f);
	}
}

static void test_callback_fails(void **state)
{
	struct fixture *f = *state;

	put(f, 100);
	f->answer = -ENOSPC;
	assert_int_equal(aux_ring_read(f->ring, 64, take, f), -ENOSPC);
	assert_int_equal(f->page->aux_tail, 64);
	f->answer = 0;
	read_span(f, 64, 64, 100);
}

/* A head that ran past what was not read, or back. */
static void test_overrun(void **state)
{
	struct fixture *f = *state;

	start_at(f, LATER);
	f->page->aux_head = LATER + f->bytes + 8;
	f->calls = 0;
	assert_int_equal(aux_ring_read(f->ring, f->bytes, take, f), -EBADMSG);
	assert_int_equal(f->calls, 0);
	assert_int_equal(f->page->aux_tail, f->page->aux_head);
	assert_int_equal(aux_ring_statistics(f->ring)->skipped, f->bytes + 8);
	put(f, 16);
	read_span(f, f->bytes, LATER + f->bytes + 8, LATER + f->bytes + 24);

	f->page->aux_head -= 8;
	assert_int_equal(aux_ring_read(f->ring, f->bytes, take, f), -EBADMSG);
	assert_int_equal(f->page->aux_tail, f->page->aux_head);
}

static void test_note(void **state)
{
	struct fixture *f = *state;
	const struct aux_statistics *statistics = aux_ring_statistics(f->ring);

	aux_ring_note(f->ring, 0);
	aux_ring_note(f->ring, PERF_AUX_FLAG_OVERWRITE);
	aux_ring_note(f->ring, PERF_AUX_FLAG_PARTIAL);
	aux_ring_note(f->ring, PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION);
	assert_int_equal(aux_ring_resume(f->ring), 0);
	assert_int_equal(event.enabled, 0);
	aux_ring_note(f->ring, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);
	assert_int_equal(statistics->truncated, 1);
	assert_int_equal(statistics->partial, 3);
	assert_int_equal(statistics->collision, 1);
}

/* It is asked for until it has been seen to write: the kernel may disable it after the first time. */
static void test_resume(void **state)
{
	struct fixture *f = *state;

	put(f, 800);
	aux_ring_note(f->ring, PERF_AUX_FLAG_TRUNCATED);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(aux_ring_resume(f->ring), 0);
		assert_int_equal(event.enabled, i);
	}
	put(f, 8);
	assert_int_equal(aux_ring_resume(f->ring), 0);
	assert_int_equal(aux_ring_resume(f->ring), 0);
	assert_int_equal(event.enabled, 3);
	assert_int_equal(aux_ring_statistics(f->ring)->resumed, 1);

	aux_ring_note(f->ring, PERF_AUX_FLAG_TRUNCATED);
	event.err = ENODEV;
	assert_int_equal(aux_ring_resume(f->ring), -ENODEV);
	event.err = 0;
	assert_int_equal(aux_ring_resume(f->ring), 0);
	assert_int_equal(event.enabled, 4);
}

/* An area that was found as good as full may have stopped a PMU that needs a page. */
static void test_resume_without_record(void **state)
{
	struct fixture *f = *state;

	put(f, 8);
	read_span(f, f->bytes, 0, 8);
	assert_int_equal(aux_ring_resume(f->ring), 0);
	assert_int_equal(event.enabled, 1);
	assert_int_equal(event.disabled, 0);
}

/* ---- snapshot mode ---------------------------------------------------------------------------- */

static void snapshot(struct fixture *f, uint64_t from, uint64_t to)
{
	unsigned disabled = event.disabled, enabled = event.enabled;

	read_nothing(f);
	assert_int_equal(aux_ring_snapshot_begin(f->ring), 0);
	assert_int_equal(event.disabled, disabled + 1);
	assert_int_equal(event.enabled, enabled);
	if (from != to)
		read_span(f, f->bytes, from, to);
	read_nothing(f);
	assert_int_equal(aux_ring_snapshot_end(f->ring), 0);
	assert_int_equal(event.enabled, enabled + 1);
	assert_int_equal(f->page->aux_tail, 0);
}

/* Each has what came since the one before. */
static void test_snapshot_before_wrap(void **state)
{
	struct fixture *f = *state;

	snapshot(f, 0, 0);
	put(f, 1);
	snapshot(f, 0, 1);
	put(f, 1999);
	snapshot(f, 1, 2000);
	put(f, f->bytes - 2001);
	snapshot(f, 2000, f->bytes - 1);
	put(f, 1);
	snapshot(f, f->bytes - 1, f->bytes);
	assert_int_equal(aux_ring_statistics(f->ring)->snapshots, 5);
	assert_int_equal(aux_ring_statistics(f->ring)->high_water, f->bytes - 2001);
}

static void test_snapshot_wrapped(void **state)
{
	struct fixture *f = *state;

	put(f, f->bytes + 1);
	snapshot(f, 1, f->bytes + 1);
	for (unsigned i = 0; i < 200; i++) {
		uint64_t before = f->page->aux_head, head;

		put(f, 1 + i * 37);
		head = f->page->aux_head;
		snapshot(f, head - before < f->bytes ? before : head - f->bytes, head);
	}
}

/* Of a PMU whose head is an offset: all of the area, said to begin at the head. */
static void test_snapshot_of_offset(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 7; i < 107; i++) {
		uint64_t written = 0, head;

		memset(f->data, 0, f->bytes);
		start_at(f, 0);
		for (; written <= i * f->bytes / 7; written += 11)
			put(f, 11);
		head = written % f->bytes;
		f->page->aux_head = head;
		f->page->aux_tail = 0;
		assert_int_equal(aux_ring_snapshot_begin(f->ring), 0);
		assert_int_equal(aux_ring_read(f->ring, f->bytes, take, f), f->bytes);
		assert_int_equal(f->to - f->from, f->bytes);
		assert_int_equal(f->to % f->bytes, head);
		f->from = written - (f->to - f->from);
		f->to = written;
		assert_span(f, f->from, f->to);
		assert_int_equal(aux_ring_snapshot_end(f->ring), 0);
	}
}

static void test_snapshot_rounds(void **state)
{
	struct fixture *f = *state;
	uint64_t from, to;

	put(f, 3 * f->bytes + 1234);
	assert_int_equal(aux_ring_snapshot_begin(f->ring), 0);
	to = f->page->aux_head;
	from = to - f->bytes;
	for (; to - from > 600; from += 600)
		read_span(f, 600, from, from + 600);
	read_span(f, 600, from, to);
	read_nothing(f);
	assert_int_equal(aux_ring_snapshot_end(f->ring), 0);
	assert_int_equal(aux_ring_statistics(f->ring)->bytes, f->bytes);
}

/* What was left of a snapshot that was ended early does not come later. */
static void test_snapshot_cut(void **state)
{
	struct fixture *f = *state;

	put(f, 1000);
	assert_int_equal(aux_ring_snapshot_begin(f->ring), 0);
	read_span(f, 96, 0, 96);
	assert_int_equal(aux_ring_snapshot_end(f->ring), 0);
	read_nothing(f);
	put(f, 8);
	snapshot(f, 1000, 1008);
}

static void test_snapshot_fails(void **state)
{
	struct fixture *f = *state;

	put(f, 1000);
	event.err = ENODEV;
	assert_int_equal(aux_ring_snapshot_begin(f->ring), -ENODEV);
	read_nothing(f);
	assert_int_equal(aux_ring_snapshot_end(f->ring), -ENODEV);
	assert_int_equal(aux_ring_statistics(f->ring)->snapshots, 0);
}

/* An area that the PMU stops at cannot be frozen, and its mapping is writable: that is its mode. */
static void test_snapshot_of_full(void **state)
{
	struct fixture *f = *state;

	put(f, 1000);
	assert_int_equal(aux_ring_snapshot_begin(f->ring), -EINVAL);
	assert_int_equal(event.disabled, 0);
}

/* ---- beside a writer -------------------------------------------------------------------------- */

#define STREAM_BYTES	(4u << 20)
#define STREAM_PATIENCE 20000000

struct stream {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t bytes;
	uint64_t next;
	size_t wrong;
	bool is_over;
};

/* 1 to 500 bytes at a time, as far as there is room. */
static void *write_stream(void *context)
{
	struct stream *stream = context;
	uint64_t head = 0;

	while (head < STREAM_BYTES && !__atomic_load_n(&stream->is_over, __ATOMIC_RELAXED)) {
		uint64_t tail = __atomic_load_n(&stream->page->aux_tail, __ATOMIC_ACQUIRE);
		size_t size = 1 + head * 2654435761u % 500;

		if (size > tail + stream->bytes - head)
			size = tail + stream->bytes - head;
		if (size > STREAM_BYTES - head)
			size = STREAM_BYTES - head;
		if (!size)
			sched_yield();
		for (size_t i = 0; i < size; i++)
			stream->data[(head + i) % stream->bytes] = pattern(head + i);
		head += size;
		__atomic_store_n(&stream->page->aux_head, head, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Counts what is wrong: the writer must be joined before an assertion may leave the test. */
static int take_stream(void *context, const struct aux_span *span)
{
	struct stream *stream = context;

	stream->wrong += span->from != stream->next;
	for (int i = 0; i < 2; i++) {
		const unsigned char *bytes = span->piece[i].data;

		for (size_t n = 0; n < span->piece[i].size; n++)
			stream->wrong += bytes[n] != pattern(stream->next++);
	}
	stream->wrong += span->to != stream->next;
	return stream->wrong ? -EILSEQ : 0;
}

static int note_base(void *context, const struct aux_span *span)
{
	struct stream *stream = context;

	stream->data = (unsigned char *)span->piece[0].data - span->from;
	return 0;
}

/* The writer writes through the reader's own mapping, so that ThreadSanitizer sees both. */
static void test_concurrent(void **state)
{
	struct fixture *f = *state;
	struct stream stream = { .page = f->page, .bytes = f->bytes };
	unsigned idle = 0;
	pthread_t writer;
	ssize_t result = 0;

	put(f, 8);
	assert_int_equal(aux_ring_read(f->ring, 8, note_base, &stream), 8);
	start_at(f, 0);
	assert_int_equal(pthread_create(&writer, NULL, write_stream, &stream), 0);
	while (result >= 0 && stream.next < STREAM_BYTES && idle < STREAM_PATIENCE) {
		result = aux_ring_read(f->ring, 1024, take_stream, &stream);
		idle = result ? 0 : idle + 1;
		if (!result)
			sched_yield();
	}
	__atomic_store_n(&stream.is_over, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_int_equal(stream.wrong, 0);
	assert_true(result >= 0);
	assert_int_equal(stream.next, STREAM_BYTES);
	assert_int_equal(aux_ring_statistics(f->ring)->skipped, 0);
}

#define FULL(test)     cmocka_unit_test_setup_teardown(test, set_up_full, tear_down)
#define SNAPSHOT(test) cmocka_unit_test_setup_teardown(test, set_up_snapshot, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FULL(test_open_sizes),
		FULL(test_open_less),
		FULL(test_empty),
		FULL(test_wraps),
		FULL(test_full_area),
		FULL(test_rounds),
		FULL(test_callback_fails),
		FULL(test_overrun),
		FULL(test_note),
		FULL(test_resume),
		FULL(test_resume_without_record),
		SNAPSHOT(test_snapshot_before_wrap),
		SNAPSHOT(test_snapshot_wrapped),
		SNAPSHOT(test_snapshot_of_offset),
		SNAPSHOT(test_snapshot_rounds),
		SNAPSHOT(test_snapshot_cut),
		SNAPSHOT(test_snapshot_fails),
		FULL(test_snapshot_of_full),
		FULL(test_concurrent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
