// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines of /proc/PID/maps, well-formed, odd and malformed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/proc_maps.h"

static void test_lines(void **state)
{
	char text[] =
		"55d0c0a00000-55d0c0a01000 r-xp 00002000 fd:01 1234567                    /usr/bin/a b (deleted)\n"
		"7f0000000000-7f0000001000 rw-s 00000000 00:00 0 \n"
		"7ffc00000000-7ffc00001000 r--p 00000000 00:00 0                          [vvar]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n"
		"1000-2000 ---p 00000000 103:1f 18446744073709551615 /new\\012line\\011";
	struct proc_mapping mapping;
	char *at = text;

	(void)state;
	assert_true(proc_maps_next(&at, &mapping));
	assert_int_equal(mapping.start, 0x55d0c0a00000);
	assert_int_equal(mapping.end, 0x55d0c0a01000);
	assert_int_equal(mapping.protection, PROT_READ | PROT_EXEC);
	assert_int_equal(mapping.file_offset, 0x2000);
	assert_int_equal(mapping.major, 0xfd);
	assert_int_equal(mapping.minor, 1);
	assert_int_equal(mapping.inode, 1234567);
	assert_string_equal(mapping.path, "/usr/bin/a b (deleted)");
	assert_true(proc_maps_next(&at, &mapping));
	assert_int_equal(mapping.protection, PROT_READ | PROT_WRITE);
	assert_string_equal(mapping.path, "");
	assert_true(proc_maps_next(&at, &mapping));
	assert_string_equal(mapping.path, "[vvar]");
	assert_true(proc_maps_next(&at, &mapping));
	assert_int_equal(mapping.start, 0xffffffffff600000);
	assert_int_equal(mapping.protection, PROT_EXEC);
	assert_true(proc_maps_next(&at, &mapping));
	assert_int_equal(mapping.major, 0x103);
	assert_int_equal(mapping.inode, UINT64_MAX);
	/* Only a newline is written in octal. */
	assert_string_equal(mapping.path, "/new\nline\\011");
	assert_false(proc_maps_next(&at, &mapping));
}

static void test_malformed_lines_are_left_out(void **state)
{
	char text[] =
		"\n"
		"garbage\n"
		"1000\n1000-\n1000-2000\n1000-2000 r-x\n1000-2000 r-xp\n"
		"1000-2000 r-xp 0\n1000-2000 r-xp 0 1\n1000-2000 r-xp 0 1:2\n1000-2000 r-xp 0 1:2 x\n"
		"2000-1000 r-xp 00000000 00:00 0\n"
		"-1000-2000 r-xp 00000000 00:00 0\n"
		"11112222333344445-2000 r-xp 00000000 00:00 0\n"
		"1000-2000 r-xp 00000000 100000000:00 0\n"
		"3000-4000 r-xp 00000000 00:00 0 /good\n"
		"5000-";
	struct proc_mapping mapping;
	char *at = text;

	(void)state;
	assert_true(proc_maps_next(&at, &mapping));
	assert_string_equal(mapping.path, "/good");
	assert_false(proc_maps_next(&at, &mapping));
	assert_false(proc_maps_next(&at, &mapping));
}

static void test_own_maps(void **state)
{
	struct proc_mapping mapping;
	char *text, *at;
	bool found = false;

	(void)state;
	assert_int_equal(proc_maps_read(getpid(), &text), 0);
	for (at = text; proc_maps_next(&at, &mapping);) {
		if ((uintptr_t)test_own_maps >= mapping.start &&
		    (uintptr_t)test_own_maps < mapping.end) {
			assert_true(mapping.protection & PROT_EXEC);
			found = true;
		}
	}
	assert_true(found);
	free(text);
	assert_int_equal(proc_maps_read(INT32_MAX, &text), -ESRCH);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_malformed_lines_are_left_out),
		cmocka_unit_test(test_own_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
