// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said of breakpoints at the end, word for word. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "output/coverage.h"
#include "record/watch_coverage.h"

struct example {
	struct watch_coverage coverage;
	bool is_full;
	const char *text;
};

static const struct example examples[] = {
	{ { .threads = 1, .covered = 1 }, true, "app:v: 1 of 1 thread watched" },
	{ { .threads = 4, .covered = 4, .by_cpu = true }, true, "app:v: 4 of 4 CPUs watched" },
	{ { .threads = 3, .covered = 2, .ended = 1 },
	  true,
	  "app:v: 2 of 3 threads watched (1 ended before it was set)" },
	{ { .threads = 9, .covered = 2, .no_slot = 1, .denied = 2, .without = 3, .failed = 1 },
	  false,
	  "app:v: 2 of 9 threads watched (1 without a free debug register, 2 not permitted, 3 without a copy "
	  "of it, 1 refused by the kernel)" },
	{ { .threads = 2, .covered = 2, .uncertain = 5 },
	  false,
	  "app:v: 2 of 2 threads watched; 5 made while it was set are covered only if who made them already "
	  "was" },
	{ { .threads = 2, .covered = 2, .is_thread_local = true, .later = 7 },
	  false,
	  "app:v: 2 of 2 threads watched; 7 that began later are not covered (thread-local: each has a copy "
	  "of its own)" },
	{ { .waits = true },
	  false,
	  "app:v: 0 of 0 threads watched: its file was never mapped by the target, so that it could not "
	  "fire" },
	{ { .waits = true, .threads = 2, .covered = 2, .late = 1, .late_ns = 1234567 },
	  false,
	  "app:v: 2 of 2 threads watched; 1 process mapped its file later, and what was done to it before it "
	  "was set is not seen (1.2 ms)" },
	{ { .waits = true, .threads = 2, .covered = 2, .late = 2, .late_ns = 50000 },
	  false,
	  "app:v: 2 of 2 threads watched; 2 processes mapped its file later, and what was done to it before "
	  "it was set is not seen (0.1 ms at most)" },
};

static void test_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct source_info info = { .name = (char *)(uintptr_t) "app:v",
						  .coverage = &examples[i].coverage };
		char *text = NULL;
		size_t size = 0;
		FILE *stream = open_memstream(&text, &size);

		assert_non_null(stream);
		coverage_print(stream, &info);
		assert_int_equal(fclose(stream), 0);
		assert_string_equal(text, examples[i].text);
		assert_int_equal(watch_coverage_is_full(&examples[i].coverage),
				 examples[i].is_full);
		free(text);
	}
}

/* Parts of a variable are several sources and one breakpoint; other sources are none. */
static void test_json(void **state)
{
	const struct watch_coverage first = { .threads = 3, .covered = 1, .no_slot = 2 };
	const struct watch_coverage second = {
		.threads = 2, .covered = 2, .by_cpu = true, .waits = true, .late = 1, .late_ns = 9000
	};
	const struct source_info infos[] = {
		{ .name = (char *)(uintptr_t) "cpu-clock" },
		{ .name = (char *)(uintptr_t) "a\"b", .coverage = &first },
		{ .name = (char *)(uintptr_t) "a\"b+8", .coverage = &first },
		{ .name = (char *)(uintptr_t) "c", .coverage = &second },
	};
	const struct source_info *list[] = { &infos[0], &infos[1], &infos[2], &infos[3] };
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	assert_non_null(stream);
	coverage_print_json(stream, list, 1);
	fputc('|', stream);
	coverage_print_json(stream, list, 4);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(
		text,
		"|,\"breakpoints\":[{\"source\":\"a\\\"b\",\"threads\":3,\"covered\":1,\"ended\":0,\"no_slot\":2,"
		"\"denied\":0,\"without\":0,\"failed\":0,\"uncertain\":0,\"later\":0},"
		"{\"source\":\"c\",\"cpus\":2,\"covered\":2,\"ended\":0,\"no_slot\":0,\"denied\":0,\"without\":0,"
		"\"failed\":0,\"uncertain\":0,\"later\":0,\"late\":1,\"late_us\":9}]");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
