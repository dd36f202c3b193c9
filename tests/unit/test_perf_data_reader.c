// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reader on files put together by hand, mostly of the form made for pipes: what describes events, what is
 * compressed, what is followed by other bytes, which event a record is of, and what is wrong with files.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perf_data_file.h"

struct wire {
	size_t size, begun; /* begun: where the last record begins */
	uint8_t bytes[300000];
};

static void add(struct wire *wire, const void *bytes, size_t size)
{
	assert_true(wire->size + size <= sizeof(wire->bytes));
	memcpy(wire->bytes + wire->size, bytes, size);
	wire->size += size;
}

static void add32(struct wire *wire, uint32_t value)
{
	add(wire, &value, sizeof(value));
}

static void add64(struct wire *wire, uint64_t value)
{
	add(wire, &value, sizeof(value));
}

static void begin(struct wire *wire, uint32_t type)
{
	struct perf_event_header header = { .type = type };

	wire->begun = wire->size;
	add(wire, &header, sizeof(header));
}

static void end(struct wire *wire)
{
	struct perf_event_header header;

	memcpy(&header, wire->bytes + wire->begun, sizeof(header));
	header.size = (uint16_t)(wire->size - wire->begun);
	memcpy(wire->bytes + wire->begun, &header, sizeof(header));
}

static void begin_pipe(struct wire *wire)
{
	wire->size = 0;
	add(wire, PERF_DATA_MAGIC, 8);
	add64(wire, PERF_DATA_PIPE_HEADER);
}

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* With a size of its own, as of another perf, and the ids behind it. */
static void add_attr(struct wire *wire, uint64_t sample_type, uint32_t size, uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = size,
		.sample_period = 1234,
		.sample_type = sample_type,
		.sample_id_all = 1,
	};
	uint8_t room[256] = { 0 };

	memcpy(room, &attr, sizeof(attr));
	begin(wire, PERF_DATA_RECORD_ATTR);
	add(wire, room, size);
	add64(wire, id);
	add64(wire, id + 1);
	end(wire);
}

static void add_name(struct wire *wire, uint64_t id, const char *name)
{
	begin(wire, PERF_DATA_RECORD_EVENT_UPDATE);
	add64(wire, PERF_DATA_UPDATE_NAME);
	add64(wire, id);
	add(wire, name, strlen(name) + 1);
	while (wire->size % 8)
		add(wire, "", 1);
	end(wire);
}

static void add_host(struct wire *wire, const char *host)
{
	begin(wire, PERF_DATA_RECORD_FEATURE);
	add64(wire, PERF_DATA_HOSTNAME);
	add32(wire, (uint32_t)strlen(host) + 1);
	add(wire, host, strlen(host) + 1);
	end(wire);
}

static void add_sample(struct wire *wire, uint64_t id, uint64_t time)
{
	begin(wire, PERF_RECORD_SAMPLE);
	add64(wire, id);
	add32(wire, 7);
	add32(wire, 8);
	add64(wire, time);
	end(wire);
}

/* ---- reading ------------------------------------------------------------------------------------ */

struct seen {
	size_t count, unknown, others;
	uint64_t time[4096];
	size_t event[4096];
	char name[64], host[64];
	struct perf_data_reader *reader;
};

static int take(void *context, const struct perf_data_record *record)
{
	struct seen *seen = context;
	struct record decoded;

	assert_int_equal((uintptr_t)record->header % 8, 0);
	if (record->header->type >= PERF_DATA_FIRST_OWN) {
		assert_null(record->event);
		seen->others++;
		return 0;
	}
	if (!record->event) {
		assert_int_equal(perf_data_record_decode(record, &decoded), -ENOMSG);
		seen->unknown++;
		return 0;
	}
	assert_ptr_equal(record->event,
			 &perf_data_reader_events(seen->reader)->events[record->event_index]);
	assert_int_equal(perf_data_record_decode(record, &decoded), 0);
	assert_int_equal(decoded.sample.period, 1234); /* the event's own */
	assert_true(seen->count < 4096);
	seen->event[seen->count] = record->event_index;
	seen->time[seen->count++] = decoded.time;
	if (record->event->name)
		snprintf(seen->name, sizeof(seen->name), "%s", record->event->name);
	return 0;
}

static int read_wire(const char *path, const struct wire *wire, size_t size, struct seen *seen,
		     struct perf_data_error *error)
{
	const struct perf_data_info *info;
	int err;

