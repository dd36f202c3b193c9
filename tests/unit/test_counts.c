/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of one identity become one, whatever came in between; the order is by weight, then by arrival. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "aggregate/counts.h"

static const struct stack stack_a = { .depth = 0 }, stack_b = { .depth = 0 };
static const struct source_info source_a, source_b;

static struct count_row row(const char *comm, uint64_t count, uint64_t ns)
{
	struct count_row row = {
		.user = &stack_a, .source = &source_a, .pid = 7, .count = count, .ns = ns
	};

	/* Bytes after the end must not matter. */
	memset(row.comm, 'z', sizeof(row.comm));
	snprintf(row.comm, sizeof(row.comm), "%s", comm);
	return row;
}

static void add(struct counts *counts, struct count_row row)
{
	assert_int_equal(counts_add(counts, &row), 0);
}

static void test_empty(void **state)
{
	struct counts *counts = counts_new();

	(void)state;
	assert_non_null(counts);
	assert_int_equal(counts_size(counts), 0);
	assert_int_equal(counts_total(counts), 0);
	assert_null(counts_row(counts, 0));
	counts_free(counts);
	counts_free(NULL);
}

static void test_same_rows_are_one(void **state)
{
	struct counts *counts = counts_new();
	struct count_row dirty = row("app", 3, 0);

	(void)state;
	dirty.comm[8] = 'q';
	add(counts, row("app", 2, 10));
	add(counts, row("other", 1, 0));
	add(counts, dirty);
	assert_int_equal(counts_size(counts), 2);
	assert_int_equal(counts_total(counts), 6);
	assert_int_equal(counts_row(counts, 0)->count, 5);
	assert_int_equal(counts_row(counts, 0)->ns, 10);
	assert_string_equal(counts_row(counts, 0)->comm, "app");
	counts_free(counts);
}

static void test_each_field_tells_rows_apart(void **state)
{
	struct counts *counts = counts_new();
	struct count_row rows[9];

	(void)state;
	for (size_t i = 0; i < 9; i++)
		rows[i] = row("app", 1, 0);
	rows[1].user = &stack_b;
	rows[2].kernel = &stack_a;
	rows[3].source = &source_b;
	rows[4].pid = 8;
	rows[5].tid = 8;
	rows[6].cpu = 1;
	rows[7].cgroup = 1;
	rows[8].flags = EVENT_RUNNABLE;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < 9; i++)
			add(counts, rows[i]);
	}
	assert_int_equal(counts_size(counts), 9);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(counts_row(counts, i)->count, 2);
	assert_int_equal(counts_row(counts, 8)->flags, EVENT_RUNNABLE); /* ties: by arrival */
	counts_free(counts);
}

static void expect_order(struct counts *counts, const char *wanted)
{
	char order[64] = "";

	for (size_t i = 0; i < counts_size(counts); i++)
		strcat(order, counts_row(counts, i)->comm);
	assert_string_equal(order, wanted);
}

static void test_order(void **state)
{
	struct counts *counts = counts_new();

	(void)state;
	add(counts, row("a", 1, 0));
	add(counts, row("b", 3, 0));
	add(counts, row("c", 1, 0));
	add(counts, row("d", 2, 0));
	expect_order(counts, "bdac");
	add(counts, row("c", 9, 0)); /* after reading */
	expect_order(counts, "cbda");
	add(counts, row("a", 0, 5)); /* once there is time, it is the weight */
	expect_order(counts, "acbd");
	add(counts, row("d", 0, UINT64_MAX / 2));
	expect_order(counts, "dacb");
	counts_free(counts);
}

static void test_many(void **state)
{
	struct counts *counts = counts_new();
	char comm[TRACER_COMM];

	(void)state;
	for (unsigned i = 0; i < 6000; i++) {
		snprintf(comm, sizeof(comm), "%u", i % 2000);
		add(counts, row(comm, i % 2000, 0));
	}
	assert_int_equal(counts_size(counts), 2000);
	assert_int_equal(counts_total(counts), 3 * 2000 * 1999 / 2);
	for (size_t i = 0; i < 2000; i++)
		assert_int_equal(counts_row(counts, i)->count, 3 * (1999 - i));
	assert_null(counts_row(counts, 2000));
	counts_free(counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_same_rows_are_one),
		cmocka_unit_test(test_each_field_tells_rows_apart),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
