// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a perf sample says of registers and stack, as the walk is given it: by DWARF's numbers, which are those of
 * the ABI, from perf's, which are those of the kernel's own header.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <asm/perf_regs.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "unwind/sample_walk.h"
#include "unwind/stack_image.h"

#if defined(__aarch64__)
#define REGISTERS 32
#define PC	  PERF_REG_ARM64_PC
#define SP	  PERF_REG_ARM64_SP
#define FP	  PERF_REG_ARM64_X29
static unsigned number_of(unsigned dwarf)
{
	return dwarf < 31 ? PERF_REG_ARM64_X0 + dwarf : PERF_REG_ARM64_SP;
}
#else
#define REGISTERS 16
#define PC	  PERF_REG_X86_IP
#define SP	  PERF_REG_X86_SP
#define FP	  PERF_REG_X86_BP
/* System V ABI, AMD64 supplement, figure "DWARF Register Number Mapping" */
static unsigned number_of(unsigned dwarf)
{
	static const unsigned numbers[REGISTERS] = {
		PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,
		PERF_REG_X86_SI,  PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,
		PERF_REG_X86_R8,  PERF_REG_X86_R9,  PERF_REG_X86_R10, PERF_REG_X86_R11,
		PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15,
	};

	return numbers[dwarf];
}
#endif

/* The walk itself, which has tests of its own, in whose place this is. */
static struct stack_image given;
static unsigned walks;

int stack_image_walk(struct unwind_library *library, struct tasks *tasks,
		     const struct stack_image *image, uint64_t *ip, uint32_t max,
		     struct record_stack *stack)
{
	(void)library;
	(void)tasks;
	(void)ip;
	(void)stack;
	assert_int_equal(max, 100);
	given = *image;
	walks++;
	return -EAGAIN;
}

static uint64_t value_of(unsigned number)
{
	return 0x1000 + number;
}

struct fixture {
	uint64_t regs[64];
	uint8_t stack[32];
	struct record record;
};

static void fill(struct fixture *f, uint64_t mask)
{
	unsigned count = 0;

	*f = (struct fixture){ .record = {
				       .time = 99,
				       .kind = RECORD_SAMPLE,
				       .pid = 10,
				       .tid = 11,
				       .sample = {
					       .regs = f->regs,
					       .regs_abi = PERF_SAMPLE_REGS_ABI_64,
					       .regs_mask = mask,
					       .stack = f->stack,
					       .stack_size = 32,
					       .stack_asked = 64,
				       },
			       } };
	for (unsigned i = 0; i < 64; i++)
		if (mask & 1ull << i)
			f->regs[count++] = value_of(i);
	walks = 0;
}

static int walk(const struct fixture *f)
{
	struct record_stack stack;
	uint64_t ip[100];

	return sample_walk(NULL, NULL, &f->record, ip, 100, &stack);
}

static void check_registers(void)
{
	assert_int_equal(given.ip, value_of(PC));
	assert_int_equal(given.sp, value_of(SP));
	assert_int_equal(given.fp, value_of(FP));
	for (unsigned i = 0; i < TRACER_REGISTERS && i < REGISTERS; i++)
		if (given.known & 1u << i)
			assert_int_equal(given.general[i], value_of(number_of(i)));
}

static void test_registers(void **state)
{
	struct fixture f;
	uint64_t mask = sample_walk_registers();

	(void)state;
	for (unsigned i = 0; i < TRACER_REGISTERS && i < REGISTERS; i++)
		assert_true(mask & 1ull << number_of(i));
	assert_true(mask & 1ull << PC);
	fill(&f, mask);
	/* that a table is missing is the caller's business */
	assert_int_equal(walk(&f), -EAGAIN);
	assert_int_equal(walks, 1);
	check_registers();
	for (unsigned i = 0; i < TRACER_REGISTERS && i < REGISTERS; i++)
		assert_true(given.known & 1u << i);
	assert_int_equal(given.pid, 10);
	assert_int_equal(given.time, 99);
	assert_ptr_equal(given.bytes, f.stack);
	assert_int_equal(given.size, 32);
	assert_int_equal(given.copy, NULL);
#if defined(__aarch64__)
	assert_int_equal(given.link, value_of(PERF_REG_ARM64_LR));
#endif
}

/* Other programs ask for more registers than we do, and for fewer. */
static void test_other_masks(void **state)
{
	const uint64_t least = 1ull << PC | 1ull << SP | 1ull << FP;
	struct fixture f;

	(void)state;
	fill(&f, sample_walk_registers() | 0xffffffffull);
	assert_int_equal(walk(&f), -EAGAIN);
	check_registers();
	fill(&f, least | 1ull << number_of(3));
	assert_int_equal(walk(&f), -EAGAIN);
	check_registers();
	assert_true(given.known & 1u << 3);
	assert_false(given.known & 1u << 2);
	fill(&f, least & ~(1ull << PC));
	assert_int_equal(walk(&f), -ENOENT);
	fill(&f, least & ~(1ull << SP));
	assert_int_equal(walk(&f), -ENOENT);
	fill(&f, least & ~(1ull << FP));
	assert_int_equal(walk(&f), -ENOENT);
	assert_int_equal(walks, 0);
}

/* 32-bit programs have other registers, and kernel threads none. */
static void test_none(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, sample_walk_registers());
	f.record.sample.regs_abi = PERF_SAMPLE_REGS_ABI_32;
	assert_int_equal(walk(&f), -ENOENT);
	f.record.sample.regs_abi = PERF_SAMPLE_REGS_ABI_NONE;
	f.record.sample.regs = NULL;
	assert_int_equal(walk(&f), -ENOENT);
	assert_int_equal(walks, 0);
}

/* A stack of which less than was asked for came ends there; of one that filled its room there may be more. */
static void test_cut(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f, sample_walk_registers());
	walk(&f);
	assert_false(given.is_cut);
	f.record.sample.stack_asked = 32;
	walk(&f);
	assert_true(given.is_cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_other_masks),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
