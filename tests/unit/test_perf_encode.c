// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records encoded and decoded again, with every mixture of fields. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data/encode.h"
#include "random.h"
#include "record_examples.h"

/* As long as the size it says. */
static struct record encode(const struct perf_layout *layout, const struct record *record,
			    uint64_t *buffer)
{
	int size = perf_encode(layout, 4711, record, buffer);

	assert_in_range(size, 8, 65528);
	assert_int_equal(size % 8, 0);
	assert_int_equal(((struct perf_event_header *)buffer)->size, size);
	return decode(layout, buffer);
}

#define FIELDS                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP)

static void check_sample(const struct record *got, uint64_t type)
{
	struct record put = make_sample(5000);

	assert_int_equal(got->kind, RECORD_SAMPLE);
	assert_int_equal(got->time, type & PERF_SAMPLE_TIME ? put.time : 0);
	assert_int_equal(got->tid, type & PERF_SAMPLE_TID ? put.tid : UINT32_MAX);
	assert_int_equal(got->cpu, type & PERF_SAMPLE_CPU ? put.cpu : UINT32_MAX);
	assert_int_equal(got->sample.misc, put.sample.misc);
	assert_int_equal(got->sample.ip, type & PERF_SAMPLE_IP ? put.sample.ip : 0);
	assert_int_equal(got->sample.address, type & PERF_SAMPLE_ADDR ? put.sample.address : 0);
	assert_int_equal(got->sample.period, type & PERF_SAMPLE_PERIOD ? put.sample.period : 0);
	assert_int_equal(got->sample.cgroup, type & PERF_SAMPLE_CGROUP ? put.sample.cgroup : 0);
	assert_int_equal(got->sample.event_id,
			 type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? 4711 : 0);
	assert_int_equal(got->sample.chain_count, type & PERF_SAMPLE_CALLCHAIN ? CHAIN : 0);
	if (got->sample.chain)
		assert_memory_equal(got->sample.chain, chain, sizeof(chain));
	assert_int_equal(got->sample.raw_size, type & PERF_SAMPLE_RAW ? 12 : 0);
	if (got->sample.raw)
		assert_memory_equal(got->sample.raw, "raw bytes 12", 12);
}

static void test_samples(void **state)
{
	static uint64_t buffer[PERF_ENCODE_MOST / 8];
	struct record sample = make_sample(5000);
	uint64_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct perf_layout layout = {
			.sample_type = i ? next_random(&seed) & FIELDS : FIELDS,
			.sample_id_all = true,
		};
		struct record got = encode(&layout, &sample, buffer);

		check_sample(&got, layout.sample_type);
	}
}

static void test_side_band(void **state)
{
	static uint64_t buffer[PERF_ENCODE_MOST / 8];
	uint64_t seed = 4;

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		struct perf_layout layout = {
			.sample_type = next_random(&seed) & FIELDS,
			.sample_id_all = next_random(&seed) % 2,
		};
		struct record put = make_mmap(false), got = encode(&layout, &put, buffer);

		assert_int_equal(got.mmap.start, put.mmap.start);
		assert_int_equal(got.mmap.length, put.mmap.length);
		assert_int_equal(got.mmap.file_offset, put.mmap.file_offset);
		assert_int_equal(got.mmap.inode, put.mmap.inode);
		assert_int_equal(got.mmap.major, put.mmap.major);
		assert_int_equal(got.mmap.protection, put.mmap.protection);
		assert_string_equal(got.mmap.path, put.mmap.path);
		put = make_mmap(true);
		got = encode(&layout, &put, buffer);
		assert_int_equal(got.mmap.build_id_size, RECORD_BUILD_ID);
		assert_memory_equal(got.mmap.build_id, put.mmap.build_id, RECORD_BUILD_ID);
		assert_string_equal(got.mmap.path, put.mmap.path);
		put = make_comm(900, 101, "worker", i % 2);
		got = encode(&layout, &put, buffer);
		assert_int_equal(got.kind, RECORD_COMM);
		assert_int_equal(got.comm.is_exec, i % 2);
		assert_int_equal(got.tid, 101);
		assert_string_equal(got.comm.comm, "worker");
		put = make_task(i % 2 ? RECORD_FORK : RECORD_EXIT, 950);
		got = encode(&layout, &put, buffer);
		assert_int_equal(got.kind, put.kind);
		assert_int_equal(got.time, put.time);
		assert_int_equal(got.fork.parent_tid, 100);
		put = (struct record){ .kind = RECORD_LOST, .lost = { 12, 34 } };
		got = encode(&layout, &put, buffer);
		assert_int_equal(got.lost.count, 12);
		assert_int_equal(got.lost.event_id, 34);
	}
}

/* A chain that is too long loses callers, nothing else. */
static void test_long_chain(void **state)
{
	static uint64_t buffer[PERF_ENCODE_MOST / 8], ip[20000];
	struct perf_layout layout = { .sample_type = FIELDS, .sample_id_all = true };
	struct record sample = make_sample(5000), got;

	(void)state;
	for (unsigned i = 0; i < 20000; i++)
		ip[i] = i + 1;
	sample.sample.chain = ip;
	sample.sample.chain_count = 20000;
	got = encode(&layout, &sample, buffer);
	assert_in_range(got.sample.chain_count, 8000, 8190);
	assert_memory_equal(got.sample.chain, ip, got.sample.chain_count * sizeof(*ip));
	assert_int_equal(got.sample.cgroup, 42);
	assert_memory_equal(got.sample.raw, "raw bytes 12", 12);
}

static void test_not_encoded(void **state)
{
	static uint64_t buffer[PERF_ENCODE_MOST / 8];
	struct perf_layout layout = { .sample_type = FIELDS | PERF_SAMPLE_READ };
	struct record record = make_sample(5000);
	char *name = malloc(70000);

	(void)state;
	assert_non_null(name);
	assert_int_equal(perf_encode(&layout, 1, &record, buffer), -EINVAL);
	record.kind = RECORD_EVENT;
	assert_int_equal(perf_encode(&layout, 1, &record, buffer), -EINVAL);
	memset(name, 'x', 69999);
	name[69999] = 0;
	record = make_comm(900, 101, name, false);
	assert_int_equal(perf_encode(&layout, 1, &record, buffer), -E2BIG);
	free(name);
}

static void test_chain_marks(void **state)
{
	uint64_t got[8];

	(void)state;
	assert_int_equal(perf_encode_chain(got, chain + 1, 1, chain + 3, 3), CHAIN);
	assert_memory_equal(got, chain, sizeof(chain));
	assert_int_equal(perf_encode_chain(got, NULL, 0, chain + 3, 3), 4);
	assert_memory_equal(got, chain + 2, 4 * sizeof(*got));
	assert_int_equal(perf_encode_chain(got, chain + 1, 1, NULL, 0), 2);
	assert_int_equal(perf_encode_chain(got, NULL, 0, NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),	    cmocka_unit_test(test_side_band),
		cmocka_unit_test(test_long_chain),  cmocka_unit_test(test_not_encoded),
		cmocka_unit_test(test_chain_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
