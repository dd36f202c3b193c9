// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records encoded and decoded again; files written and read, by our reader, cut off anywhere and damaged,
 * and by perf, which must say exactly what was put in.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf_data/encode.h"
#include "perf_data/reader.h"
#include "perf_data/writer.h"
#include "ring/perf_ring.h"
#include "test_folder.h"

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* ---- records ------------------------------------------------------------------------------------ */

static const uint64_t chain[] = {
	PERF_CONTEXT_KERNEL, 0xffffffff81000010, PERF_CONTEXT_USER, 0x401234, 0x401010,
	0x7f0000001000
};
#define CHAIN (sizeof(chain) / sizeof(*chain))

static struct record make_sample(uint64_t time)
{
	return (struct record){
		.kind = RECORD_SAMPLE,
		.time = time,
		.pid = 100,
		.tid = 101,
		.cpu = 2,
		.sample = {
			.misc = PERF_RECORD_MISC_USER,
			.ip = 0x401234,
			.address = 0x7ffc00000000,
			.period = 777,
			.cgroup = 42,
			.chain = chain,
			.chain_count = CHAIN,
			.raw = "raw bytes 12",
			.raw_size = 12,
		},
	};
}

static struct record make_mmap(bool has_build_id)
{
	struct record record = {
		.kind = RECORD_MMAP,
		.time = 1000,
		.pid = 100,
		.tid = 100,
		.mmap = {
			.start = 0x400000,
			.length = 0x10000,
			.file_offset = 0x1000,
			.protection = PROT_READ | PROT_EXEC,
			.path = "/opt/none/app",
		},
	};

	if (!has_build_id) {
		record.mmap.inode = 0x1234;
		record.mmap.major = 8;
		record.mmap.minor = 1;
		return record;
	}
	record.mmap.build_id_size = RECORD_BUILD_ID;
	for (uint8_t i = 0; i < RECORD_BUILD_ID; i++)
		record.mmap.build_id[i] = (uint8_t)(0xa0 + i);
	return record;
}

static struct record make_comm(uint64_t time, uint32_t tid, const char *comm, bool is_exec)
{
	return (struct record){
		.kind = RECORD_COMM,
		.time = time,
		.pid = 100,
		.tid = tid,
		.comm = { .comm = comm, .is_exec = is_exec },
	};
}

static struct record make_task(enum record_kind kind, uint64_t time)
{
	return (struct record){
		.kind = kind,
		.time = time,
		.pid = 100,
		.tid = 101,
		.fork = { .parent_pid = 100, .parent_tid = 100 },
	};
}

static struct record decode(const struct perf_layout *layout, const void *bytes)
{
	struct record record;

	assert_int_equal(record_from_perf_layout(layout, bytes, &record), 0);
	return record;
}

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

/* ---- a file -------------------------------------------------------------------------------------- */

#define SAMPLES	   40
#define FIRST_TIME 5000000000ull
#define STEP	   1000000ull

