// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What --stat prints of given rows, to the letter. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/stat_output.h"

/* Of counts that were never shared. */
#define ALL .enabled = 1000, .running = 1000

static char *text_of(const struct stat_report *report, bool begin)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(stat_print_text(stream, report, begin), 0);
	fclose(stream);
	return text;
}

static void check_text(const struct stat_report *report, bool begin, const char *wanted)
{
	char *text = text_of(report, begin);

	assert_string_equal(text, wanted);
	free(text);
}

static void check_json(const struct stat_report *report, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(stat_print_json(stream, report), 0);
	fclose(stream);
	assert_string_equal(text, wanted);
	free(text);
}

static void test_table(void **state)
{
	const struct stat_row rows[] = {
		{ .event = "task-clock",
		  .unit = "msec",
		  .scale = 1e-6,
		  .role = STAT_CPU_TIME,
		  .count = 3e9,
		  .raw = 3000000000,
		  ALL },
		{ .event = "faults", .unit = "", .scale = 1, .count = 1234567, ALL },
		{ .event = "few", .unit = "", .scale = 1, .count = 123, ALL },
		{ .event = "many", .unit = "", .scale = 1, .count = 4.5e6, ALL },
		{ .event = "energy", .unit = "Joules", .scale = 0.25, .count = 10, ALL },
	};
	const struct stat_report report = {
		.title = "tracer --stat", .seconds = 2, .rows = rows, .count = 5
	};

	(void)state;
	check_text(
		&report, true,
		"# tracer --stat\n"
		"#              count  unit   event                           share\n"
		"             3000.00  msec   task-clock                    100.0 %  1.500 CPUs used\n"
		"           1,234,567         faults                        100.0 %  617283.5 /s\n"
		"                 123         few                           100.0 %  61.5 /s\n"
		"           4,500,000         many                          100.0 %  2.250 M/s\n"
		"                2.50  Joules  energy                        100.0 %  1.2 /s\n"
		"# 2.000000 s\n");
}

/* Nothing that was not measured may look like a measurement. */
static void test_not_counted(void **state)
{
	const struct stat_row rows[] = {
		{ .event = "shared",
		  .unit = "",
		  .scale = 1,
		  .count = 400,
		  .raw = 100,
		  .enabled = 1000,
		  .running = 250 },
		{ .event = "refused", .unit = "", .scale = 1, .why = "not \"permitted\"" },
		{ .event = "waited", .unit = "", .scale = 1, .enabled = 1000 },
		{ .event = "slept", .unit = "", .scale = 1 },
	};
	const struct stat_report report = {
		.title = "t", .time = 1.5, .seconds = 1.5, .rows = rows, .count = 4
	};

	(void)state;
	check_text(&report, false,
		   "                 400         shared                         25.0 %  266.7 /s\n"
		   "       <not counted>         refused                                not \"permitted\"\n"
		   "        <no counter>         waited                          0.0 %\n"
		   "       <did not run>         slept                                \n"
		   "# 1.500000 s\n");
	check_json(
		&report,
		"{\"type\":\"count\",\"time\":1.500000000,\"seconds\":1.500000000,\"event\":\"shared\","
		"\"counted\":true,\"count\":400,\"raw\":100,\"enabled_ns\":1000,\"running_ns\":250,"
		"\"scale\":1,\"unit\":\"\"}\n"
		"{\"type\":\"count\",\"time\":1.500000000,\"seconds\":1.500000000,\"event\":\"refused\","
		"\"counted\":false,\"why\":\"not \\\"permitted\\\"\"}\n"
		"{\"type\":\"count\",\"time\":1.500000000,\"seconds\":1.500000000,\"event\":\"waited\","
		"\"counted\":false,\"count\":0,\"raw\":0,\"enabled_ns\":1000,\"running_ns\":0,"
		"\"scale\":1,\"unit\":\"\"}\n"
		"{\"type\":\"count\",\"time\":1.500000000,\"seconds\":1.500000000,\"event\":\"slept\","
		"\"counted\":false,\"count\":0,\"raw\":0,\"enabled_ns\":0,\"running_ns\":0,"
		"\"scale\":1,\"unit\":\"\"}\n");
}

/* One that was counted all the time, of a CPU. */
#define ROW(name, what, cpu, counted)                                                              \
	{                                                                                          \
		.event = name, .unit = "", .scale = 1, .role = what, .who = cpu, .count = counted, \
		ALL                                                                                \
	}

