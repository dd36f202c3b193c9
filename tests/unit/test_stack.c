// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stacks: equal ones are one, whatever process they come from; different ones are not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "process/object.h"
#include "stack/stack.h"

/* Above any pid there is (the kernel's limit is 2^22): nothing of them is in /proc. */
#define FIRST  5000001
#define SECOND 5000002

struct fixture {
	struct objects *objects;
	struct tasks *tasks;
	struct stacks *stacks;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->objects = objects_new();
	fixture->tasks = tasks_new(fixture->objects);
	fixture->stacks = stacks_new(fixture->tasks, fixture->objects);
	assert_non_null(fixture->stacks);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	stacks_free(fixture->stacks);
	tasks_free(fixture->tasks);
	objects_free(fixture->objects);
	free(fixture);
	return 0;
}

static void map(struct fixture *fixture, uint32_t pid, uint64_t start, uint64_t inode)
{
	struct record record = {
		.kind = RECORD_MMAP,
		.time = 10,
		.pid = pid,
		.tid = pid,
		.mmap = { .start = start,
			  .length = 0x10000,
			  .file_offset = 0x1000,
			  .inode = inode,
			  .major = 250,
			  .minor = 7,
			  .protection = PROT_READ | PROT_EXEC,
			  .path = "/nonexistent/library.so" },
	};

	assert_int_equal(tasks_apply(fixture->tasks, &record), 0);
}

static const struct stack *add(struct fixture *fixture, uint64_t id, uint32_t pid,
			       enum stack_space space, enum stack_end end, const uint64_t *ip,
			       uint32_t depth)
{
	struct record record = {
		.kind = RECORD_STACK,
		.time = 20,
		.pid = pid,
		.tid = pid,
		.stack = { .id = id, .space = space, .end = end, .depth = depth, .ip = ip },
	};

	assert_int_equal(stacks_add(fixture->stacks, &record), 0);
	return stacks_get(fixture->stacks, id);
}

static void test_equal_stacks_are_one(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t first[] = { 0x100010, 0x100020 }, second[] = { 0x7000010, 0x7000020 };
	const struct stack *stack;

	map(fixture, FIRST, 0x100000, 11);
	map(fixture, SECOND, 0x7000000, 11);
	assert_null(stacks_get(fixture->stacks, 1));
	stack = add(fixture, 1, FIRST, STACK_USER, STACK_COMPLETE, first, 2);
	assert_ptr_equal(add(fixture, 2, SECOND, STACK_USER, STACK_COMPLETE, second, 2), stack);
	assert_int_equal(stacks_count(fixture->stacks), 1);
	assert_int_equal(stack->depth, 2);
	assert_int_equal(stack->space, STACK_USER);
	assert_int_equal(stack->end, STACK_COMPLETE);
	assert_int_equal(stack->frame[0].offset, 0x1010);
	assert_int_equal(stack->frame[1].offset, 0x1020);
	assert_string_equal(stack->frame[0].object->name, "library.so");
	assert_ptr_equal(stacks_get(fixture->stacks, 1), stack);
}

/* A caller that a signal interrupted stands where its address says; the mark is no part of that. */
static void test_interrupted_frames(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t called[] = { 0x100010, 0x100020 };
	const uint64_t interrupted[] = { 0x100010, 0x100020 | STACK_IP_EXACT };
	const struct stack *stack;

	map(fixture, FIRST, 0x100000, 11);
	stack = add(fixture, 1, FIRST, STACK_USER, STACK_COMPLETE, called, 2);
	assert_false(stack->frame[1].exact);
	assert_ptr_not_equal(add(fixture, 2, FIRST, STACK_USER, STACK_COMPLETE, interrupted, 2),
			     stack);
	stack = stacks_get(fixture->stacks, 2);
	assert_false(stack->frame[0].exact);
	assert_true(stack->frame[1].exact);
	assert_int_equal(stack->frame[1].offset, 0x1020);
}