static struct perf_event_attr make_attr(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static void put(struct perf_data_writer *writer, size_t event, struct record record)
{
	assert_int_equal(perf_data_writer_put(writer, event, &record), 0);
}

static void add_events(struct perf_data_writer *writer)
{
	struct perf_event_attr clock = make_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr probe = make_attr(PERF_COUNT_SW_BPF_OUTPUT);
	const uint64_t clock_ids[] = { 11, 12 }, probe_ids[] = { 21 }, wait_ids[] = { 31 };

	assert_int_equal(perf_data_writer_add_event(writer, &clock, "cpu-clock", clock_ids, 2), 0);
	assert_int_equal(perf_data_writer_add_event(writer, &probe, "app:handle", probe_ids, 1), 0);
	assert_int_equal(perf_data_writer_add_event(writer, &probe, "off-cpu", wait_ids, 1), 0);
}

static void put_kernel(struct perf_data_writer *writer)
{
	put(writer, 0,
	    (struct record){
		    .kind = RECORD_MMAP,
		    .pid = UINT32_MAX,
		    .mmap = { .start = 0xffffffff81000000,
			      .length = 0x1000000,
			      .file_offset = 0xffffffff81000000,
			      .protection = PROT_EXEC,
			      .misc = PERF_RECORD_MISC_KERNEL,
			      .path = "[kernel.kallsyms]_text" },
	    });
}

/* The last of them as from a ring, of the clock's second id. */
static void put_samples(struct perf_data_writer *writer)
{
	static uint64_t buffer[PERF_ENCODE_MOST / 8];
	struct perf_event_attr attr = make_attr(0);
	struct perf_layout layout;
	struct record last = make_sample(FIRST_TIME + (SAMPLES - 1) * STEP);

	for (unsigned i = 0; i < SAMPLES - 1; i++) {
		put(writer, i % 3, make_sample(FIRST_TIME + i * STEP));
		if (i % 10 == 9)
			assert_int_equal(perf_data_writer_end_round(writer), 0);
	}
	perf_layout_of(&attr, &layout);
	assert_true(perf_encode(&layout, 12, &last, buffer) > 0);
	assert_int_equal(perf_data_writer_put_raw(writer, (void *)buffer), 0);
}

static char *words[] = { "tracer", "--profile", "-o", "a file.data" };

static struct perf_data_info make_info(void)
{
	return (struct perf_data_info){
		.host = "some-host",
		.os_release = "6.1.0-test",
		.version = "1.2.3",
		.arch = "x86_64",
		.cpus_available = 8,
		.cpus_online = 6,
		.memory = 12345678,
		.command = words,
		.word_count = 4,
		.clock_resolution = 1,
		.has_clock = true,
		.clock = CLOCK_MONOTONIC,
		.wall_time = 1700000000123456789,
		.clock_time = 5000000000,
	};
}

static void add_build_ids(struct perf_data_writer *writer)
{
	struct perf_data_build_id app = { .pid = UINT32_MAX,
					  .misc = PERF_RECORD_MISC_USER,
					  .size = RECORD_BUILD_ID,
					  .path = "/opt/none/app" };
	struct perf_data_build_id small = { .pid = UINT32_MAX,
					    .misc = PERF_RECORD_MISC_USER,
					    .size = 8,
					    .bytes = { 1, 2, 3, 4, 5, 6, 7, 8 },
					    .path = "/opt/none/small.so" };

	memcpy(app.bytes, make_mmap(true).mmap.build_id, RECORD_BUILD_ID);
	assert_int_equal(perf_data_writer_add_build_id(writer, &app), 0);
	assert_int_equal(perf_data_writer_add_build_id(writer, &small), 0);
}

/* The whole file, or one whose recording was killed. */
static void write_recording(const char *path, bool is_finished)
{
	struct perf_data_info info = make_info();
	struct perf_data_writer *writer;
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(perf_data_writer_new(file, &writer), 0);
	add_events(writer);
	put_kernel(writer);
	put(writer, 0, make_comm(800, 100, "main", true));
	put(writer, 0, make_task(RECORD_FORK, 900));
	put(writer, 0, make_comm(950, 101, "worker", false));
	put(writer, 0, make_mmap(true));
	put_samples(writer);
	put(writer, 0, make_task(RECORD_EXIT, FIRST_TIME + SAMPLES * STEP));
	add_build_ids(writer);
	if (is_finished)
		assert_int_equal(perf_data_writer_finish(writer, &info), 0);
	else
		assert_int_equal(perf_data_writer_end_round(writer), 0);
	perf_data_writer_free(writer);
	assert_int_equal(fclose(file), 0);
}

struct reading {
	size_t samples, maps, comms, forks, exits, rounds;
	uint64_t next_time;
};

static void take_sample(struct reading *reading, const struct perf_data_record *record,
			const struct record *decoded)
{
	static const char *const names[] = { "cpu-clock", "app:handle", "off-cpu" };
	size_t wanted = reading->samples % 3;

	assert_int_equal(record->event_index, wanted);
	if (record->event->name) /* not where the sections behind the data are lost */
		assert_string_equal(record->event->name, names[wanted]);
	assert_int_equal(decoded->time, FIRST_TIME + reading->samples * STEP);
	assert_int_equal(decoded->sample.chain_count, CHAIN);
	assert_memory_equal(decoded->sample.chain, chain, sizeof(chain));
	reading->samples++;
}

static int take(void *context, const struct perf_data_record *record)
{
	struct reading *reading = context;
	struct record decoded;

	if (record->header->type >= PERF_DATA_FIRST_OWN) {
		assert_int_equal(record->header->type, PERF_DATA_RECORD_FINISHED_ROUND);
		reading->rounds++;
		return 0;
	}
	assert_int_equal(perf_data_record_decode(record, &decoded), 0);
	if (decoded.kind == RECORD_SAMPLE)
		take_sample(reading, record, &decoded);
	reading->maps += decoded.kind == RECORD_MMAP;
	reading->comms += decoded.kind == RECORD_COMM;
	reading->forks += decoded.kind == RECORD_FORK;
	reading->exits += decoded.kind == RECORD_EXIT;
	return 0;
}

static void check_reading(const struct reading *reading)
{
	assert_int_equal(reading->samples, SAMPLES);
	assert_int_equal(reading->maps, 2);
	assert_int_equal(reading->comms, 2);
	assert_int_equal(reading->forks, 1);
	assert_int_equal(reading->exits, 1);
}

static void check_info(const struct perf_data_info *info)
{
	struct perf_data_info put = make_info();

	assert_string_equal(info->host, put.host);
	assert_string_equal(info->os_release, put.os_release);
	assert_string_equal(info->version, put.version);
	assert_string_equal(info->arch, put.arch);
	assert_null(info->cpu);
	assert_int_equal(info->cpus_available, 8);
	assert_int_equal(info->cpus_online, 6);
	assert_int_equal(info->memory, put.memory);
	assert_int_equal(info->word_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(info->command[i], words[i]);
	assert_int_equal(info->first_time, FIRST_TIME);
	assert_int_equal(info->last_time, FIRST_TIME + (SAMPLES - 1) * STEP);
	assert_int_equal(info->clock_resolution, 1);
	assert_true(info->has_clock);
	assert_int_equal(info->clock, CLOCK_MONOTONIC);
	assert_int_equal(info->wall_time, put.wall_time);
	assert_int_equal(info->clock_time, put.clock_time);
	assert_int_equal(info->build_id_count, 2);
	assert_string_equal(info->build_ids[0].path, "/opt/none/app");
	assert_memory_equal(info->build_ids[0].bytes, make_mmap(true).mmap.build_id, 20);
	assert_int_equal(info->build_ids[1].size, 8);
}

static void test_read_back(void **state)
{
	struct perf_data_reader *reader;
	struct perf_data_error error;
	struct reading reading = {};

	write_recording(*state, true);
	assert_int_equal(perf_data_reader_open(*state, &reader, &error), 0);
	check_info(perf_data_reader_info(reader));
	assert_int_equal(perf_data_reader_events(reader)->count, 3);
	assert_int_equal(perf_data_reader_events(reader)->events[0].id_count, 2);
	assert_int_equal(perf_data_reader_run(reader, take, &reading, &error), 0);
	assert_false(perf_data_reader_is_unfinished(reader));
	perf_data_reader_close(reader);
	check_reading(&reading);
	assert_int_equal(reading.rounds, 3);
}

static void test_unfinished(void **state)
{
	struct perf_data_reader *reader;
	struct perf_data_error error;
	struct reading reading = {};

	write_recording(*state, false);
	assert_int_equal(perf_data_reader_open(*state, &reader, &error), 0);
	assert_true(perf_data_reader_is_unfinished(reader));
	assert_int_equal(perf_data_reader_run(reader, take, &reading, &error), 0);
	perf_data_reader_close(reader);
	check_reading(&reading);
}

static void put_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* The result of opening and reading, with the error that came with it. */
static int try_file(const char *path, perf_data_record_fn callback, void *context,
		    struct perf_data_error *error)
{
	struct perf_data_reader *reader;
	int err = perf_data_reader_open(path, &reader, error);

	if (err)
		return err;
	err = perf_data_reader_run(reader, callback, context, error);
	perf_data_reader_close(reader);
	return err;
}

/* As perf leaves it: the size of the data is not known, its last record is not whole. */
static void test_unfinished_by_perf(void **state)
{
	struct perf_data_error error;
	struct reading reading = {};
	uint8_t *bytes;
	size_t size;

	write_recording(*state, false);
	bytes = read_file(*state, &size);
	memset(bytes + offsetof(struct perf_data_header, data.size), 0, 8);
	put_file(*state, bytes, size - 30);
	assert_int_equal(try_file(*state, take, &reading, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "truncated: a record of"));
	assert_int_equal(reading.samples, SAMPLES);
	assert_int_equal(reading.exits, 0);
	free(bytes);
}

static int stop_at_third(void *context, const struct perf_data_record *record)
{
	size_t *count = context;

	(void)record;
	return ++*count == 3 ? -ECANCELED : 0;
}

static void test_callback_stops(void **state)
{
	struct perf_data_reader *reader;
	struct perf_data_error error;
	size_t count = 0;

	write_recording(*state, true);
	assert_int_equal(perf_data_reader_open(*state, &reader, &error), 0);
	assert_int_equal(perf_data_reader_run(reader, stop_at_third, &count, &error), -ECANCELED);
	assert_int_equal(count, 3);
	perf_data_reader_close(reader);
}

/* ---- damaged ------------------------------------------------------------------------------------- */

/* Cut anywhere: all before the cut is read, and the error says where the file is cut. */
static void test_truncated(void **state)
{
	size_t size, last = 0;
	uint8_t *bytes;

	write_recording(*state, true);
	bytes = read_file(*state, &size);
	for (size_t cut = 0; cut < size; cut++) {
		struct perf_data_error error;
		struct reading reading = {};

		put_file(*state, bytes, cut);
		assert_int_equal(try_file(*state, take, &reading, &error), -EBADMSG);
		assert_non_null(strstr(error.text, "at offset 0x"));
		assert_true(error.offset <= size);
		assert_true(reading.samples >= last);
		last = reading.samples;
	}
	assert_int_equal(last, SAMPLES);
	free(bytes);
}

static int take_any(void *context, const struct perf_data_record *record)
{
	struct record decoded;
	size_t *count = context;

	*count += perf_data_record_decode(record, &decoded) == 0;
	return 0;
}

static void test_mutations(void **state)
{
	uint64_t seed = 271828;
	unsigned refused = 0;
	size_t size, count = 0;
	uint8_t *bytes, *copy;

	write_recording(*state, true);
	bytes = read_file(*state, &size);
	copy = malloc(size);
	assert_non_null(copy);
	for (unsigned i = 0; i < 3000; i++) {
		struct perf_data_error error;
		int err;

		memcpy(copy, bytes, size);
		for (uint32_t changes = 1 + next_random(&seed) % 6; changes; changes--) {
			size_t where = next_random(&seed) % 2 ? size : 1200;

			copy[next_random(&seed) % where] = (uint8_t)next_random(&seed);
		}
		put_file(*state, copy, size);
		err = try_file(*state, take_any, &count, &error);
		assert_true(err == 0 || err == -EBADMSG);
		assert_int_equal(err != 0, error.text[0] != 0);
		refused += err != 0;
	}
	assert_true(refused > 300);
	assert_true(count > 1000);
	free(copy);
	free(bytes);
}

static void expect_error(const char *path, const void *bytes, size_t size, const char *wanted)
{
	struct perf_data_error error;
	size_t count = 0;

	put_file(path, bytes, size);
	assert_int_equal(try_file(path, take_any, &count, &error), -EBADMSG);
	if (!strstr(error.text, wanted))
		fail_msg("\"%s\", not \"%s\"", error.text, wanted);
}

static void test_no_perf_data(void **state)
{
	struct perf_data_error error;
	size_t count = 0;

	expect_error(*state, "", 0, "not a perf.data file");
	expect_error(*state, "PERFILE3aaaaaaaaaa", 18, "not a perf.data file");
	expect_error(*state, "2ELIFREP\0\0\0\0\0\0\0\x68", 16, "other byte order");
	expect_error(*state, "PERFFILE\x68\0\0\0\0\0\0\0", 16, "before 2009");
	expect_error(*state, "PERFILE2\x69\0\0\0\0\0\0\0", 16, "header of 105 bytes");
	expect_error(*state, "PERFILE2\x68\0\0\0\0\0\0\0", 16, "truncated");
	assert_int_equal(try_file("/nonexistent", take_any, &count, &error), -ENOENT);
	assert_string_equal(error.text, strerror(ENOENT));
	assert_int_equal(try_file("/", take_any, &count, &error), -EISDIR);
}

/* ---- AUX areas ------------------------------------------------------------------------------------ */

static int take_aux(void *context, const struct perf_data_record *record)
{
	const struct perf_data_auxtrace_record *aux = (const void *)record->header;
	uint64_t *sizes = context;

	if (record->header->type == PERF_DATA_RECORD_AUXTRACE) {
		assert_int_equal(aux->offset, sizes[0] * 100);
		assert_int_equal(aux->cpu, 3);
		sizes[0]++;
		sizes[1] += aux->size;
	} else if (record->header->type == PERF_RECORD_SAMPLE) {
		sizes[2]++;
	}
	return 0;
}

/* Of every size modulo 8, in one part or two, between other records. */
static void test_aux(void **state)
{
	struct perf_event_attr attr = make_attr(0);
	struct perf_data_info info = make_info();
	struct perf_data_writer *writer;
	struct perf_data_error error;
	uint64_t id = 1, sizes[3] = { 0 }, wanted = 0;
	uint8_t junk[1000];
	FILE *file = fopen(*state, "w");

	memset(junk, 0xff, sizeof(junk));
	assert_non_null(file);
	assert_int_equal(perf_data_writer_new(file, &writer), 0);
	assert_int_equal(perf_data_writer_add_event(writer, &attr, "x", &id, 1), 0);
	for (unsigned i = 0; i < 16; i++) {
		struct perf_data_aux aux = {
			.offset = i * 100,
			.tid = UINT32_MAX,
			.cpu = 3,
			.first = junk,
			.first_size = 900 + i,
			.second = junk,
			.second_size = i % 2 ? 50 : 0,
		};

		assert_int_equal(perf_data_writer_put_aux(writer, &aux), 0);
		put(writer, 0, make_sample(FIRST_TIME + i));
		wanted += (aux.first_size + aux.second_size + 7) / 8 * 8;
	}
	assert_int_equal(perf_data_writer_finish(writer, &info), 0);
	perf_data_writer_free(writer);
	fclose(file);
	assert_int_equal(try_file(*state, take_aux, sizes, &error), 0);
	assert_int_equal(sizes[0], 16);
	assert_int_equal(sizes[1], wanted);
	assert_int_equal(sizes[2], 16);
}

/* ---- errors of writing ---------------------------------------------------------------------------- */

static void test_no_space(void **state)
{
	struct perf_data_info info = make_info();
	struct perf_event_attr attr = make_attr(0);
	struct perf_data_writer *writer;
	struct record sample = make_sample(1);
	FILE *full = fopen("/dev/full", "w");
	uint64_t id = 1;

	(void)state;
	assert_non_null(full);
	assert_int_equal(perf_data_writer_new(full, &writer), 0);
	assert_int_equal(perf_data_writer_add_event(writer, &attr, "x", &id, 1), 0);
	assert_int_equal(perf_data_writer_put(writer, 0, &sample), -ENOSPC);
	assert_int_equal(perf_data_writer_end_round(writer), -ENOSPC);
	assert_int_equal(perf_data_writer_finish(writer, &info), -ENOSPC);
	perf_data_writer_free(writer);
	fclose(full);
}

static void test_not_seekable(void **state)
{
	struct perf_data_writer *writer;
	FILE *pipe = popen("cat >/dev/null", "w");

	(void)state;
	assert_non_null(pipe);
	assert_int_equal(perf_data_writer_new(pipe, &writer), -ESPIPE);
	assert_null(writer);
	pclose(pipe);
}

static void test_wrong_use(void **state)
{
	struct perf_event_attr attr = make_attr(0), other = make_attr(0);
	struct perf_data_info info = make_info();
	struct perf_data_writer *writer;
	struct record sample = make_sample(1);
	FILE *file = fopen(*state, "w");
	const uint64_t ids[] = { 1, 2 };

	assert_non_null(file);
	assert_int_equal(perf_data_writer_new(file, &writer), 0);
	assert_int_equal(perf_data_writer_put(writer, 0, &sample), -EINVAL);
	assert_int_equal(perf_data_writer_finish(writer, &info), -EINVAL);
	assert_int_equal(perf_data_writer_add_event(writer, &attr, "a", ids, 0), -EINVAL);
	assert_int_equal(perf_data_writer_add_event(writer, &attr, "a", ids, 1), 0);
	other.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	assert_int_equal(perf_data_writer_add_event(writer, &other, "b", ids + 1, 1), -EINVAL);
	assert_int_equal(perf_data_writer_put(writer, 1, &sample), -EINVAL);
	assert_int_equal(perf_data_writer_put(writer, 0, &sample), 0);
	assert_int_equal(perf_data_writer_add_event(writer, &attr, "b", ids + 1, 1), -EINVAL);
	perf_data_writer_free(writer);
	fclose(file);
}

/* ---- what perf reads ------------------------------------------------------------------------------ */

static void need_perf(void)
{
	if (system("perf --version >/dev/null 2>&1"))
		skip();
}

/* One space for many, none at either end. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = 0;
}

/* The next line of an output that says something, with its spaces squeezed. Freed by the caller. */
static char *next_line(FILE *output)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, output) > 0) {
		squeeze(line);
		if (*line)
			return line;
	}
	free(line);
	return NULL;
}

