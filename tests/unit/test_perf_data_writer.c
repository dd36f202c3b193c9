// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files written and read by our reader: what was put in comes out. And what the writer refuses. */
#include "perf_data_recording.h"

#include <errno.h>

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

static void test_aux(void **state)
{
	struct perf_data_error error;
	uint64_t sizes[3] = { 0 }, bytes = write_aux(*state);

	assert_int_equal(try_file(*state, take_aux, sizes, &error), 0);
	assert_int_equal(sizes[0], AUX_PIECES);
	assert_int_equal(sizes[1], bytes);
	assert_int_equal(sizes[2], AUX_PIECES);
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

/* ---- the machine ---------------------------------------------------------------------------------- */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_read_back),	 FILE_TEST(test_unfinished),
		FILE_TEST(test_callback_stops),	 FILE_TEST(test_aux),
		cmocka_unit_test(test_no_space), cmocka_unit_test(test_not_seekable),
		FILE_TEST(test_wrong_use),	 cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
