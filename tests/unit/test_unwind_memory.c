// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chunks come when they are needed, go when they are empty, and never exceed the limit. */
#include "test_folder.h"

#include <string.h>

#include "unwind_memory_fake.h"

#define CHUNK UNWIND_CHUNK_UNITS

static void fill(const struct unwind_memory *memory, uint32_t first, uint32_t units, int byte)
{
	memset(unwind_memory_at(memory, first), byte, 8 * (size_t)units);
}

static void test_chunks(void **state)
{
	static struct fake_memory fake;
	const struct unwind_memory_ops ops = fake_ops(&fake);
	struct unwind_memory *memory;
	uint32_t small, rows, large, head;

	(void)state;
	assert_int_equal(unwind_memory_new(&ops, 5 * (uint64_t)UNWIND_CHUNK_BYTES + 7, &memory), 0);
	assert_int_equal(unwind_memory_bytes(memory), 0);
	assert_int_equal(unwind_memory_take(memory, CHUNK / 2 + 1, 1, &small), 0);
	assert_int_equal(fake.chunks, 1);
	/* rows that do not fit in what is left of the chunk begin another */
	assert_int_equal(unwind_memory_take(memory, CHUNK / 2, 1, &rows), 0);
	assert_int_equal(rows, CHUNK);
	/* rules and pages may lie across */
	assert_int_equal(unwind_memory_take(memory, CHUNK, 0, &head), 0);
	assert_int_equal(head / CHUNK, 1);
	assert_int_equal((head + CHUNK - 1) / CHUNK, 2);
	fill(memory, small, CHUNK / 2 + 1, 1);
	fill(memory, rows, CHUNK / 2, 2);
	fill(memory, head, CHUNK, 3);
	assert_int_equal(*(char *)unwind_memory_at(memory, rows), 2);
	assert_int_equal(unwind_memory_bytes(memory), 3 * UNWIND_CHUNK_BYTES);
	/* the limit: two more chunks there are, three it would need */
	assert_int_equal(unwind_memory_take(memory, 2 * CHUNK + 1, 1, &large), -ENOSPC);
	assert_int_equal(fake.chunks, 3);
	assert_int_equal(unwind_memory_take(memory, 2 * CHUNK, 1, &large), 0);
	assert_int_equal(large % CHUNK, 0);
	fill(memory, large, 2 * CHUNK, 4);
	assert_int_equal(unwind_memory_bytes(memory), 5 * UNWIND_CHUNK_BYTES);
	unwind_memory_give(memory, rows, CHUNK / 2);
	assert_int_equal(fake.chunks, 5);
	unwind_memory_give(memory, head, CHUNK);
	assert_int_equal(fake.chunks, 3);
	assert_int_equal(fake.waits, 2);
	/* and can be had again, zeroed by whoever makes chunks */
	assert_int_equal(unwind_memory_take(memory, CHUNK, 1, &rows), 0);
	assert_int_equal(*(char *)unwind_memory_at(memory, rows), 0);
	unwind_memory_free(memory);
	assert_int_equal(fake.chunks, 0);
	unwind_memory_free(NULL);
}

static void test_failure(void **state)
{
	static struct fake_memory fake = { .fail_after = 1 };
	const struct unwind_memory_ops ops = fake_ops(&fake);
	struct unwind_memory *memory;
	uint32_t first, second;

	(void)state;
	assert_int_equal(unwind_memory_new(&ops, UINT64_MAX, &memory), 0);
	assert_int_equal(unwind_memory_take(memory, 10, 0, &first), 0);
	assert_int_equal(unwind_memory_take(memory, CHUNK, 1, &second), -ENOMEM);
	fake.fail_after = 0;
	assert_int_equal(unwind_memory_take(memory, CHUNK, 1, &second), 0);
	assert_int_equal(second, CHUNK);
	unwind_memory_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
