/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tests of perf.data files share: a file for each test, written whole and read whole. */
#ifndef TRACER_PERF_DATA_FILE_H
#define TRACER_PERF_DATA_FILE_H

#include "perf_data/reader.h"
#include "test_folder.h"

static inline void put_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* The result of opening and reading, with the error that came with it. */
static inline int try_file(const char *path, perf_data_record_fn callback, void *context,
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

/* For cmocka: *state is the path of a file to be written, in a folder of its own. */
static inline int set_up_file(void **state)
{
	char *folder = folder_new(), *path;

	assert_true(asprintf(&path, "%s/perf.data", folder) > 0);
	free(folder);
	*state = path;
	return 0;
}

static inline int tear_down_file(void **state)
{
	char *path = *state;

	*strrchr(path, '/') = 0;
	folder_remove(path);
	return 0;
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_file, tear_down_file)

#endif
