// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows of --stat from counters of the test's making: what is shared is scaled by its own share of time, a report
 * of an interval has what came since the last, and a row what belongs to it alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "options.h"
#include "stat_rows.h"

#define EVENTS 8
#define PLACES 4

/* The counters that stat_rows.c asks, in the place of those of the kernel. */
struct counters {
	struct counter_value value[PLACES][EVENTS];
	enum event_refusal refusal[EVENTS];
	int err[EVENTS];
	bool user_only[EVENTS];
};

struct counter_value counters_value(const struct counters *counters, size_t event, size_t place)
{
	assert_true(event < EVENTS && place < PLACES);
	return counters->value[place][event];
}

enum event_refusal counters_refusal(const struct counters *counters, size_t event, int *err)
{
	*err = counters->err[event];
	return counters->refusal[event];
}

bool counters_is_user_only(const struct counters *counters, size_t event)
{
	return counters->user_only[event];
}

struct fixture {
	struct options options;
	struct event_spec specs[EVENTS];
	struct event_list events;
	struct place places[PLACES];
	struct placement placement;
	struct counters counters;
	struct stat_rows rows;
};

static void set_events(struct fixture *f, size_t count)
{
	f->events = (struct event_list){ .specs = f->specs, .count = count };
	for (size_t i = 0; i < count; i++) {
		f->specs[i].attr.type = PERF_TYPE_RAW;
		f->specs[i].name = "event";
		f->specs[i].scale = 1;
	}
}

static void set_places(struct fixture *f, enum placement_mode mode, const struct place *places,
		       size_t count)
{
	memcpy(f->places, places, count * sizeof(*places));
	f->placement = (struct placement){ .mode = mode, .places = f->places, .count = count };
}

static void open_rows(struct fixture *f)
{
	assert_int_equal(stat_rows_open(&f->rows, &f->options, &f->events, &f->placement,
					&f->counters),
			 0);
}

static void check(const struct stat_row *row, double count, uint64_t raw, uint64_t enabled,
		  uint64_t running)
{
	assert_true(row->count > count - 0.01 && row->count < count + 0.01);
	assert_int_equal(row->raw, raw);
	assert_int_equal(row->enabled, enabled);
	assert_int_equal(row->running, running);
}

static void test_shared(void **state)
{
	const struct place cpus[] = { { .pid = -1, .cpu = 0 }, { .pid = -1, .cpu = 1 } };
	struct fixture f = {};

	(void)state;
	set_events(&f, 3);
	set_places(&f, PLACE_CPUS, cpus, 2);
	open_rows(&f);
	assert_int_equal(f.rows.count, 3);
	/* a half and a quarter of the time; never shared; never on at all */
	f.counters.value[0][0] = (struct counter_value){ 100, 1000, 500 };
	f.counters.value[1][0] = (struct counter_value){ 30, 2000, 500 };
	f.counters.value[0][1] = (struct counter_value){ 7, 1000, 1000 };
	f.counters.value[1][1] = (struct counter_value){ 8, 2000, 2000 };
	f.counters.value[0][2] = (struct counter_value){ 0, 1000, 0 };
	stat_rows_make(&f.rows, &f.counters, false);
	check(&f.rows.rows[0], 200 + 120, 130, 3000, 1000);
	check(&f.rows.rows[1], 15, 15, 3000, 3000);
	check(&f.rows.rows[2], 0, 0, 1000, 0);
	/* all over again from the beginning: it is no interval */
	stat_rows_make(&f.rows, &f.counters, false);
	check(&f.rows.rows[0], 200 + 120, 130, 3000, 1000);
	stat_rows_close(&f.rows);
}