static void expect_line(FILE *output, const char *wanted)
{
	char *line = next_line(output);

	assert_non_null(line);
	assert_string_equal(line, wanted);
	free(line);
}

/* Kernel addresses have names of the machine that reads: they are left out. */
static void expect_sample(FILE *output, unsigned i)
{
	static const char *const names[] = { "cpu-clock", "app:handle", "off-cpu" };
	char wanted[128], *line;

	snprintf(wanted, sizeof(wanted), "worker 100/101 [002] 5.%09llu: 777 %s:", i * STEP,
		 names[i % 3]);
	expect_line(output, wanted);
	line = next_line(output);
	assert_non_null(line);
	assert_int_equal(strncmp(line, "ffffffff81000010 ", 17), 0);
	assert_non_null(strstr(line, "([kernel.kallsyms])"));
	free(line);
	expect_line(output, "2234 [unknown] (/opt/none/app)");
	expect_line(output, "2010 [unknown] (/opt/none/app)");
	expect_line(output, "7f0000001000 [unknown] ([unknown])");
}

#define SCRIPT "perf script -i %s --ns -F comm,pid,tid,cpu,time,period,event,ip,sym,dso 2>/dev/null"

static void test_perf_script(void **state)
{
	FILE *output;

	need_perf();
	write_recording(*state, true);
	output = output_of(SCRIPT, (char *)*state);
	for (unsigned i = 0; i < SAMPLES; i++)
		expect_sample(output, i);
	assert_null(next_line(output));
	assert_int_equal(pclose(output), 0);
}

