// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Against a bitmap that knows what is taken. */
#include "test_folder.h"

#include <errno.h>
#include <stdlib.h>

#include "unwind/ranges.h"

#define FIRST 5
#define COUNT 1000

static void test_blocks(void **state)
{
	struct ranges ranges;
	uint32_t first;

	(void)state;
	assert_int_equal(ranges_init(&ranges, 0, 100), 0);
	assert_int_equal(ranges_take(&ranges, 7, 10, &first), 0);
	assert_int_equal(first, 0);
	/* 7 to 10 would cross a block */
	assert_int_equal(ranges_take(&ranges, 4, 10, &first), 0);
	assert_int_equal(first, 10);
	/* longer than a block: begins one */
	assert_int_equal(ranges_take(&ranges, 25, 10, &first), 0);
	assert_int_equal(first, 20);
	/* what was left over is still there */
	assert_int_equal(ranges_take(&ranges, 3, 10, &first), 0);
	assert_int_equal(first, 7);
	assert_int_equal(ranges_take(&ranges, 6, 0, &first), 0);
	assert_int_equal(first, 14);
	assert_int_equal(ranges_take(&ranges, 56, 0, &first), -ENOSPC);
	assert_int_equal(ranges_take(&ranges, 0, 0, &first), -ENOSPC);
	assert_int_equal(ranges_free_count(&ranges), 100 - 7 - 4 - 25 - 3 - 6);
	assert_true(ranges_are_free(&ranges, 45, 55));
	assert_false(ranges_are_free(&ranges, 44, 2));
	assert_false(ranges_are_free(&ranges, 99, 2));
	ranges_destroy(&ranges);
}

struct taken {
	uint32_t first, count;
};

static void mark(char *map, struct taken taken, char from, char to)
{
	for (uint32_t i = taken.first; i < taken.first + taken.count; i++) {
		assert_int_equal(map[i], from);
		map[i] = to;
	}
}

/* Nothing is given out twice, and all of it can be had again when all has been given back. */
static void test_random(void **state)
{
	static char map[FIRST + COUNT];
	struct taken taken[COUNT];
	struct ranges ranges;
	uint32_t first;
	size_t count = 0;

	(void)state;
	srandom(1);
	assert_int_equal(ranges_init(&ranges, FIRST, COUNT), 0);
	for (int i = 0; i < 20000; i++) {
		uint32_t wanted = 1 + (uint32_t)random() % 40;
		uint32_t block = random() % 2 ? 32 : 0;

		if (count && random() % 2) {
			size_t at = (size_t)random() % count;

			mark(map, taken[at], 1, 0);
			assert_int_equal(ranges_give(&ranges, taken[at].first, taken[at].count), 0);
			taken[at] = taken[--count];
		} else if (!ranges_take(&ranges, wanted, block, &first)) {
			assert_true(first >= FIRST && first + wanted <= FIRST + COUNT);
			if (block && wanted <= block)
				assert_int_equal(first / block, (first + wanted - 1) / block);
			taken[count++] = (struct taken){ first, wanted };
			mark(map, taken[count - 1], 0, 1);
		}
	}
	while (count--)
		assert_int_equal(ranges_give(&ranges, taken[count].first, taken[count].count), 0);
	assert_int_equal(ranges_free_count(&ranges), COUNT);
	assert_int_equal(ranges_take(&ranges, COUNT, 0, &first), 0);
	assert_int_equal(first, FIRST);
	ranges_destroy(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
