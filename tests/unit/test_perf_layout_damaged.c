// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples cut short, with numbers too large for anything, and changed at random: refused, or within their bytes. */
#include "perf_sample_wire.h"

#include <errno.h>

#include "touch_sample.h"

/* Every size but the right one is too short. */
static void test_truncated(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct perf_layout layout = random_layout(&seed);
		struct wire whole, wire;

		make_sample(&whole, &layout);
		for (size_t size = 0; size < whole.size; size++) {
			struct record record;
			void *bytes;

			wire = whole;
			set_size(&wire, size);
			bytes = copy_of(&wire);
			assert_int_equal(record_from_perf_layout(&layout, bytes, &record),
					 -EBADMSG);
			free(bytes);
		}
	}
}

/* Each 8 bytes of a sample in turn become a number that is too large for any count or size. */
static void test_huge_numbers(void **state)
{
	static const uint64_t huge[] = { UINT64_MAX, UINT64_MAX / 8 + 1, 1ull << 32, 8192,
					 UINT64_MAX / 24 + 1 };
	struct perf_layout layout = layout_of(ALL_BITS);
	unsigned refused = 0;
	struct wire whole, wire;

	(void)state;
	make_sample(&whole, &layout);
	for (size_t at = 8; at < whole.size; at += 8) {
		for (size_t i = 0; i < sizeof(huge) / sizeof(*huge); i++) {
			struct record record;
			void *bytes;

			wire = whole;
			memcpy(wire.bytes + at, &huge[i], 8);
			bytes = copy_of(&wire);
			refused += record_from_perf_layout(&layout, bytes, &record) == -EBADMSG;
			free(bytes);
		}
	}
	/* the counts of counters, chain, branches; the sizes of raw, stack (twice), AUX */
	assert_in_range(refused, 7 * 4, 7 * 5 + 4);
}

static void test_mutations(void **state)
{
	unsigned decoded = 0, refused = 0;
	uint64_t seed = 31415926;
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct perf_layout layout = random_layout(&seed);
		struct record record;
		struct wire wire;
		void *bytes;
		int result;

		make_sample(&wire, &layout);
		mutate(&wire, &seed);
		bytes = copy_of(&wire);
		result = record_from_perf_layout(&layout, bytes, &record);
		assert_true(result == 0 || result == -EBADMSG || result == -ENOMSG);
		if (!result && record.kind == RECORD_SAMPLE)
			sum += touch_sample(&record.sample);
		free(bytes);
		decoded += result == 0;
		refused += result == -EBADMSG;
	}
	assert_true(sum > 0);
	assert_true(decoded > 1000); /* or the mutations prove nothing */
	assert_true(refused > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_huge_numbers),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
