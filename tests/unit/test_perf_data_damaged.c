// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files cut off anywhere, changed at random, or none of perf.data: all before the damage is read, and said where. */
#include "perf_data_recording.h"

#include <errno.h>

#include "random.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_unfinished_by_perf),
		FILE_TEST(test_truncated),
		FILE_TEST(test_mutations),
		FILE_TEST(test_no_perf_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