static bool has_line(const char *path, const char *command, const char *wanted)
{
	FILE *output = output_of("%s -i %s 2>&1", command, path);
	bool found = false;
	char *line;

	while ((line = next_line(output))) {
		found |= strstr(line, wanted) != NULL;
		free(line);
	}
	pclose(output);
	return found;
}

static void test_perf_header(void **state)
{
	static const char *const wanted[] = {
		"# hostname : some-host",
		"# os release : 6.1.0-test",
		"# perf version : 1.2.3",
		"# arch : x86_64",
		"# nrcpus online : 6",
		"# nrcpus avail : 8",
		"# total memory : 12345678 kB",
		"# cmdline : tracer --profile -o a file.data",
		"# event : name = cpu-clock",
		"# event : name = app:handle",
		"# event : name = off-cpu",
		"# time of first sample : 5.000000",
		"# time of last sample : 5.039000",
		"# clockid: monotonic (1)",
	};

	need_perf();
	write_recording(*state, true);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (!has_line(*state, "perf report --header-only", wanted[i]))
			fail_msg("no \"%s\"", wanted[i]);
	}
}

static void test_perf_report(void **state)
{
	need_perf();
	write_recording(*state, true);
	assert_true(has_line(*state, "perf report --stdio --no-children -g none",
			     "# Samples: 14 of event 'cpu-clock'"));
	assert_true(has_line(*state, "perf report --stdio --no-children -g none",
			     "# Samples: 13 of event 'off-cpu'"));
	assert_true(has_line(*state, "perf report --stdio --no-children -g none --sort comm",
			     "100.00% worker"));
}