	put_file(path, wire->bytes, size);
	memset(seen, 0, sizeof(*seen));
	err = perf_data_reader_open(path, &seen->reader, error);
	if (err)
		return err;
	err = perf_data_reader_run(seen->reader, take, seen, error);
	info = perf_data_reader_info(seen->reader);
	snprintf(seen->host, sizeof(seen->host), "%s", info->host ? info->host : "");
	perf_data_reader_close(seen->reader);
	return err;
}

static struct wire wire;
static struct seen seen;
static struct perf_data_error error;

static void expect_good(const char *path)
{
	if (read_wire(path, &wire, wire.size, &seen, &error))
		fail_msg("%s", error.text);
}

static void expect_bad(const char *path, uint64_t offset, const char *text)
{
	assert_int_equal(read_wire(path, &wire, wire.size, &seen, &error), -EBADMSG);
	if (!strstr(error.text, text))
		fail_msg("\"%s\", not \"%s\"", error.text, text);
	assert_int_equal(error.offset, offset);
}

static void test_piped(void **state)
{
	begin_pipe(&wire);
	add_attr(&wire, SAMPLE_TYPE, PERF_ATTR_SIZE_VER0, 100);
	add_name(&wire, 101, "a name");
	add_host(&wire, "some-host");
	add_attr(&wire, SAMPLE_TYPE | PERF_SAMPLE_CPU, 200, 200); /* newer than we are */
	add_sample(&wire, 101, 5);
	expect_good(*state);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.time[0], 5);
	assert_int_equal(seen.event[0], 0);
	assert_string_equal(seen.name, "a name");
	assert_string_equal(seen.host, "some-host");
}

/* Each id of each event, one that nobody has, and 0: what perf made up. */
static void test_ids(void **state)
{
	begin_pipe(&wire);
	for (uint64_t i = 0; i < 20; i++)
		add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100 + 2 * i);
	for (uint64_t id = 100; id < 140; id++)
		add_sample(&wire, id, id);
	add_sample(&wire, 99, 1);
	add_sample(&wire, 0, 1);
	expect_good(*state);
	assert_int_equal(seen.unknown, 1);
	assert_int_equal(seen.count, 41);
	for (uint64_t i = 0; i < 40; i++)
		assert_int_equal(seen.event[i], i / 2);
	assert_int_equal(seen.event[40], 0);
}

static void test_one_event_needs_no_id(void **state)
{
	begin_pipe(&wire);
	add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100);
	add_sample(&wire, 4711, 5);
	expect_good(*state);
	assert_int_equal(seen.count, 1);
}

/* Without ids, but all alike: of the first. */
static void test_alike_without_ids(void **state)
{
	begin_pipe(&wire);
	for (uint64_t i = 0; i < 2; i++)
		add_attr(&wire, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
			 sizeof(struct perf_event_attr), 100 + 2 * i);
	add_sample(&wire, 4711, 5); /* the first is the ip now */
	expect_good(*state);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.time[0], 5);
}

static void test_not_told_apart(void **state)
{
	size_t second;

	begin_pipe(&wire);
	add_attr(&wire, PERF_SAMPLE_IP | PERF_SAMPLE_ID, sizeof(struct perf_event_attr), 100);
	second = wire.size;
	add_attr(&wire, PERF_SAMPLE_ID | PERF_SAMPLE_TIME | PERF_SAMPLE_TID,
		 sizeof(struct perf_event_attr), 200);
	expect_bad(*state, second, "cannot be told apart");
}

static void test_record_before_event(void **state)
{
	begin_pipe(&wire);
	add_sample(&wire, 1, 1);
	expect_bad(*state, 16, "before any event");
}

/* Bytes that follow a record are no records. */
static void test_payloads(void **state)
{
	uint8_t junk[1000];

	memset(junk, 0xff, sizeof(junk));
	begin_pipe(&wire);
	add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100);
	begin(&wire, PERF_DATA_RECORD_TRACING_DATA);
	add32(&wire, sizeof(junk));
	end(&wire);
	add(&wire, junk, sizeof(junk));
	add_sample(&wire, 100, 1);
	begin(&wire, PERF_DATA_RECORD_AUXTRACE);
	add64(&wire, 200 * sizeof(junk));
	for (unsigned i = 0; i < 4; i++)
		add64(&wire, 0);
	end(&wire);
	for (unsigned i = 0; i < 200; i++)
		add(&wire, junk, sizeof(junk));
	add_sample(&wire, 100, 2);
	expect_good(*state);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.others, 1);
	assert_int_equal(seen.time[1], 2);
	wire.size -= 40;
	expect_bad(*state, wire.size, "bytes were to follow");
	assert_int_equal(seen.count, 1);
}