static void test_intervals(void **state)
{
	const struct place cpus[] = { { .pid = -1, .cpu = 0 }, { .pid = -1, .cpu = 1 } };
	struct fixture f = {};

	(void)state;
	set_events(&f, 1);
	set_places(&f, PLACE_CPUS, cpus, 2);
	open_rows(&f);
	f.counters.value[0][0] = (struct counter_value){ 100, 1000, 500 };
	f.counters.value[1][0] = (struct counter_value){ 10, 1000, 1000 };
	stat_rows_make(&f.rows, &f.counters, true);
	check(&f.rows.rows[0], 210, 110, 2000, 1500);
	/* 50 in a quarter of the interval, and 5 in all of it */
	f.counters.value[0][0] = (struct counter_value){ 150, 1400, 600 };
	f.counters.value[1][0] = (struct counter_value){ 15, 1400, 1400 };
	stat_rows_make(&f.rows, &f.counters, true);
	check(&f.rows.rows[0], 205, 55, 800, 500);
	stat_rows_make(&f.rows, &f.counters, true);
	check(&f.rows.rows[0], 0, 0, 0, 0);
	stat_rows_close(&f.rows);
}

/* Two threads, on two CPUs each. */
static const struct place tasks[] = { { .pid = 7, .cpu = 0 },
				      { .pid = 7, .cpu = 1 },
				      { .pid = 8, .cpu = 0 },
				      { .pid = 8, .cpu = 1 } };

static void set_tasks(struct fixture *f, uint64_t part)
{
	/* thread 7 has the counter always, 8 a half of its time; each is 3/4 of its time on CPU 1 */
	f->counters.value[0][0] = (struct counter_value){ 10 * part, 1000 * part, 250 * part };
	f->counters.value[1][0] = (struct counter_value){ 30 * part, 1000 * part, 750 * part };
	f->counters.value[2][0] = (struct counter_value){ 1 * part, 2000 * part, 250 * part };
	f->counters.value[3][0] = (struct counter_value){ 3 * part, 2000 * part, 750 * part };
}

static void test_task_elsewhere(void **state)
{
	struct fixture f = { .options = { .by = BY_CPU } };

	(void)state;
	set_events(&f, 1);
	set_places(&f, PLACE_DEFAULT, tasks, 4);
	open_rows(&f);
	set_tasks(&f, 1);
	stat_rows_make(&f.rows, &f.counters, true);
	assert_int_equal(f.rows.count, 2);
	assert_string_equal(f.rows.rows[0].who, "0");
	assert_string_equal(f.rows.rows[1].who, "1");
	check(&f.rows.rows[0], 10 + 2, 11, 250 + 500, 500);
	check(&f.rows.rows[1], 30 + 6, 33, 750 + 1500, 1500);
	/* since then the same again, twice */
	set_tasks(&f, 3);
	stat_rows_make(&f.rows, &f.counters, true);
	check(&f.rows.rows[0], 2 * (10 + 2), 22, 2 * (250 + 500), 1000);
	check(&f.rows.rows[1], 2 * (30 + 6), 66, 2 * (750 + 1500), 3000);
	stat_rows_close(&f.rows);
}

/* -C: what a thread did elsewhere is looked at, but not shown. */
static void test_task_on_cpus(void **state)
{
	struct fixture f = { .options = { .cpus = { (int[]){ 1 }, 1 } } };

	(void)state;
	set_events(&f, 1);
	set_places(&f, PLACE_DEFAULT, tasks, 4);
	open_rows(&f);
	assert_int_equal(f.rows.count, 1);
	assert_null(f.rows.rows[0].who);
	set_tasks(&f, 1);
	stat_rows_make(&f.rows, &f.counters, false);
	check(&f.rows.rows[0], 30 + 6, 33, 750 + 1500, 1500);
	stat_rows_close(&f.rows);
}

static void test_threads(void **state)
{
	struct place places[] = { { .pid = getpid(), .cpu = -1 },
				  { .pid = 0x7ffffff0, .cpu = -1 } };
	struct fixture f = { .options = { .by = BY_TID } };
	char who[64], comm[32] = "";
	FILE *file = fopen("/proc/self/comm", "r");

	(void)state;
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%31[^\n]", comm), 1);
	fclose(file);
	set_events(&f, 2);
	set_places(&f, PLACE_COUNT, places, 2);
	open_rows(&f);
	f.counters.value[0][1] = (struct counter_value){ 5, 10, 10 };
	f.counters.value[1][1] = (struct counter_value){ 6, 10, 10 };
	stat_rows_make(&f.rows, &f.counters, false);
	assert_string_equal(stat_rows_by(&f.options), "thread");
	assert_int_equal(f.rows.count, 4);
	snprintf(who, sizeof(who), "%d %s", getpid(), comm);
	assert_string_equal(f.rows.rows[0].who, who);
	assert_string_equal(f.rows.rows[1].who, who);
	/* it has ended since: only its number is known */
	assert_string_equal(f.rows.rows[2].who, "2147483632 ");
	check(&f.rows.rows[1], 5, 5, 10, 10);
	check(&f.rows.rows[3], 6, 6, 10, 10);
	stat_rows_close(&f.rows);
}

