// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Call frame instructions made by hand: the rule that each leaves, and those that are wrong. */
#include "cfi_section.h"

#define KINDS(fp, ra)	(UNWIND_FP_##fp | UNWIND_RA_##ra << 4)
#define CODE_OF(string) string, sizeof(string) - 1

struct program {
	const char *code;
	size_t size;
	/* The rule at the function's address + 16, and at its start where it is not the CIE's. */
	struct unwind_rule rule;
};

/* DW_OP_nop */
#define NOPS16 "\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96"
#define NOPS62 NOPS16 NOPS16 NOPS16 "\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96\x96"
#define NOPS64 NOPS16 NOPS16 NOPS16 NOPS16

#define AT16 "\x50" /* DW_CFA_advance_loc 16 */

static const struct program x86_programs[] = {
	{ CODE_OF(AT16 "\x0e\x10"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 16 } },
	{ CODE_OF(AT16 "\x0e\x10\x86\x02\x41\x0d\x06"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = -16,
	    .cfa_offset = 16 } },
	{ CODE_OF("\x02\x10\x0c\x06\x10"), { .cfa = UNWIND_CFA_FP, .cfa_offset = 16 } },
	{ CODE_OF("\x03\x10\0\x0d\x06"), { .cfa = UNWIND_CFA_FP, .cfa_offset = 8 } },
	{ CODE_OF("\x04\x10\0\0\0\x12\x06\x7e"), { .cfa = UNWIND_CFA_FP, .cfa_offset = 16 } },
	{ CODE_OF("\x1d\x10\0\0\0\0\0\0\0\x13\x7e"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 16 } },
	/* DW_CFA_set_loc */
	{ CODE_OF("\x01\x10\x11\0\0\0\0\0\0\x0e\x20"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 32 } },
	/* remember, change, recall, change again */
	{ CODE_OF("\x0a\x0e\x40\x42\x0b\x4e\x0e\x18"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 24 } },
	{ CODE_OF(AT16 "\x86\x02\xc6"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x86\x02\x06\x06"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x05\x06\x03"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = -24,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x11\x06\x7d"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = 24,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x2f\x06\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = 16,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x14\x06\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(IS_CFA, BELOW_CFA),
	    .fp_offset = -16,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x15\x06\x7e"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(IS_CFA, BELOW_CFA),
	    .fp_offset = 16,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x07\x06"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(LOST, BELOW_CFA), .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x08\x06"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x09\x06\x03"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(LOST, BELOW_CFA), .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x07\x10"), { .cfa = UNWIND_RULE_OUTERMOST } },
	/* vfork: the return address in rdi */
	{ CODE_OF(AT16 "\x0e\0\x09\x10\x05"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, REGISTER), .fp_offset = 5 } },
	/* The return address elsewhere: alone, beside the frame pointer, far from it */
	{ CODE_OF(AT16 "\x90\x03"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, ALONE), .fp_offset = -24, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x86\x04\x90\x03"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, PAIRED),
	    .fp_offset = -32,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x86\x04\x90\x06"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, OWN),
	    .fp_offset = -32,
	    .cfa_short = 8,
	    .extra = -48 } },
	/* GNU_args_size, and others that say nothing to us */
	{ CODE_OF(AT16 "\x2e\x20\x83\x05\x0e\x18"),
	  { .cfa = UNWIND_CFA_SP, .rbx = 4, .cfa_offset = 24 } },
	/* realignment: CFA r10; *(rbp - 8); frame pointer at *rbp */
	{ CODE_OF(AT16 "\x0c\x0a\0"), { .cfa = UNWIND_CFA_REGISTER, .extra = 10 } },
	{ CODE_OF(AT16 "\x0f\x03\x76\x78\x06\x10\x06\x02\x76\0"),
	  { .cfa = UNWIND_CFA_FP_DEREF, .fp_ra = KINDS(AT_FP, BELOW_CFA), .extra = -8 } },
	{ CODE_OF(AT16 "\x0f\x05\x77\x10\x06\x23\x08"),
	  { .cfa = UNWIND_CFA_SP_DEREF, .cfa_short = 8, .extra = 16 } },
	{ CODE_OF(AT16 "\x0f\x05\x77\x10\x06\x38\x1c"),
	  { .cfa = UNWIND_CFA_SP_DEREF, .cfa_short = -8, .extra = 16 } },
	{ CODE_OF(AT16 "\x0f\x04\x92\x07\x10\x96"), { .cfa = UNWIND_CFA_SP, .cfa_offset = 16 } },
	{ CODE_OF(AT16 "\x10\x06\x02\x77\x18"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_SP, BELOW_CFA),
	    .fp_offset = 24,
	    .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x16\x06\x02\x23\x18"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(IS_CFA, BELOW_CFA),
	    .fp_offset = 24,
	    .cfa_offset = 8 } },
	/* PLT, with 11 and with 10 */
	{ CODE_OF(AT16 "\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22"),
	  { .cfa = UNWIND_CFA_PLT, .cfa_short = 8, .extra = 11 } },
	{ CODE_OF(AT16 "\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3a\x2a\x33\x24\x22"),
	  { .cfa = UNWIND_CFA_PLT, .cfa_short = 8, .extra = 10 } },
	/* Half a CFA after an expression: the other half from before it */
	{ CODE_OF(AT16 "\x0e\x38\x0f\x03\x77\x08\x06\x0d\x07"),
	  { .cfa = UNWIND_CFA_SP, .cfa_offset = 56 } },
	{ CODE_OF(AT16 "\x0f\x03\x77\x10\x06\x0e\x20"),
	  { .cfa = UNWIND_CFA_SP_DEREF, .extra = 16 } },
	/* Nothing that a rule can say */
	{ CODE_OF(AT16 "\x0f\x07\x77\x08\x80\0\x3f\x1a\x22"), unsupported },
	{ CODE_OF(AT16 "\x0f\x04\x77\x08\x06\x06"), unsupported },
	{ CODE_OF(AT16 "\x0f\x03\x73\x08\x06"), unsupported },
	{ CODE_OF(AT16 "\x0f\x01\x77"), unsupported },		  /* cut */
	{ CODE_OF(AT16 "\x0f\x01\x22"), unsupported },		  /* nothing to add */
	{ CODE_OF(AT16 "\x0f\x42\x77\x08" NOPS64), unsupported }, /* long */
	{ CODE_OF(AT16 "\x0f\x40\x77\x08" NOPS62), { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 } },
	{ CODE_OF(AT16 "\x0f\0"), unsupported },				       /* empty */
	{ CODE_OF(AT16 "\x0f\x09\x31\x31\x31\x31\x31\x31\x31\x31\x31"), unsupported }, /* deep */
	{ CODE_OF(AT16 "\x0c\x11\x08"), unsupported }, /* CFA in register 17 */
	{ CODE_OF(AT16 "\x05\x07\x01"), unsupported }, /* the stack pointer is no CFA */
	{ CODE_OF(AT16 "\x0c\x07\xff\xff\xff\xff\x7f"), unsupported }, /* too far */
	{ CODE_OF(AT16 "\x90\x80\x80\x80\x02"), unsupported },
};