/* ---- compressed ----------------------------------------------------------------------------------- */

#define PACKED 3000

/* Into records of odd sizes, so that those in them are cut. */
static void add_compressed(struct wire *to, const struct wire *from, uint32_t type)
{
	ZSTD_CStream *stream = ZSTD_createCStream();
	ZSTD_inBuffer in = { .src = from->bytes, .size = from->size };
	size_t left = 1;

	assert_non_null(stream);
	while (left || in.pos < in.size) {
		uint8_t room[777];
		ZSTD_outBuffer out = { .dst = room, .size = sizeof(room) };

		left = ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush);
		assert_false(ZSTD_isError(left));
		begin(to, type);
		if (type == PERF_DATA_RECORD_COMPRESSED2)
			add64(to, out.pos);
		add(to, room, out.pos);
		while (type == PERF_DATA_RECORD_COMPRESSED2 && to->size % 8)
			add(to, "", 1);
		end(to);
	}
	ZSTD_freeCStream(stream);
}

/* Between two records of the file. */
static bool is_boundary(size_t where)
{
	size_t at = PERF_DATA_PIPE_HEADER;

	while (at < where) {
		struct perf_event_header header;

		memcpy(&header, wire.bytes + at, sizeof(header));
		at += header.size;
	}
	return at == where;
}

static void check_compressed(const char *path, uint32_t type)
{
	static struct wire inner;
	size_t records, whole;

	inner.size = 0;
	for (uint64_t i = 0; i < PACKED; i++)
		add_sample(&inner, 100, i * i * 0x9e3779b97f4a7c15);
	begin_pipe(&wire);
	add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100);
	records = wire.size;
	add_compressed(&wire, &inner, type);
	assert_true(wire.size - records < inner.size);
	add_sample(&wire, 100, 1);
	expect_good(path);
	assert_int_equal(seen.count, PACKED + 1);
	for (uint64_t i = 0; i < PACKED; i++)
		assert_int_equal(seen.time[i], i * i * 0x9e3779b97f4a7c15);
	whole = wire.size;
	for (size_t cut = records + 1; cut < whole; cut += 97) {
		int err = read_wire(path, &wire, cut, &seen, &error);

		assert_true(err == -EBADMSG || (err == 0 && is_boundary(cut)));
		assert_true(seen.count <= PACKED);
		assert_true(error.offset <= cut);
	}
	memset(wire.bytes + records + (type == PERF_DATA_RECORD_COMPRESSED2 ? 16 : 8), 0x5a, 4);
	expect_bad(path, records, "compressed bytes are damaged");
}

static void test_compressed(void **state)
{
	check_compressed(*state, PERF_DATA_RECORD_COMPRESSED);
}

static void test_compressed2(void **state)
{
	check_compressed(*state, PERF_DATA_RECORD_COMPRESSED2);
}

/* What cannot stand in a compressed record: another one, or one whose bytes follow. */
static void test_compressed_within(void **state)
{
	static const uint32_t types[] = { PERF_DATA_RECORD_COMPRESSED, PERF_DATA_RECORD_AUXTRACE };
	static struct wire inner;

	for (size_t i = 0; i < 2; i++) {
		size_t at;

		inner.size = 0;
		begin(&inner, types[i]);
		add64(&inner, 1);
		end(&inner);
		begin_pipe(&wire);
		add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100);
		at = wire.size;
		add_compressed(&wire, &inner, PERF_DATA_RECORD_COMPRESSED);
		expect_bad(*state, at, "compressed: a record of type");
	}
}

/* A stream that never ends in zeros: 16 MiB of them in a record. */
static void test_compressed_zeros(void **state)
{
	static uint8_t packed[60000];
	uint8_t *zeros = calloc(1, 16 << 20);
	size_t size, at;

	assert_non_null(zeros);
	size = ZSTD_compress(packed, sizeof(packed), zeros, 16 << 20, 19);
	assert_false(ZSTD_isError(size));
	free(zeros);
	begin_pipe(&wire);
	add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100);
	at = wire.size;
	begin(&wire, PERF_DATA_RECORD_COMPRESSED);
	add(&wire, packed, size);
	end(&wire);
	expect_bad(*state, at, "a record of type 0 and 0 bytes");
}

