// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A copy of our own stack, walked: what the compiler's runtime finds at the same place, or why not. */
#include "test_folder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "process/object.h"
#include "process/tasks.h"
#include "unwind/library.h"
#include "unwind/stack_copy.h"
#include "unwind_memory_fake.h"

#define FRAMES	TRACER_MAX_STACK
#define NUMBERS 64

struct fixture {
	struct fake_memory fake;
	struct unwind_object published[NUMBERS];
	struct unwind_library *library;
	struct objects *objects;
	struct tasks *tasks;
	struct record record;
	/* as it comes */
	struct {
		uint64_t general[TRACER_REGISTERS];
		struct replaced_return returns[TRACER_COPY_RETURNS];
		uint8_t stack[TRACER_COPY_BYTES];
	} wire;
	uint64_t ip[FRAMES];
	uint64_t expected[FRAMES];
	size_t expected_count;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *data)
{
	struct fixture *f = data;

	/* it calls once more when it is out */
	if (_Unwind_GetIP(context) && f->expected_count < FRAMES)
		f->expected[f->expected_count++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static uint64_t stack_end(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	pthread_attr_getstack(&attributes, &start, &size);
	pthread_attr_destroy(&attributes);
	return (uintptr_t)start + size;
}

static void take_registers(struct fixture *f, const ucontext_t *context)
{
	struct record_stack_copy *copy = &f->record.copy;
#if defined(__x86_64__)
	static const int order[16] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				       REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
				       REG_R12, REG_R13, REG_R14, REG_R15 };

	for (int i = 0; i < 16; i++)
		f->wire.general[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	copy->ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	copy->sp = f->wire.general[7];
	copy->fp = f->wire.general[6];
#elif defined(__aarch64__)
	for (int i = 0; i < 31; i++)
		f->wire.general[i] = context->uc_mcontext.regs[i];
	copy->ip = context->uc_mcontext.pc;
	copy->sp = context->uc_mcontext.sp;
	copy->fp = f->wire.general[29];
	copy->link = f->wire.general[30];
#endif
}

/* The sanitizer minds other functions' memory. */
__attribute__((no_sanitize_address, noinline)) static void copy_stack(struct fixture *f,
								      uint64_t end)
{
	const volatile uint8_t *from = (const volatile uint8_t *)f->record.copy.sp;
	uint32_t size = sizeof(f->wire.stack);

	if (end - f->record.copy.sp < size)
		size = (uint32_t)(end - f->record.copy.sp);
	for (uint32_t i = 0; i < size; i++)
		f->wire.stack[i] = from[i];
	f->record.copy.size = size;
	f->record.copy.wire = (const uint8_t *)&f->wire;
}

/* Both look from here, and the stack stands while they do. */
__attribute__((noinline)) static void capture(struct fixture *f)
{
	ucontext_t context;

	_Unwind_Backtrace(note_frame, f);
	assert_int_equal(getcontext(&context), 0);
	take_registers(f, &context);
	copy_stack(f, stack_end());
}

static int deeper(const void *left, const void *right)
{
	struct fixture *f = *(struct fixture *const *)left;

	(void)right;
	if (!f->expected_count)
		capture(f);
	return 0;
}

static struct fixture *open_fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f)), *pair[2] = { f, f };
	struct unwind_library_config config;

	assert_non_null(f);
	config = (struct unwind_library_config){
		.memory = fake_ops(&f->fake),
		.memory_limit = 64 << 20,
		.objects = f->published,
		.object_count = NUMBERS,
	};
	assert_int_equal(unwind_library_new(&config, &f->library), 0);
	f->objects = objects_new();
	f->tasks = tasks_new(f->objects);
	assert_non_null(f->tasks);
	assert_int_equal(tasks_scan(f->tasks, getpid(), 0), 0);
	f->record = (struct record){ .time = 5, .kind = RECORD_STACK_COPY };
	f->record.pid = f->record.tid = (uint32_t)getpid();
	f->record.copy.id = 99;
	f->record.copy.max_stack = FRAMES;
	/* through a callback of the C library */
	qsort(pair, 2, sizeof(pair[0]), deeper);
	assert_true(f->expected_count > 5 && f->expected_count < FRAMES);
	return f;
}

static void close_fixture(struct fixture *f)
{
	unwind_library_free(f->library);
	tasks_free(f->tasks);
	objects_free(f->objects);
	free(f);
}

static struct record_stack walk(struct fixture *f)
{
	struct record_stack stack = {};

	while (stack_copy_walk(f->library, f->tasks, &f->record, f->ip, &stack) == -EAGAIN)
		unwind_library_wait(f->library);
	return stack;
}

