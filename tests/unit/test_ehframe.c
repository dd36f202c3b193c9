// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our rules against libdw's reading (ehframe_comparison.h), for the libraries that there are.
 *
 * TRACER_TEST_ALL_LIBRARIES=1 compares every library of the machine; TRACER_TEST_ELF=PATH,
 * colons between, other files, such as those of another architecture.
 */
#include "ehframe_comparison.h"

#include <ftw.h>

static bool library(const char *name, char *path, size_t size)
{
	FILE *output = output_of("gcc -print-file-name=%s | xargs realpath -e 2>/dev/null", name);
	bool found = fgets(path, (int)size, output) && *path == '/';

	pclose(output);
	path[strcspn(path, "\n")] = '\0';
	return found;
}

static void test_libraries(void **state)
{
	static const char *const names[] = { "libc.so.6",      "ld-linux-x86-64.so.2",
					     "libm.so.6",      "libstdc++.so.6",
					     "libcrypto.so.3", "libgcc_s.so.1",
					     "/proc/self/exe" };
	char path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct tally tally = {};

		if ((*names[i] == '/' ? !strcpy(path, names[i]) :
					!library(names[i], path, sizeof(path))) ||
		    compare_file(path, &tally)) {
			print_message("[ SKIPPED ] no %s here\n", names[i]);
			continue;
		}
		print_tally(names[i], &tally);
		assert_int_equal(tally.disagreements, 0);
		assert_int_equal(tally.bad, 0);
		assert_true(tally.checks > 100);
		/* In all of libc or libcrypto some dozen places. */
		assert_true(count_unsaid(&tally) - tally.unsaid[REASON_RBX] <= 40);
	}
}

/* ---- everything, on demand ---- */

static struct tally everything;

static int compare_found(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	struct tally tally = {};

	(void)ftw;
	if (type != FTW_F || status->st_size <= 64 || compare_file(path, &tally))
		return 0;
	if (tally.disagreements || tally.bad || count_unsaid(&tally) != tally.unsaid[REASON_RBX])
		print_tally(path, &tally);
	everything.files++;
	everything.checks += tally.checks;
	everything.gaps += tally.gaps;
	everything.disagreements += tally.disagreements;
	everything.bad += tally.bad;
	for (int i = 0; i < REASON_MAX; i++)
		everything.unsaid[i] += tally.unsaid[i];
	for (int i = 0; i < UNWIND_CFA_MAX; i++)
		everything.kinds[i] += tally.kinds[i];
	return 0;
}

static void test_all_libraries(void **state)
{
	static const char *const folders[] = { "/usr/lib", "/usr/bin", "/usr/sbin" };
	const char *wanted = getenv("TRACER_TEST_ALL_LIBRARIES"), *more = getenv("TRACER_TEST_ELF");
	char *copy, *rest, *path;

	(void)state;
	if (!wanted && !more) {
		print_message("[ SKIPPED ] TRACER_TEST_ALL_LIBRARIES=1 compares every library\n");
		skip();
	}
	for (size_t i = 0; wanted && i < sizeof(folders) / sizeof(*folders); i++)
		nftw(folders[i], compare_found, 16, FTW_PHYS | FTW_MOUNT);
	copy = rest = strdup(more ? more : "");
	assert_non_null(copy);
	while ((path = strsep(&rest, ":")))
		nftw(path, compare_found, 16, FTW_PHYS);
	free(copy);
	print_tally("everything", &everything);
	assert_true(everything.files > 0);
	assert_int_equal(everything.disagreements, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_all_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