/* A count is told in relation to one of the same row's CPU, thread or cgroup, and only if that was counted. */
static void test_relations(void **state)
{
	const struct stat_row rows[] = {
		ROW("cycles", STAT_CYCLES, "0", 4000),
		{ .event = "clock",
		  .unit = "msec",
		  .scale = 1e-6,
		  .role = STAT_CPU_TIME,
		  .who = "0",
		  .count = 2000,
		  ALL },
		ROW("instructions", STAT_INSTRUCTIONS, "0", 6000),
		ROW("misses", STAT_BRANCH_MISSES, "0", 5),
		ROW("branches", STAT_BRANCHES, "0", 50),
		ROW("cache misses", STAT_CACHE_MISSES, "0", 5),
		ROW("references", STAT_CACHE_REFERENCES, "0", 200),
		ROW("cycles", STAT_CYCLES, "1", 100),
		ROW("instructions", STAT_INSTRUCTIONS, "1", 100),
		ROW("misses", STAT_BRANCH_MISSES, "1", 5),
		ROW("branches", STAT_BRANCHES, "1", 0),
		ROW("instructions", STAT_INSTRUCTIONS, "2", 100),
		{ .event = "cycles",
		  .unit = "",
		  .scale = 1,
		  .role = STAT_CYCLES,
		  .who = "2",
		  .count = 100,
		  .why = "no" },
	};
	const struct stat_report report = { .title = "t",
					    .by = "cpu",
					    .time = 3,
					    .seconds = 1,
					    .is_interval = true,
					    .rows = rows,
					    .count = sizeof(rows) / sizeof(*rows) };

	(void)state;
	check_text(
		&report, true,
		"# t\n"
		"#       time  cpu                            count  unit   event                           share\n"
		"    3.000000  0                              4,000         cycles                        100.0 %  2.00 GHz\n"
		"    3.000000  0                               0.00  msec   clock                         100.0 %  0.000 CPUs used\n"
		"    3.000000  0                              6,000         instructions                  100.0 %  1.50 per cycle\n"
		"    3.000000  0                                  5         misses                        100.0 %  10.00 % of branches\n"
		"    3.000000  0                                 50         branches                      100.0 %  50.0 /s\n"
		"    3.000000  0                                  5         cache misses                  100.0 %  2.50 % of references\n"
		"    3.000000  0                                200         references                    100.0 %  200.0 /s\n"
		"    3.000000  1                                100         cycles                        100.0 %  100.0 /s\n"
		"    3.000000  1                                100         instructions                  100.0 %  1.00 per cycle\n"
		"    3.000000  1                                  5         misses                        100.0 %  5.0 /s\n"
		"    3.000000  1                                  0         branches                      100.0 %  0.0 /s\n"
		"    3.000000  2                                100         instructions                  100.0 %  100.0 /s\n"
		"    3.000000  2                      <not counted>         cycles                                 no\n");
}

/* Names come from files, other programs and the command line. */
static void test_hostile_names(void **state)
{
	const struct stat_row row = { .event = "a\"b\033[2J",
				      .unit = "",
				      .scale = 1,
				      .who = "7 x\"\n",
				      .count = 1,
				      .raw = 1,
				      ALL };
	const struct stat_report report = { .title = "tracer \033]0;x\007",
					    .by = "thread",
					    .seconds = 1,
					    .rows = &row,
					    .count = 1 };
	char *text = text_of(&report, true);

	(void)state;
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
	free(text);
	check_json(
		&report,
		"{\"type\":\"count\",\"time\":0.000000000,\"seconds\":1.000000000,"
		"\"thread\":\"7 x\\\"\\n\",\"event\":\"a\\\"b\\u001b[2J\",\"counted\":true,\"count\":1,"
		"\"raw\":1,\"enabled_ns\":1000,\"running_ns\":1000,\"scale\":1,\"unit\":\"\"}\n");
}

static void test_full_disk(void **state)
{
	const struct stat_row row = { .event = "e", .unit = "", .scale = 1, ALL };
	const struct stat_report report = { .title = "t", .rows = &row, .count = 1 };
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_true(stat_print_text(full, &report, true) < 0);
	clearerr(full);
	assert_true(stat_print_json(full, &report) < 0);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_not_counted),
		cmocka_unit_test(test_relations), cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
