// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CPU lists: what is read, what is refused, and what this machine's own look like. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cpulist.h"

/* "0,1,2": all CPUs of a list, one by one. */
static void print_list(const struct cpulist *list, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < list->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%d", i ? "," : "",
					 list->cpus[i]);
}

static void test_reads(void **state)
{
	static const struct {
		const char *text, *cpus;
	} cases[] = {
		{ "0", "0" },	{ "8191", "8191" },	    { "0-3,8", "0,1,2,3,8" },
		{ "2-2", "2" }, { "8,0-3", "0,1,2,3,8" },   { "1-3,2-4,3", "1,2,3,4" },
		{ "007", "7" }, { "62-65", "62,63,64,65" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist list;
		char text[256];

		assert_int_equal(cpulist_parse(cases[i].text, &list), 0);
		print_list(&list, text, sizeof(text));
		assert_string_equal(text, cases[i].cpus);
		cpulist_free(&list);
		assert_int_equal(list.count, 0);
		assert_null(list.cpus);
	}
}

static void test_refuses(void **state)
{
	static const char *const cases[] = {
		"",	  "a",	 "-1",		 "1-",	       "3-1",
		"1,",	  ",1",	 "1,,2",	 " 1",	       "1 ",
		"1\n",	  "+1",	 "0x1",		 "1-2-3",      "8192",
		"0-8192", "1;2", "0-4294967295", "4294967296", "18446744073709551616",
		"0-3:2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist list = { .count = 1 };

		if (cpulist_parse(cases[i], &list) != -EINVAL)
			fail_msg("\"%s\" was not refused", cases[i]);
		assert_int_equal(list.count, 0);
		assert_null(list.cpus);
	}
}

static void test_contains(void **state)
{
	struct cpulist list, empty = {};

	(void)state;
	assert_int_equal(cpulist_parse("1-2,64", &list), 0);
	assert_false(cpulist_contains(&list, 0));
	assert_true(cpulist_contains(&list, 1));
	assert_true(cpulist_contains(&list, 64));
	assert_false(cpulist_contains(&list, 65));
	assert_false(cpulist_contains(&list, -1));
	assert_false(cpulist_contains(&empty, 0));
	cpulist_free(&list);
	cpulist_free(&empty);
}

static void test_this_machine(void **state)
{
	struct cpulist online;
	int possible = cpulist_possible_count();

	(void)state;
	assert_int_equal(cpulist_online(&online), 0);
	assert_true(online.count > 0);
	assert_true(cpulist_contains(&online, sched_getcpu()));
	assert_true(possible > online.cpus[online.count - 1]);
	for (size_t i = 0; i < online.count; i++) {
		char folder[64];

		snprintf(folder, sizeof(folder), "/sys/devices/system/cpu/cpu%d", online.cpus[i]);
		assert_int_equal(access(folder, F_OK), 0);
		assert_true(i == 0 || online.cpus[i] > online.cpus[i - 1]);
	}
	cpulist_free(&online);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_contains),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