static void test_different_stacks_are_not(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ip[] = { 0x100010, 0x100020, 0x100030 };
	const struct stack *stack;

	map(fixture, FIRST, 0x100000, 11);
	map(fixture, SECOND, 0x100000, 12); /* another file at the same place */
	stack = add(fixture, 1, FIRST, STACK_USER, STACK_COMPLETE, ip, 2);
	assert_ptr_not_equal(add(fixture, 2, SECOND, STACK_USER, STACK_COMPLETE, ip, 2), stack);
	assert_ptr_not_equal(add(fixture, 3, FIRST, STACK_USER, STACK_DEPTH, ip, 2), stack);
	assert_ptr_not_equal(add(fixture, 4, FIRST, STACK_USER, STACK_COMPLETE, ip, 3), stack);
	assert_ptr_not_equal(add(fixture, 5, FIRST, STACK_USER, STACK_COMPLETE, ip + 1, 2), stack);
	assert_int_equal(stacks_count(fixture->stacks), 5);
}

static void test_kernel_stacks(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ip[] = { 0xffffffff81000010, 0xffffffff81000020 };
	const struct stack *stack = add(fixture, 9, 0, STACK_KERNEL, STACK_COMPLETE, ip, 2);

	assert_int_equal(stack->frame[1].object->kind, OBJECT_KERNEL);
	assert_int_equal(stack->frame[1].offset, ip[1]);
	assert_int_equal(stack->space, STACK_KERNEL);
}

static void test_unknown_and_empty(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ip[] = { 0x42 };
	const struct stack *stack = add(fixture, 1, FIRST, STACK_USER, STACK_FAULT, ip, 1);

	assert_int_equal(stack->frame[0].object->kind, OBJECT_UNKNOWN);
	assert_int_equal(stack->frame[0].offset, 0x42);
	stack = add(fixture, 2, FIRST, STACK_USER, STACK_NO_REGS, NULL, 0);
	assert_int_equal(stack->depth, 0);
	assert_int_equal(stacks_count(fixture->stacks), 2);
}

/* An id that comes again means what it means now; what was given out before stays valid. */
static void test_id_that_comes_again(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t ip[] = { 0x100010 };
	const struct stack *before, *after;

	map(fixture, FIRST, 0x100000, 11);
	before = add(fixture, 1, FIRST, STACK_USER, STACK_COMPLETE, ip, 1);
	assert_ptr_equal(add(fixture, 1, FIRST, STACK_USER, STACK_COMPLETE, ip, 1), before);
	assert_int_equal(stacks_count(fixture->stacks), 1);
	map(fixture, FIRST, 0x100000, 12);
	after = add(fixture, 1, FIRST, STACK_USER, STACK_COMPLETE, ip, 1);
	assert_ptr_not_equal(after, before);
	assert_int_equal(before->frame[0].object->inode, 11);
	assert_int_equal(after->frame[0].object->inode, 12);
}

static void test_many(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, FIRST, 0x100000, 11);
	for (uint64_t id = 1; id <= 5000; id++) {
		const uint64_t ip[] = { 0x100000 + id % 1000, 0x100000 + id % 10 };

		add(fixture, id, FIRST, STACK_USER, STACK_COMPLETE, ip, 2);
	}
	assert_int_equal(stacks_count(fixture->stacks), 1000);
	for (uint64_t id = 1; id <= 4000; id += 7)
		assert_ptr_equal(stacks_get(fixture->stacks, id),
				 stacks_get(fixture->stacks, id + 1000));
	assert_null(stacks_get(fixture->stacks, 5001));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_equal_stacks_are_one),
		TEST(test_different_stacks_are_not),
		TEST(test_interrupted_frames),
		TEST(test_kernel_stacks),
		TEST(test_unknown_and_empty),
		TEST(test_id_that_comes_again),
		TEST(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
