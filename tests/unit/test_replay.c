// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recordings of the test's making, replayed: in the order of time whatever ring was read first, or of the file
 * where there are no times; tasks that nobody told of; what was lost.
 */
#include "test_folder.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "options.h"
#include "perf_data/writer.h"
#include "replay.h"

#define MS 1000000ull

struct recording {
	char path[PATH_MAX], out[PATH_MAX], err[PATH_MAX];
	FILE *file;
	struct perf_data_writer *writer;
};

static void recording_begin(struct recording *recording, const char *folder)
{
	snprintf(recording->path, PATH_MAX, "%s/perf.data", folder);
	snprintf(recording->out, PATH_MAX, "%s/out", folder);
	snprintf(recording->err, PATH_MAX, "%s/err", folder);
	recording->file = fopen(recording->path, "w");
	assert_non_null(recording->file);
	assert_int_equal(perf_data_writer_new(recording->file, &recording->writer), 0);
}

static void add_event(struct recording *recording, const char *name, uint64_t id, uint64_t type)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | type,
		.sample_id_all = 1,
	};

	assert_int_equal(perf_data_writer_add_event(recording->writer, &attr, name, &id, 1), 0);
}

static void put(struct recording *recording, size_t event, struct record record)
{
	assert_int_equal(perf_data_writer_put(recording->writer, event, &record), 0);
}

static void put_sample(struct recording *recording, size_t event, uint64_t time, uint32_t tid,
		       uint64_t ip)
{
	put(recording, event,
	    (struct record){
		    .kind = RECORD_SAMPLE,
		    .time = time,
		    .pid = tid,
		    .tid = tid,
		    .cpu = 1,
		    .sample = { .misc = PERF_RECORD_MISC_USER, .ip = ip, .period = 3 * MS } });
}

static void put_name(struct recording *recording, uint64_t time, uint32_t tid, const char *name)
{
	put(recording, 0,
	    (struct record){ .kind = RECORD_COMM,
			     .time = time,
			     .pid = tid,
			     .tid = tid,
			     .comm = { .comm = name } });
}

static void end_round(struct recording *recording)
{
	assert_int_equal(perf_data_writer_end_round(recording->writer), 0);
}

static void recording_end(struct recording *recording)
{
	struct perf_data_info info = {};

	assert_int_equal(perf_data_info_of_machine(&info), 0);
	assert_int_equal(perf_data_writer_finish(recording->writer, &info), 0);
	perf_data_info_free(&info);
	perf_data_writer_free(recording->writer);
	assert_int_equal(fclose(recording->file), 0);
}

/* The exit status; what it prints goes to out, what it says to err. */
static int replay(const struct recording *recording, char *option)
{
	char *argv[] = { "tracer",
			 "--replay",
			 (char *)recording->path,
			 "-o",
			 (char *)recording->out,
			 "-v",
			 "--format",
			 "text",
			 option,
			 NULL };
	int status, to = open(recording->err, O_WRONLY | O_CREAT | O_TRUNC, 0600), before = dup(2);
	struct options options;

	assert_true(to >= 0 && before >= 0);
	assert_int_equal(options_parse(option ? 9 : 8, argv, &options), 0);
	fflush(stderr);
	dup2(to, 2);
	status = replay_run(&options);
	fflush(stderr);
	dup2(before, 2);
	close(to);
	close(before);
	options_free(&options);
	return status;
}

/* One line for each event: "MILLISECONDS COMM TID EVENT DETAILS", the time since the first. */
static void check_events(const struct recording *recording, const char *wanted)
{
	FILE *events =
		output_of("sed -nE 's/^ *([0-9]+)\\.([0-9]{3})[0-9]{3}  ([^ ]+) +[0-9]+ +([0-9]+) +1  "
			  "([^ ]+) +(.*)$/\\1\\2 \\3 \\4 \\5 \\6/p' %s",
			  recording->out);
	char text[4096];
	size_t size = fread(text, 1, sizeof(text) - 1, events);

	text[size] = '\0';
	pclose(events);
	assert_string_equal(text, wanted);
}

static void check_said(const struct recording *recording, const char *wanted)
{
	size_t size;
	char *text = (char *)read_file(recording->err, &size);

	if (!memmem(text, size, wanted, strlen(wanted)))
		fail_msg("not said: %s\n%.*s", wanted, (int)size, text);
	free(text);
}

/* A ring that was read later has what is older: only what is before the round before is complete. */
static void test_order(void **state)
{
	struct recording recording;

	recording_begin(&recording, *state);
	add_event(&recording, "one", 7, PERF_SAMPLE_TIME);
	put_name(&recording, 90 * MS, 50, "app");
	put_sample(&recording, 0, 100 * MS, 50, 0x1000);
	put_sample(&recording, 0, 250 * MS, 50, 0x3000);
	put_sample(&recording, 0, 300 * MS, 50, 0x3000);
	end_round(&recording);
	put_sample(&recording, 0, 400 * MS, 50, 0x4000);
	put_sample(&recording, 0, 200 * MS, 50, 0x2000);
	end_round(&recording);
	put_sample(&recording, 0, 350 * MS, 50, 0x3500);
	end_round(&recording);
	recording_end(&recording);
	assert_int_equal(replay(&recording, NULL), 0);
	check_events(&recording, "0000 app 50 one [unknown]\n"
				 "0100 app 50 one [unknown]\n"
				 "0150 app 50 one [unknown]\n"
				 "0200 app 50 one [unknown]\n"
				 "0250 app 50 one [unknown]\n"
				 "0300 app 50 one [unknown]\n");
}