static const struct program arm64_programs[] = {
	{ CODE_OF(AT16), { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK) } },
	{ CODE_OF(AT16 "\x2d\x0e\x20\x9d\x04\x9e\x03"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, PAIRED),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0c\x1d\x20\x9d\x04\x9e\x03"),
	  { .cfa = UNWIND_CFA_FP,
	    .fp_ra = KINDS(AT_CFA, PAIRED),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0e\x20\x9e\x04"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(SAME, ALONE),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0e\x20\x9d\x04\x9e\x01"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = -32,
	    .cfa_offset = 32 } },
	{ CODE_OF(AT16 "\x0e\x20\x9d\x04\x9e\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, OWN),
	    .fp_offset = -32,
	    .cfa_short = 32,
	    .extra = -16 } },
	{ CODE_OF(AT16 "\x0e\x20\x9d\x02"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, LINK),
	    .fp_offset = -16,
	    .cfa_offset = 32 } },
	/* pushed by who jumped here: the dynamic linker's resolver */
	{ CODE_OF(AT16 "\x0e\xd0\x01\x11\x1e\x7f"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, BELOW_CFA), .cfa_offset = 224 } },
	/* it is there before that is said, too */
	{ CODE_OF(AT16 "\x44\x11\x1e\x7f"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK), .cfa_offset = 16 } },
	/* a frame of 40016 bytes, its record at the lower end */
	{ CODE_OF(AT16 "\x0e\xd0\xb8\x02\x9d\x8a\x27\x9e\x89\x27"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(AT_SP, PAIRED), .cfa_offset = 40016 } },
	/* the same without a record: only the link register, at sp + 8 */
	{ CODE_OF(AT16 "\x0e\xd0\xb8\x02\x9e\x89\x27"),
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(SAME, AT_SP),
	    .fp_offset = 8,
	    .cfa_offset = 40016 } },
	{ CODE_OF(AT16 "\x07\x1e"), { .cfa = UNWIND_RULE_OUTERMOST } },
	{ CODE_OF(AT16 "\x08\x1e"), { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK) } },
	{ CODE_OF(AT16 "\x09\x1e\x09"),
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, REGISTER), .fp_offset = 9 } },
};

