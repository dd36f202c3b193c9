// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Callchains of perf samples: which addresses are whose, and what does not fit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <string.h>

#include "stack/sample_chain.h"

#define ROOM 8

/* Kernel, user, and a guest, which is neither; as the kernel writes them, and at an odd address. */
static const uint64_t mixed[] = {
	PERF_CONTEXT_KERNEL,
	0xffffffff81000010,
	0xffffffff81000020,
	PERF_CONTEXT_GUEST,
	0x666,
	PERF_CONTEXT_USER,
	0x401000,
	0x402000,
	0x403000,
	PERF_CONTEXT_MAX,
	0x777,
};

#define MIXED (sizeof(mixed) / sizeof(*mixed))

static uint32_t take(const void *chain, size_t count, enum stack_space space, uint64_t *ip,
		     uint32_t max, bool *is_cut)
{
	const struct record_sample sample = { .chain = chain, .chain_count = count };
	uint32_t depth;

	memset(ip, 0xee, ROOM * sizeof(*ip));
	depth = sample_chain_take(&sample, space, ip, max, is_cut);
	assert_true(depth <= max);
	/* nothing behind what it says */
	for (uint32_t i = depth; i < ROOM; i++)
		assert_int_equal(ip[i], 0xeeeeeeeeeeeeeeee);
	return depth;
}

static void test_marks(void **state)
{
	uint64_t ip[ROOM];
	bool is_cut;

	(void)state;
	assert_int_equal(take(mixed, MIXED, STACK_KERNEL, ip, ROOM, &is_cut), 2);
	assert_memory_equal(ip, mixed + 1, 2 * sizeof(*ip));
	assert_false(is_cut);
	assert_int_equal(take(mixed, MIXED, STACK_USER, ip, ROOM, &is_cut), 3);
	assert_memory_equal(ip, mixed + 6, 3 * sizeof(*ip));
	assert_false(is_cut);
	/* one space alone, and none at all */
	assert_int_equal(take(mixed + 5, 4, STACK_KERNEL, ip, ROOM, &is_cut), 0);
	assert_int_equal(take(mixed, 3, STACK_USER, ip, ROOM, &is_cut), 0);
	assert_int_equal(take(mixed + 1, 2, STACK_KERNEL, ip, ROOM, &is_cut), 0);
	assert_int_equal(take(NULL, 0, STACK_USER, ip, ROOM, &is_cut), 0);
	assert_false(is_cut);
}

/* What just fits is not cut. */
static void test_room(void **state)
{
	uint64_t ip[ROOM];
	bool is_cut;

	(void)state;
	assert_int_equal(take(mixed, MIXED, STACK_USER, ip, 3, &is_cut), 3);
	assert_false(is_cut);
	assert_int_equal(take(mixed, MIXED, STACK_USER, ip, 2, &is_cut), 2);
	assert_true(is_cut);
	assert_memory_equal(ip, mixed + 6, 2 * sizeof(*ip));
	assert_int_equal(take(mixed, MIXED, STACK_KERNEL, ip, 1, &is_cut), 1);
	assert_true(is_cut);
	assert_int_equal(take(mixed, MIXED, STACK_KERNEL, ip, 0, &is_cut), 0);
	assert_true(is_cut);
}

/* Records may lie anywhere in a file; the last mark there is, is one too. */
static void test_alignment(void **state)
{
	char bytes[sizeof(mixed) + 3];
	uint64_t ip[ROOM];
	bool is_cut;

	(void)state;
	memcpy(bytes + 3, mixed, sizeof(mixed));
	assert_int_equal(take(bytes + 3, MIXED, STACK_USER, ip, ROOM, &is_cut), 3);
	assert_memory_equal(ip, mixed + 6, 3 * sizeof(*ip));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_alignment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