static void test_perf_build_ids(void **state)
{
	FILE *output;

	need_perf();
	write_recording(*state, true);
	output = output_of("perf buildid-list -i %s 2>/dev/null", (char *)*state);
	expect_line(output, "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3 /opt/none/app");
	expect_line(output, "0102030405060708 /opt/none/small.so");
	assert_null(next_line(output));
	assert_int_equal(pclose(output), 0);
}

/* perf reads it, which it does not with its own. */
static void test_perf_unfinished(void **state)
{
	unsigned count = 0;
	FILE *output;
	char *line;

	need_perf();
	write_recording(*state, false);
	output = output_of("perf script -i %s -G -F time,event 2>/dev/null", (char *)*state);
	while ((line = next_line(output))) {
		count++;
		free(line);
	}
	pclose(output);
	assert_int_equal(count, SAMPLES);
}

static void test_perf_aux(void **state)
{
	unsigned count = 0;
	FILE *output;
	char *line;

	need_perf();
	test_aux(state);
	output = output_of("perf script --no-itrace -i %s -G -F time,event 2>/dev/null",
			   (char *)*state);
	while ((line = next_line(output))) {
		count++;
		free(line);
	}
	assert_int_equal(pclose(output), 0);
	assert_int_equal(count, 16);
}

/* ---- records of the kernel ------------------------------------------------------------------------ */