/* ---- damaged -------------------------------------------------------------------------------------- */

/* Cut anywhere: no sample is lost that was whole, and the end of a record is the end of a file. */
static void test_truncated(void **state)
{
	size_t first, last = 0;

	begin_pipe(&wire);
	add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100);
	add_name(&wire, 100, "a name");
	add_host(&wire, "some-host");
	first = wire.size;
	for (uint64_t i = 0; i < 20; i++)
		add_sample(&wire, 100, i);
	for (size_t cut = 0; cut < wire.size; cut++) {
		int err = read_wire(*state, &wire, cut, &seen, &error);

		if (cut >= first) {
			size_t left = (cut - first) % 32;

			assert_int_equal(seen.count, (cut - first) / 32);
			assert_int_equal(err, left ? -EBADMSG : 0);
			if (left)
				assert_int_equal(error.offset, cut - left);
		}
		assert_true(err == 0 || strstr(error.text, "at offset 0x"));
		assert_true(error.offset <= cut);
		last = seen.count;
	}
	assert_int_equal(last, 19);
}

static void test_impossible_sizes(void **state)
{
	for (uint16_t size = 0; size < 8; size++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
		size_t at;

		begin_pipe(&wire);
		add_attr(&wire, SAMPLE_TYPE, sizeof(struct perf_event_attr), 100);
		at = wire.size;
		add(&wire, &header, sizeof(header));
		expect_bad(*state, at, "a record of");
	}
}

static void test_bad_descriptions(void **state)
{
	begin_pipe(&wire);
	begin(&wire, PERF_DATA_RECORD_ATTR);
	add64(&wire, 0);
	end(&wire);
	expect_bad(*state, 16, "an attr of 8 bytes");
	begin_pipe(&wire);
	add_attr(&wire, SAMPLE_TYPE, 132, 100); /* no whole number of ids behind it */
	wire.bytes[wire.begun + 12] = 130;
	expect_bad(*state, 16, "an attr of 130 bytes");
	begin_pipe(&wire);
	begin(&wire, PERF_DATA_RECORD_EVENT_UPDATE);
	add64(&wire, PERF_DATA_UPDATE_NAME);
	add64(&wire, 1);
	add64(&wire, UINT64_MAX);
	end(&wire);
	expect_bad(*state, 16, "name has no end");
	begin_pipe(&wire);
	begin(&wire, PERF_DATA_RECORD_FEATURE);
	add64(&wire, PERF_DATA_HOSTNAME);
	add32(&wire, UINT32_MAX);
	end(&wire);
	expect_bad(*state, 16, "feature 3 is malformed");
	begin_pipe(&wire);
	begin(&wire, PERF_DATA_RECORD_BUILD_ID);
	add64(&wire, 1);
	end(&wire);
	expect_bad(*state, 16, "build id record is malformed");
}

/* A regular file through a pipe, where it cannot be read: it says so. */
static void test_regular_through_pipe(void **state)
{
	struct perf_data_reader *reader;
	char path[64];
	FILE *pipe;

	wire.size = 0;
	add(&wire, PERF_DATA_MAGIC, 8);
	add64(&wire, sizeof(struct perf_data_header));
	for (unsigned i = 0; i < 11; i++)
		add64(&wire, 0);
	expect_bad(*state, offsetof(struct perf_data_header, attr_size), "attrs of 0 bytes");
	pipe = output_of("cat %s", (char *)*state);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(pipe));
	assert_int_equal(perf_data_reader_open(path, &reader, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "only from a file"));
	pclose(pipe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_piped),
		FILE_TEST(test_ids),
		FILE_TEST(test_one_event_needs_no_id),
		FILE_TEST(test_alike_without_ids),
		FILE_TEST(test_not_told_apart),
		FILE_TEST(test_record_before_event),
		FILE_TEST(test_payloads),
		FILE_TEST(test_compressed),
		FILE_TEST(test_compressed2),
		FILE_TEST(test_compressed_within),
		FILE_TEST(test_compressed_zeros),
		FILE_TEST(test_truncated),
		FILE_TEST(test_impossible_sizes),
		FILE_TEST(test_bad_descriptions),
		FILE_TEST(test_regular_through_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
