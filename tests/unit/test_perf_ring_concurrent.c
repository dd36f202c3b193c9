// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The perf ring and its metadata page read while another thread writes them. Also built with the thread sanitizer
 * (test_perf_ring_concurrent_tsan).
 */
#include "perf_ring_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "ring/perf_meta.h"

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
	bool has_lost, is_written;
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

	wait_for_reader(stream, size);
	if (!has_room(stream, size + lost_size)) {
		stream->pending++;
		stream->lost++;
		__atomic_store_n(&stream->has_lost, true, __ATOMIC_RELEASE);
		return;
	}
	fill(bytes, number + 100, size);
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
	struct stream *stream = context;
	uint32_t number = record->type - 100;

	if (record->type == PERF_RECORD_LOST) {
		stream->wrong += record->size != 24;
		memcpy(&stream->gap, (const char *)record + 16, sizeof(stream->gap));
		stream->told += stream->gap;
		return 0;
	}
	/* as many are missing as have been told just before */
	stream->wrong += number != stream->next + stream->gap ||
			 record->size != stream_size(stream, number);
	stream->wrong += count_wrong(record);
	stream->gap = 0;
	stream->next = number + 1;
	stream->seen++;
	stream->seen_bytes += record->size;
	return stream->wrong ? -EILSEQ : 0;
}

/* A reader that always kept up would leave nothing to test: it comes when the ring has overflowed. */
static void wait_for_loss(const struct stream *stream)
{
	while (!__atomic_load_n(&stream->has_lost, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&stream->is_written, __ATOMIC_ACQUIRE))
		sched_yield();
}

static int read_stream(struct stream *stream)
{
	bool is_written = false;
	int result = 0;

	if (stream->burst)
		wait_for_loss(stream);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(test_meta),
		RING_TEST(test_meta_while_updated),
		RING_TEST(test_concurrent_writer),
		RING_TEST(test_concurrent_overruns),
		LARGE_RING_TEST(test_concurrent_large_records),
		LARGE_RING_TEST(test_concurrent_large_overruns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