static int open_event(uint64_t config, uint64_t *id, struct perf_event_attr *attr)
{
	int fd;

	*attr = make_attr(config);
	attr->size = sizeof(*attr);
	attr->sample_period = 200000; /* ns */
	attr->exclude_kernel = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ID, id), 0);
	return fd;
}

static void compute(unsigned ms)
{
	clock_t end = clock() + (clock_t)ms * CLOCKS_PER_SEC / 1000;

	while (clock() < end)
		;
}

struct copying {
	struct perf_data_writer *writer;
	struct perf_layout layout;
	char *line[20000]; /* that perf script is to print */
	unsigned count;
};

static int copy_record(void *context, const struct perf_event_header *header)
{
	struct copying *copying = context;
	struct record record;
	char *line;

	assert_int_equal(perf_data_writer_put_raw(copying->writer, header), 0);
	if (header->type != PERF_RECORD_SAMPLE)
		return 0;
	record = decode(&copying->layout, header);
	assert_true(copying->count < 20000);
	assert_true(asprintf(&line, "%u/%u %llu.%09llu: %llu %s: %llx", record.pid, record.tid,
			     (unsigned long long)record.time / 1000000000,
			     (unsigned long long)record.time % 1000000000,
			     (unsigned long long)record.sample.period,
			     record.sample.event_id == 0 ? "?" : "EVENT",
			     (unsigned long long)record.sample.ip) > 0);
	copying->line[copying->count++] = line;
	return 0;
}

