// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Times as they are written on the command line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "base/values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 },
		{ "7", 7000 },
		{ "7ns", 7 },
		{ "1.5us", 1500 },
		{ "0.001", 1 },
		{ "0.0019", 1 }, /* cut, not rounded */
		{ "0.123456789s", 123456789 },
		{ "1.0000000009s", 1000000000 },
		{ "0.00000000001m", 0 },
		{ "9223372036854775807ns", INT64_MAX },
	};
	static const char *const bad[] = {
		"",
		" 1",
		"1 ",
		"1 s",
		"+1",
		"-1",
		"1.",
		".5",
		"1.s",
		"s",
		"1e3",
		"0x10",
		"inf",
		"nan",
		"1h",
		"1S",
		"1.2.3",
		"1,5",
		"9223372036854775808ns",
		"18446744073709551616",
		"9223372037s",
		"9223372036.9s",
		"307445734561825861m",
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(time_parse(good[i].text, 1000, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (time_parse(bad[i], 1000, &ns) != -EINVAL)
			fail_msg("\"%s\" was not refused", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
