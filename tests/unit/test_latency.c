// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Steps of a histogram: they cover everything once; quantiles against values that are known one by one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/latency.h"
#include "output/latency_rows.h"
#include "random.h"

static void test_steps(void **state)
{
	(void)state;
	assert_int_equal(latency_slot_begin(0), 0);
	for (uint32_t i = 0; i < LATENCY_SLOTS; i++) {
		uint64_t begin = latency_slot_begin(i);
		uint64_t last = i + 1 < LATENCY_SLOTS ? latency_slot_begin(i + 1) - 1 : UINT64_MAX;

		assert_int_equal(latency_slot(begin), i);
		assert_int_equal(latency_slot(last), i);
		/* no step is longer than an eighth of where it begins */
		assert_true(last - begin <= begin / LATENCY_STEPS);
	}
}

static void test_highest_bit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		assert_int_equal(latency_highest_bit(1ull << i), i);
		assert_int_equal(latency_highest_bit((1ull << i) | 1), i);
		assert_int_equal(latency_highest_bit(UINT64_MAX >> (63 - i)), i);
	}
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

#define VALUES 10000

/* Within a step of what sorting all of them says. */
static void test_quantiles(void **state)
{
	static const double shares[] = { 0.01, 0.25, 0.5, 0.9, 0.99, 0.999 };
	static uint64_t values[VALUES];
	struct latency_row row = { .count = VALUES };
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < VALUES; i++) {
		/* over many powers of two */
		values[i] = ((uint64_t)next_random(&random) << 31 | next_random(&random)) >>
			    (20 + next_random(&random) % 32);
		row.slots[latency_slot(values[i])]++;
		row.total_ns += values[i];
		if (values[i] > row.max_ns)
			row.max_ns = values[i];
	}
	qsort(values, VALUES, sizeof(values[0]), compare);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		uint64_t exact = values[(size_t)(shares[i] * VALUES) - 1];
		uint64_t found = latency_quantile(&row, shares[i]);
		uint64_t apart = found > exact ? found - exact : exact - found;

		if (apart > exact / 7 + 1)
			fail_msg("%g: %lu, not %lu", shares[i], found, exact);
	}
	assert_int_equal(latency_quantile(&row, 1), row.max_ns);
}

static void test_few(void **state)
{
	struct latency_row none = {}, one = { .count = 1, .max_ns = 1000, .total_ns = 1000 };

	(void)state;
	assert_int_equal(latency_quantile(&none, 0.5), 0);
	one.slots[latency_slot(1000)] = 1;
	/* never more than the longest */
	assert_in_range(latency_quantile(&one, 0.5), 960, 1000);
	assert_int_equal(latency_quantile(&one, 0.99), 1000);
}

static void test_rows(void **state)
{
	const struct source_info a = { .number = 0, .name = "a" }, b = { .number = 1, .name = "b" };
	struct latencies latencies = {};

	(void)state;
	latencies_row(&latencies, &a)->total_ns = 5;
	latencies_row(&latencies, &b)->total_ns = 7;
	latencies_row(&latencies, &a)->total_ns += 1;
	assert_int_equal(latencies.count, 2);
	latencies_sort(&latencies);
	assert_ptr_equal(latencies.rows[0]->source, &b);
	assert_int_equal(latencies.rows[1]->total_ns, 6);
	latencies_free(&latencies);
	assert_int_equal(latencies.count, 0);
	latencies_sort(&latencies);
}

static void test_times(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 12345, "12.3 us" },
		{ 123456, "123 us" },
		{ 1234567, "1.23 ms" },
		{ 9999999999ull, "10.00 s" },
		{ 86400000000000ull, "86400 s" },
	};
	char text[LATENCY_TIME];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(latency_time(text, cases[i].ns), cases[i].text);
	latency_time(text, UINT64_MAX);
}

/* What a person reads, whole. */
static void test_text(void **state)
{
	const struct source_info source = { .name = "app:f\033%latency" };
	struct latency_row row = { .source = &source,
				   .count = 4,
				   .total_ns = 4000,
				   .max_ns = 2000,
				   .unreturned = 2,
				   .running = 1 };
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	row.slots[latency_slot(500)] = 1;
	row.slots[latency_slot(750)] = 2;
	row.slots[latency_slot(2000)] = 1;
	latency_print_text(stream, &row);
	fclose(stream);
	assert_string_equal(
		text,
		"\napp:f\\x1b: 4 calls, mean 1.00 us, p50 736 ns, p99 2.00 us, max 2.00 us\n"
		"      256 ns to 512 ns              1 |********************                    |\n"
		"      512 ns to 1.02 us             2 |****************************************|\n"
		"     1.02 us to 2.05 us             1 |********************                    |\n"
		"  2 more did not return (longjmp, an exception, or the thread's end)\n"
		"  1 more had not returned when the recording ended\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),	  cmocka_unit_test(test_highest_bit),
		cmocka_unit_test(test_quantiles), cmocka_unit_test(test_few),
		cmocka_unit_test(test_rows),	  cmocka_unit_test(test_times),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