static int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Names differ, so that the second event is told from the first; here both become EVENT. */
static void unify_name(char *line, unsigned *firsts, unsigned *seconds)
{
	static const char *const names[] = { "one", "two" };
	unsigned *counts[] = { firsts, seconds };

	for (size_t i = 0; i < 2; i++) {
		char *name = strstr(line, names[i]);

		if (!name)
			continue;
		(*counts[i])++;
		memmove(name + 5, name + 3, strlen(name + 3) + 1);
		memcpy(name, "EVENT", 5);
		return;
	}
}

static void check_copy(const char *path, struct copying *copying)
{
	FILE *output = output_of("perf script -i %s -G --ns -F pid,tid,time,period,event,ip "
				 "2>/dev/null",
				 path);
	unsigned firsts = 0, seconds = 0;
	char *lines[20000], *line;
	unsigned count = 0;

	while ((line = next_line(output))) {
		char longer[256];

		snprintf(longer, sizeof(longer), "%s", line);
		free(line);
		unify_name(longer, &firsts, &seconds);
		assert_true(count < 20000);
		lines[count++] = strdup(longer);
	}
	assert_int_equal(pclose(output), 0);
	assert_int_equal(count, copying->count);
	qsort(lines, count, sizeof(*lines), compare_lines);
	qsort(copying->line, count, sizeof(*lines), compare_lines);
	for (unsigned i = 0; i < count; i++) {
		assert_string_equal(lines[i], copying->line[i]);
		free(lines[i]);
		free(copying->line[i]);
	}
	assert_true(firsts > 10 && seconds > 10);
}