/* Several cgroups are told apart, also when nobody says --by. */
static void test_cgroups(void **state)
{
	const struct place places[] = { { .pid = 4, .cpu = 0, .group = 0 },
					{ .pid = 4, .cpu = 1, .group = 0 },
					{ .pid = 5, .cpu = 0, .group = 1 },
					{ .pid = 5, .cpu = 1, .group = 1 } };
	char *cgroups[] = { "one", "the/other" };
	struct fixture f = { .options = { .cgroups = cgroups, .cgroup_count = 2 } };

	(void)state;
	set_events(&f, 1);
	set_places(&f, PLACE_CGROUP, places, 4);
	open_rows(&f);
	for (size_t i = 0; i < 4; i++)
		f.counters.value[i][0] = (struct counter_value){ 1ull << i, 10, 10 };
	stat_rows_make(&f.rows, &f.counters, false);
	assert_string_equal(stat_rows_by(&f.options), "cgroup");
	assert_int_equal(f.rows.count, 2);
	assert_string_equal(f.rows.rows[0].who, "one");
	assert_string_equal(f.rows.rows[1].who, "the/other");
	check(&f.rows.rows[0], 3, 3, 20, 20);
	check(&f.rows.rows[1], 12, 12, 20, 20);
	stat_rows_close(&f.rows);
	f.options.cgroup_count = 1;
	assert_null(stat_rows_by(&f.options));
	f.options.by = BY_CGROUP;
	assert_string_equal(stat_rows_by(&f.options), "cgroup");
}

static void test_what_events_are(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		enum stat_role role;
	} known[EVENTS] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, STAT_CYCLES },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, STAT_INSTRUCTIONS },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, STAT_CACHE_REFERENCES },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, STAT_CACHE_MISSES },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, STAT_BRANCHES },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, STAT_BRANCH_MISSES },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, STAT_CPU_TIME },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, STAT_PLAIN },
	};
	const struct place any = { .pid = 7, .cpu = -1 };
	struct fixture f = {};

	(void)state;
	set_events(&f, EVENTS);
	for (size_t i = 0; i < EVENTS; i++) {
		f.specs[i].attr.type = known[i].type;
		f.specs[i].attr.config = known[i].config;
	}
	f.specs[0].name = "cycles";
	f.specs[7].scale = 0.25;
	f.specs[7].unit = "Joules";
	f.counters.user_only[0] = true;
	f.counters.refusal[1] = EVENT_WITH_GROUP;
	f.counters.refusal[2] = EVENT_REFUSED;
	f.counters.err[2] = -ENOSPC;
	set_places(&f, PLACE_COUNT, &any, 1);
	open_rows(&f);
	stat_rows_make(&f.rows, &f.counters, false);
	for (size_t i = 0; i < EVENTS; i++)
		assert_int_equal(f.rows.rows[i].role, known[i].role);
	assert_string_equal(f.rows.rows[0].event, "cycles:u");
	assert_null(f.rows.rows[0].why);
	assert_string_equal(f.rows.rows[1].why, "another event of its group cannot be had");
	assert_string_equal(f.rows.rows[2].why, strerror(ENOSPC));
	assert_string_equal(f.rows.rows[3].unit, "");
	assert_true(f.rows.rows[3].scale == 1);
	assert_string_equal(f.rows.rows[6].unit, "msec");
	assert_true(f.rows.rows[6].scale == 1e-6);
	assert_string_equal(f.rows.rows[7].unit, "Joules");
	assert_true(f.rows.rows[7].scale == 0.25);
	stat_rows_close(&f.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_task_elsewhere),	cmocka_unit_test(test_task_on_cpus),
		cmocka_unit_test(test_threads),		cmocka_unit_test(test_cgroups),
		cmocka_unit_test(test_what_events_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