/* The same of names: a later one that was read first does not stay. */
static void test_order_of_names(void **state)
{
	struct recording recording;

	recording_begin(&recording, *state);
	add_event(&recording, "one", 7, PERF_SAMPLE_TIME);
	put_sample(&recording, 0, 50 * MS, 50, 0x1000);
	put_name(&recording, 300 * MS, 50, "after");
	put_sample(&recording, 0, 350 * MS, 50, 0x1000);
	end_round(&recording);
	put_name(&recording, 100 * MS, 50, "before");
	put_sample(&recording, 0, 150 * MS, 50, 0x2000);
	put_sample(&recording, 0, 450 * MS, 50, 0x2000);
	end_round(&recording);
	put_sample(&recording, 0, 550 * MS, 50, 0x3000);
	recording_end(&recording);
	assert_int_equal(replay(&recording, NULL), 0);
	check_events(&recording, "0000 :50 50 one [unknown]\n"
				 "0100 before 50 one [unknown]\n"
				 "0300 after 50 one [unknown]\n"
				 "0400 after 50 one [unknown]\n"
				 "0500 after 50 one [unknown]\n");
}

/* Without times the order of the file is all there is, for names too. */
static void test_no_times(void **state)
{
	struct recording recording;

	recording_begin(&recording, *state);
	add_event(&recording, "one", 7, 0);
	add_event(&recording, "two", 8, 0);
	put_name(&recording, 0, 50, "before");
	put_sample(&recording, 1, 0, 50, 0x3000);
	end_round(&recording);
	put_name(&recording, 0, 50, "after");
	put_sample(&recording, 0, 0, 50, 0x1000);
	put_sample(&recording, 1, 0, 50, 0x2000);
	recording_end(&recording);
	assert_int_equal(replay(&recording, NULL), 0);
	check_events(&recording, "0000 before 50 two [unknown]\n"
				 "0000 after 50 one [unknown]\n"
				 "0000 after 50 two [unknown]\n");
}

/* An event without times beside one that has them: it happened after what stands before it. */
static void test_some_times(void **state)
{
	struct recording recording;

	recording_begin(&recording, *state);
	add_event(&recording, "timed", 7, PERF_SAMPLE_TIME);
	add_event(&recording, "timeless", 8, 0);
	put_sample(&recording, 0, 100 * MS, 50, 0x1000);
	put_sample(&recording, 1, 0, 50, 0x2000);
	put_sample(&recording, 0, 200 * MS, 50, 0x3000);
	recording_end(&recording);
	assert_int_equal(replay(&recording, NULL), 0);
	check_events(&recording, "0000 :50 50 timed [unknown]\n"
				 "0000 :50 50 timeless [unknown]\n"
				 "0100 :50 50 timed [unknown]\n");
}

/* Tasks that no record names, and each CPU's idle task; events by their own names; waits. */
static void test_names(void **state)
{
	struct recording recording;

	recording_begin(&recording, *state);
	add_event(&recording, "one", 7, PERF_SAMPLE_TIME);
	add_event(&recording, "offcpu-time", 8, PERF_SAMPLE_TIME);
	put_sample(&recording, 0, 100 * MS, 0, 0x1000);
	put_sample(&recording, 0, 101 * MS, 77, 0x2000);
	put_sample(&recording, 1, 102 * MS, 77, 0x3000);
	recording_end(&recording);
	assert_int_equal(replay(&recording, NULL), 0);
	check_events(&recording, "0000 swapper 0 one [unknown]\n"
				 "0001 :77 77 one [unknown]\n"
				 "0002 :77 77 off-cpu 3.000 ms blocked in [unknown]\n");
}

static void test_lost(void **state)
{
	struct recording recording;

	recording_begin(&recording, *state);
	add_event(&recording, "one", 7, PERF_SAMPLE_TIME);
	put_sample(&recording, 0, 100 * MS, 50, 0x1000);
	put(&recording, 0,
	    (struct record){ .kind = RECORD_LOST, .time = 101 * MS, .lost = { 12, 7 } });
	put(&recording, 0,
	    (struct record){ .kind = RECORD_LOST_SAMPLES, .time = 102 * MS, .lost = { 30, 7 } });
	put_sample(&recording, 0, 103 * MS, 50, 0x2000);
	put_sample(&recording, 0, 104 * MS, 50, 0x3000);
	recording_end(&recording);
	assert_int_equal(replay(&recording, NULL), 0);
	check_said(&recording, "seen=45 delivered=3 lost=42");
	assert_int_equal(replay(&recording, "--max-events=2"), 0);
	check_events(&recording, "0000 :50 50 one [unknown]\n"
				 "0003 :50 50 one [unknown]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_order_of_names, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_no_times, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_some_times, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_names, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_lost, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