/* Two events of our own thread in one ring: their records are copied as they are. */
static void test_from_ring(void **state)
{
	static struct copying copying;
	struct perf_event_attr attrs[2];
	struct perf_data_info info = make_info();
	struct perf_ring *ring;
	uint64_t ids[2];
	FILE *file;
	int fds[2];

	need_perf();
	fds[0] = open_event(PERF_COUNT_SW_CPU_CLOCK, &ids[0], &attrs[0]);
	if (fds[0] < 0)
		skip();
	fds[1] = open_event(PERF_COUNT_SW_TASK_CLOCK, &ids[1], &attrs[1]);
	assert_true(fds[1] >= 0);
	assert_int_equal(perf_ring_open(fds[0], 1 << 20, &ring), 0);
	assert_int_equal(ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT, fds[0]), 0);
	compute(300);
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fds[1], PERF_EVENT_IOC_DISABLE, 0);
	file = fopen(*state, "w");
	assert_non_null(file);
	copying.count = 0;
	perf_layout_of(&attrs[0], &copying.layout);
	assert_int_equal(perf_data_writer_new(file, &copying.writer), 0);
	assert_int_equal(perf_data_writer_add_event(copying.writer, &attrs[0], "one", &ids[0], 1),
			 0);
	assert_int_equal(perf_data_writer_add_event(copying.writer, &attrs[1], "two", &ids[1], 1),
			 0);
	assert_true(perf_ring_consume(ring, copy_record, &copying) > 0);
	assert_int_equal(perf_data_writer_finish(copying.writer, &info), 0);
	perf_data_writer_free(copying.writer);
	fclose(file);
	perf_ring_close(ring);
	close(fds[0]);
	close(fds[1]);
	check_copy(*state, &copying);
}

static void test_machine(void **state)
{
	struct perf_data_info info = {};

	(void)state;
	assert_int_equal(perf_data_info_of_machine(&info), 0);
	assert_true(*info.host && *info.os_release && *info.arch);
	assert_true(info.cpus_available >= info.cpus_online && info.cpus_online > 0);
	assert_true(info.memory > 1024);
	assert_int_equal(info.clock, CLOCK_MONOTONIC);
	assert_true(info.wall_time / 1000000000 + 5 > (uint64_t)time(NULL));
	perf_data_info_free(&info);
}

static char *folder;

static int set_up(void **state)
{
	char *path;

	folder = folder_new();
	assert_true(asprintf(&path, "%s/perf.data", folder) > 0);
	*state = path;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	folder_remove(folder);
	return 0;
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_side_band),
		cmocka_unit_test(test_long_chain),
		cmocka_unit_test(test_not_encoded),
		cmocka_unit_test(test_chain_marks),
		FILE_TEST(test_read_back),
		FILE_TEST(test_unfinished),
		FILE_TEST(test_unfinished_by_perf),
		FILE_TEST(test_callback_stops),
		FILE_TEST(test_truncated),
		FILE_TEST(test_mutations),
		FILE_TEST(test_no_perf_data),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_not_seekable),
		FILE_TEST(test_wrong_use),
		FILE_TEST(test_perf_script),
		FILE_TEST(test_perf_header),
		FILE_TEST(test_perf_report),
		FILE_TEST(test_perf_build_ids),
		FILE_TEST(test_perf_unfinished),
		FILE_TEST(test_aux),
		FILE_TEST(test_perf_aux),
		FILE_TEST(test_from_ring),
		cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
