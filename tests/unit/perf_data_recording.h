/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording of three events whose samples alternate, as our writer leaves it, and how it reads. One with an
 * AUX area, too.
 */
#ifndef TRACER_PERF_DATA_RECORDING_H
#define TRACER_PERF_DATA_RECORDING_H

#include <time.h>

#include "perf_data/encode.h"
#include "perf_data/reader.h"
#include "perf_data/writer.h"
#include "perf_data_file.h"
#include "record_examples.h"

#define SAMPLES	   40
#define FIRST_TIME 5000000000ull
#define STEP	   1000000ull

static const char *const event_names[] = { "cpu-clock", "app:handle", "off-cpu" };

static inline struct perf_event_attr make_attr(uint64_t config)
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

static inline void put(struct perf_data_writer *writer, size_t event, struct record record)
{
	assert_int_equal(perf_data_writer_put(writer, event, &record), 0);
}

static inline void add_events(struct perf_data_writer *writer)
{
	struct perf_event_attr clock = make_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr probe = make_attr(PERF_COUNT_SW_BPF_OUTPUT);
	const uint64_t clock_ids[] = { 11, 12 }, probe_ids[] = { 21 }, wait_ids[] = { 31 };

	assert_int_equal(perf_data_writer_add_event(writer, &clock, event_names[0], clock_ids, 2),
			 0);
	assert_int_equal(perf_data_writer_add_event(writer, &probe, event_names[1], probe_ids, 1),
			 0);
	assert_int_equal(perf_data_writer_add_event(writer, &probe, event_names[2], wait_ids, 1),
			 0);
}

static inline void put_kernel(struct perf_data_writer *writer)
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
static inline void put_samples(struct perf_data_writer *writer)
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

static inline struct perf_data_info make_info(void)
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

static inline void add_build_ids(struct perf_data_writer *writer)
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
static inline void write_recording(const char *path, bool is_finished)
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

#define AUX_PIECES 16

/*
 * Pieces of an AUX area of every size modulo 8, in one part or two, a sample behind each. Returns their bytes
 * with the padding.
 */
static inline uint64_t write_aux(const char *path)
{
	struct perf_event_attr attr = make_attr(0);
	struct perf_data_info info = make_info();
	struct perf_data_writer *writer;
	uint64_t id = 1, bytes = 0;
	uint8_t junk[1000];
	FILE *file = fopen(path, "w");

	memset(junk, 0xff, sizeof(junk));
	assert_non_null(file);
	assert_int_equal(perf_data_writer_new(file, &writer), 0);
	assert_int_equal(perf_data_writer_add_event(writer, &attr, "x", &id, 1), 0);
	for (unsigned i = 0; i < AUX_PIECES; i++) {
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
		bytes += (aux.first_size + aux.second_size + 7) / 8 * 8;
	}
	assert_int_equal(perf_data_writer_finish(writer, &info), 0);
	perf_data_writer_free(writer);
	assert_int_equal(fclose(file), 0);
	return bytes;
}

struct reading {
	size_t samples, maps, comms, forks, exits, rounds;
};

static inline void take_sample(struct reading *reading, const struct perf_data_record *record,
			       const struct record *decoded)
{
	size_t wanted = reading->samples % 3;

	assert_int_equal(record->event_index, wanted);
	if (record->event->name) /* not where the sections behind the data are lost */
		assert_string_equal(record->event->name, event_names[wanted]);
	assert_int_equal(decoded->time, FIRST_TIME + reading->samples * STEP);
	assert_int_equal(decoded->sample.chain_count, CHAIN);
	assert_memory_equal(decoded->sample.chain, chain, sizeof(chain));
	reading->samples++;
}

static inline int take(void *context, const struct perf_data_record *record)
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

static inline void check_reading(const struct reading *reading)
{
	assert_int_equal(reading->samples, SAMPLES);
	assert_int_equal(reading->maps, 2);
	assert_int_equal(reading->comms, 2);
	assert_int_equal(reading->forks, 1);
	assert_int_equal(reading->exits, 1);
}

#endif