static void test_same(void **state)
{
	struct fixture *f = open_fixture();
	struct record_stack stack;

	(void)state;
	assert_int_equal(stack_copy_walk(f->library, f->tasks, &f->record, f->ip, &stack), -EAGAIN);
	stack = walk(f);
	assert_int_equal(stack.id, 99);
	assert_int_equal(stack.space, STACK_USER);
	assert_int_equal(stack.end, STACK_COMPLETE);
	assert_int_equal(stack.depth, f->expected_count);
	/* frame 0 stands at another of its calls */
	for (size_t i = 1; i < f->expected_count; i++)
		assert_int_equal(stack.ip[i], f->expected[i]);
	close_fixture(f);
}

static void test_cut(void **state)
{
	struct fixture *f = open_fixture();
	uint32_t size = f->record.copy.size;
	struct record_stack stack;

	(void)state;
	f->record.copy.max_stack = 3;
	stack = walk(f);
	assert_int_equal(stack.end, STACK_DEPTH);
	assert_int_equal(stack.depth, 3);
	f->record.copy.max_stack = FRAMES;
	/* a copy that is not as long as it can be ends where the stack's memory does */
	f->record.copy.size = 64;
	stack = walk(f);
	assert_int_equal(stack.end, STACK_FAULT);
	assert_true(stack.depth >= 1 && stack.depth < f->expected_count);
	f->record.copy.size = size;
	close_fixture(f);
}

/* The bit of the page that holds the address, found from the stack's end on. */
static uint32_t page_with(const struct fixture *f, uint64_t wanted)
{
	const struct record_stack_copy *copy = &f->record.copy;
	uint64_t word;

	for (uint64_t at = copy->size - 8; at > 0; at -= 8) {
		memcpy(&word, f->wire.stack + at, 8);
		if (word == wanted)
			return 1u << ((copy->sp % TRACER_COPY_PAGE + at) / TRACER_COPY_PAGE);
	}
	fail_msg("%#lx is not in the copy", wanted);
	return 0;
}

/* A page that could not be read ends a walk that needs it, and no other. */
static void test_holes(void **state)
{
	struct fixture *f = open_fixture();
	struct record_stack stack;

	(void)state;
	f->record.copy.holes = page_with(f, f->expected[1]);
	stack = walk(f);
	assert_int_equal(stack.end, STACK_FAULT);
	assert_true(stack.depth < f->expected_count);
	f->record.copy.holes = 1 << 15; /* far beyond */
	stack = walk(f);
	assert_int_equal(stack.end, STACK_COMPLETE);
	f->record.copy.holes = page_with(f, f->expected[f->expected_count - 1]);
	stack = walk(f);
	assert_int_equal(stack.end, STACK_FAULT);
	assert_true(stack.depth < f->expected_count);
	close_fixture(f);
}

/* A return probe has replaced the return address of frame 2; what it was was sent along. */
static void test_replaced_return(void **state)
{
	struct fixture *f = open_fixture();
	const uint64_t trampoline = 0x7fffffffe000;
	struct record_stack stack;
	uint64_t word;
	size_t at;

	(void)state;
	for (at = 0; at + 8 <= f->record.copy.size; at += 8) {
		memcpy(&word, f->wire.stack + at, 8);
		if (word == f->expected[2])
			break;
	}
	assert_true(at + 8 <= f->record.copy.size);
	memcpy(f->wire.stack + at, &trampoline, 8);
	stack = walk(f);
	assert_int_not_equal(stack.end, STACK_COMPLETE);
	f->record.copy.trampoline = trampoline;
	stack = walk(f);
	assert_int_equal(stack.end, STACK_NO_CODE);
	f->record.copy.return_count = 1;
	f->wire.returns[0] = (struct replaced_return){ f->record.copy.sp + at, f->expected[2] };
	stack = walk(f);
#if defined(__x86_64__)
	assert_int_equal(stack.end, STACK_COMPLETE);
	assert_int_equal(stack.ip[2], f->expected[2]);
	assert_int_equal(stack.depth, f->expected_count);
#endif
	close_fixture(f);
}

/* Garbage is walked as far as it goes. */
static void test_garbage(void **state)
{
	struct fixture *f = open_fixture();
	struct record_stack stack;

	(void)state;
	srandom(7);
	for (int round = 0; round < 200; round++) {
		for (uint32_t i = 0; i < f->record.copy.size; i++)
			if (random() % 16 == 0)
				f->wire.stack[i] = (uint8_t)random();
		stack = walk(f);
		assert_true(stack.depth >= 1 && stack.depth <= FRAMES);
		assert_true(stack.end > 0 && stack.end < STACK_END_MAX);
	}
	f->record.pid = 1u << 30; /* of nobody */
	stack = walk(f);
	assert_int_equal(stack.end, STACK_NO_CODE);
	assert_int_equal(stack.depth, 1);
	close_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	cmocka_unit_test(test_cut),
		cmocka_unit_test(test_holes),	cmocka_unit_test(test_replaced_return),
		cmocka_unit_test(test_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