static void run_program(enum unwind_machine machine, const struct program *program)
{
	bool x86 = machine == UNWIND_X86_64;
	struct bytes b = {};
	struct cfi_rows rows;

	put_cie_head(&b, 1, "z", x86 ? 16 : 30);
	put(&b, 0, 1);
	put_bytes(&b, x86 ? x86_initial : arm64_initial,
		  x86 ? sizeof(x86_initial) : sizeof(arm64_initial));
	end(&b);
	put_fde(&b, 0, 0x1100, 0x40, program->code, program->size);
	rows = rows_of(&b, 1, machine);
	assert_int_equal(rows.bad, 0);
	assert_rule(&rows, 0x1110, program->rule);
	assert_rule(&rows, 0x10ff, gap);
	assert_rule(&rows, 0x1140, gap);
	cfi_rows_free(&rows);
}

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(x86_programs) / sizeof(*x86_programs); i++)
		run_program(UNWIND_X86_64, &x86_programs[i]);
	for (size_t i = 0; i < sizeof(arm64_programs) / sizeof(*arm64_programs); i++)
		run_program(UNWIND_ARM64, &arm64_programs[i]);
}

/* Costs its function only; what it said before it went wrong is not believed either. */
static void test_bad_instructions(void **state)
{
	static const struct program programs[] = {
		{ .code = CODE_OF(AT16 "\x0b") }, /* nothing remembered */
		{ .code = CODE_OF("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a") }, /* too much */
		{ .code = CODE_OF(AT16 "\x17") },			     /* unknown */
		{ .code = CODE_OF(AT16 "\x3f") },
		{ .code = CODE_OF(AT16 "\x0f\x40") },	      /* longer than the entry */
		{ .code = CODE_OF(AT16 "\x0e\x80\x80\x80") }, /* no end */
		{ .code = CODE_OF(AT16 "\x04") },
		{ .code = CODE_OF("\x01\x08\x10\0\0\0\0\0\0") }, /* set_loc backwards */
		{ .code = CODE_OF("\x1d\xff\xff\xff\xff\xff\xff\xff\xff") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct bytes b = {};
		struct cfi_rows rows;

		put_cie(&b, "z", 0);
		put_fde(&b, 0, 0x1080, 0x80, to_sp16, 2);
		put_fde(&b, 0, 0x1100, 0x40, programs[i].code, programs[i].size);
		/* No padding, which would be operands. */
		b.size = b.entry + 4 + 4 + 16 + 1 + programs[i].size;
		b.data[b.entry] = (uint8_t)(b.size - b.entry - 4);
		put_fde(&b, 0, 0x1140, 0x40, to_sp16, 2);
		rows = rows_of(&b, 1, UNWIND_X86_64);
		assert_int_equal(rows.bad, 1);
		assert_int_equal(rows.functions, 2);
		assert_rule(&rows, 0x10ff, sp16);
		assert_rule(&rows, 0x1100, gap);
		assert_rule(&rows, 0x1110, gap);
		assert_rule(&rows, 0x1140, sp16);
		cfi_rows_free(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_bad_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
