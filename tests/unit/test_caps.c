// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Capabilities. Whatever the test runs with, its truth is CapEff of /proc/self/status, read here
 * without libcap. What changes capabilities runs in a child.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/caps.h"

/* A set of the calling process by its name in /proc: "CapEff". */
static uint64_t status_caps(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t caps = 0;
	char line[256];

	if (!file)
		_exit(99);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) == 0)
			sscanf(line + strlen(name), ":%" SCNx64, &caps);
	}
	fclose(file);
	return caps;
}

static bool in_set(uint64_t caps, cap_value_t cap)
{
	return caps >> cap & 1;
}

/* Runs check in a child; it returns 0 or the number of the CHECK that failed. */
static void run_in_child(int (*check)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Assertions of cmocka do not reach out of a child: a number does, as its exit status. */
#define CHECK(number, condition)       \
	do {                           \
		if (!(condition))      \
			return number; \
	} while (0)

static void test_have(void **state)
{
	uint64_t effective = status_caps("CapEff");

	(void)state;
	for (cap_value_t cap = 0; cap <= CAP_CHECKPOINT_RESTORE; cap++) {
		cap_value_t asked = CAP_IS_SUPPORTED(cap) ? cap : CAP_SYS_ADMIN;

		assert_int_equal(caps_have(cap), in_set(effective, asked));
	}
}

/* No kernel knows number 63: CAP_SYS_ADMIN stands for it. */
static void test_unknown_cap(void **state)
{
	(void)state;
	assert_int_equal(caps_have(63), in_set(status_caps("CapEff"), CAP_SYS_ADMIN));
}

static int check_drop_all(void)
{
	static const cap_value_t wanted[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN,
					      CAP_CHECKPOINT_RESTORE, CAP_SYS_PTRACE };
	char missing[128];

	CHECK(1, caps_drop_to(NULL, 0) == 0);
	CHECK(2, status_caps("CapEff") == 0);
	CHECK(3, status_caps("CapPrm") == 0);
	CHECK(4, status_caps("CapInh") == 0);
	CHECK(5, !caps_have(CAP_SYS_ADMIN));
	CHECK(6, caps_missing(wanted, 5, missing, sizeof(missing)) == 5);
	CHECK(7, strcmp(missing, "cap_bpf, cap_perfmon, cap_sys_admin, cap_checkpoint_restore, "
				 "cap_sys_ptrace") == 0);
	CHECK(8, caps_missing(wanted, 0, missing, sizeof(missing)) == 0 && missing[0] == '\0');
	return 0;
}

static void test_drop_all(void **state)
{
	(void)state;
	run_in_child(check_drop_all);
}

/* Names that do not fit are left out whole; all are counted. */
static int check_cut(void)
{
	static const cap_value_t wanted[] = { CAP_BPF, CAP_PERFMON, CAP_CHOWN };
	char missing[32];

	CHECK(1, caps_drop_to(NULL, 0) == 0);
	memset(missing, '#', sizeof(missing));
	CHECK(2, caps_missing(wanted, 2, missing, sizeof("cap_bpf, cap_perfmon")) == 2);
	CHECK(3, strcmp(missing, "cap_bpf, cap_perfmon") == 0);
	CHECK(4, caps_missing(wanted, 2, missing, sizeof("cap_bpf, cap_perfmon") - 1) == 2);
	CHECK(5, strcmp(missing, "cap_bpf") == 0);
	CHECK(6, caps_missing(wanted, 3, missing, sizeof("cap_bpf") - 1) == 3);
	CHECK(7, strcmp(missing, "") == 0);
	CHECK(8, caps_missing(wanted, 3, NULL, 0) == 3);
	return 0;
}

static void test_cut(void **state)
{
	(void)state;
	run_in_child(check_cut);
}

/* Keeps what it has of the wanted, gains nothing, loses the rest. */
static int check_keep(void)
{
	static const cap_value_t keep[] = { CAP_CHOWN, CAP_NET_RAW };
	uint64_t mask = 1ull << CAP_CHOWN | 1ull << CAP_NET_RAW;
	uint64_t effective = status_caps("CapEff");
	uint64_t permitted = status_caps("CapPrm");
	uint64_t inheritable = status_caps("CapInh");

	CHECK(1, caps_drop_to(keep, 2) == 0);
	CHECK(2, status_caps("CapEff") == (effective & mask));
	CHECK(3, status_caps("CapPrm") == (permitted & mask));
	CHECK(4, status_caps("CapInh") == (inheritable & mask));
	CHECK(5, caps_have(CAP_CHOWN) == in_set(effective, CAP_CHOWN));
	CHECK(6, !caps_have(CAP_SYS_ADMIN));
	/* Twice, with more wanted: nothing comes back. */
	CHECK(7, caps_drop_to(keep, 1) == 0);
	CHECK(8, caps_drop_to(keep, 2) == 0);
	CHECK(9, status_caps("CapPrm") == (permitted & 1ull << CAP_CHOWN));
	return 0;
}

static void test_keep(void **state)
{
	(void)state;
	run_in_child(check_keep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_have),	 cmocka_unit_test(test_unknown_cap),
		cmocka_unit_test(test_drop_all), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_keep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
