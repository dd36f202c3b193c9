// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Splitting over debug registers: against every way there is, for all short lengths. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "source/watch_split.h"

/* The fewest parts that cover [address, address + size), by trying all. */
static unsigned fewest(uint64_t address, uint64_t size)
{
	unsigned best = UINT32_MAX;

	if (!size)
		return 0;
	for (uint64_t length = 1; length <= 8 && length <= size; length *= 2) {
		unsigned rest;

		if (address % length)
			break;
		rest = fewest(address + length, size - length);
		if (rest != UINT32_MAX && rest + 1 < best)
			best = rest + 1;
	}
	return best;
}

static void check(uint64_t address, uint64_t size)
{
	struct watch_parts parts;
	uint64_t fitting = 0, covered = 0;
	int err = watch_split(address, size, &parts, &fitting);

	for (size_t i = 0; i < parts.count; i++) {
		assert_int_equal(parts.list[i].offset, covered);
		assert_int_equal((address + covered) % parts.list[i].length, 0);
		covered += parts.list[i].length;
	}
	assert_int_equal(fitting, covered);
	if (fewest(address, size) <= WATCH_MAX_PARTS) {
		assert_int_equal(err, 0);
		assert_int_equal(covered, size);
		assert_int_equal(parts.count, fewest(address, size));
	} else {
		assert_int_equal(err, -E2BIG);
		assert_int_equal(parts.count, WATCH_MAX_PARTS);
		assert_true(covered < size);
	}
}

static void test_all_short(void **state)
{
	(void)state;
	for (uint64_t address = 0x1000; address < 0x1010; address++)
		for (uint64_t size = 1; size <= 24; size++)
			check(address, size);
}

static void test_long(void **state)
{
	struct watch_parts parts;
	uint64_t fitting;

	(void)state;
	assert_int_equal(watch_split(0x1000, 32, &parts, &fitting), 0);
	assert_int_equal(parts.count, 4);
	assert_int_equal(parts.list[3].offset, 24);
	assert_int_equal(parts.list[3].length, 8);
	assert_int_equal(watch_split(0x1000, 33, &parts, &fitting), -E2BIG);
	assert_int_equal(fitting, 32);
	assert_int_equal(watch_split(0x1001, 32, &parts, &fitting), -E2BIG);
	assert_int_equal(fitting, 15);
	assert_int_equal(watch_split(0x1000, UINT64_MAX, &parts, &fitting), -E2BIG);
}

static void test_natural(void **state)
{
	static const uint32_t lengths[] = { 8, 1, 2, 1, 4, 1, 2, 1 };

	(void)state;
	for (uint64_t i = 0; i < 8; i++)
		assert_int_equal(watch_natural_length(0x1000 + i), lengths[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_short),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_natural),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
