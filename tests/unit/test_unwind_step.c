// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The step by itself: every kind of rule and every end, on a made-up stack, for both machines. */
#include "test_folder.h"

struct memory {
	uint64_t base;
	uint64_t word[128];
	uint64_t general[32];
	uint32_t known;	 /* general registers that can be had: a bit each */
	uint64_t thread; /* 0: not to be had */
	uint64_t mask;	 /* of addresses */
};

static int memory_read(const struct memory *memory, uint64_t address, uint64_t *value)
{
	uint64_t at = address - memory->base;

	if (at % 8 || at >= sizeof(memory->word))
		return -1;
	*value = memory->word[at / 8];
	return 0;
}

static int memory_register(const struct memory *memory, unsigned number, uint64_t *value)
{
	if (number == 58) {
		*value = memory->thread;
		return memory->thread ? 0 : -1;
	}
	*value = memory->general[number];
	return memory->known >> number & 1 ? 0 : -1;
}

#define UNWIND_READ(context, address, value) memory_read(context, address, (uint64_t *)(value))
#define UNWIND_REGISTER(context, number, value) \
	memory_register(context, number, (uint64_t *)(value))
#define UNWIND_ADDRESS_MASK(context) (((const struct memory *)(context))->mask)
#include "../../bpf/unwind_step.h"

#define X86	      UNWIND_X86_64
#define ARM	      UNWIND_ARM64
#define BASE	      0x7000
#define SP	      0x7040
#define FP	      0x7080
#define KINDS(fp, ra) (UNWIND_FP_##fp | UNWIND_RA_##ra << 4)

/* The word at BASE + 8n holds VALUE(n): a return address and a saved frame pointer at once. */
#define VALUE(n)    (0x7100 + 8 * (uint64_t)(n))
#define AT(address) VALUE(((address)-BASE) / 8)

static struct memory memory_new(void)
{
	struct memory memory = { .base = BASE, .mask = (1ull << 48) - 1 };

	for (unsigned i = 0; i < 128; i++)
		memory.word[i] = VALUE(i);
	return memory;
}

struct step {
	int machine;
	struct unwind_rule rule;
	int end;
	uint64_t sp, ip, fp; /* fp 0: lost */
};

static const struct step steps[] = {
	{ X86, { .cfa = UNWIND_CFA_SP, .cfa_offset = 24 }, UNWIND_STEPPED, SP + 24, AT(SP + 16), FP },
	{ X86,
	  { .cfa = UNWIND_CFA_FP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = -16,
	    .cfa_offset = 16 },
	  UNWIND_STEPPED,
	  FP + 16,
	  AT(FP + 8),
	  AT(FP) },
	{ X86,
	  { .cfa = UNWIND_CFA_SP_DEREF, .extra = 48, .cfa_short = 8 },
	  UNWIND_STEPPED,
	  AT(SP + 48) + 8,
	  AT(AT(SP + 48)),
	  FP },
	{ X86,
	  { .cfa = UNWIND_CFA_FP_DEREF, .fp_ra = KINDS(AT_FP, BELOW_CFA), .extra = -8 },
	  UNWIND_STEPPED,
	  AT(FP - 8),
	  AT(AT(FP - 8) - 8),
	  AT(FP) },
	{ X86,
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_SP, BELOW_CFA),
	    .fp_offset = 8,
	    .cfa_offset = 24 },
	  UNWIND_STEPPED,
	  SP + 24,
	  AT(SP + 16),
	  AT(SP + 8) },
	{ X86,
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(IS_CFA, BELOW_CFA),
	    .fp_offset = -8,
	    .cfa_offset = 24 },
	  UNWIND_STEPPED,
	  SP + 24,
	  AT(SP + 16),
	  SP + 16 },
	{ X86,
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(LOST, BELOW_CFA), .cfa_offset = 24 },
	  UNWIND_STEPPED,
	  SP + 24,
	  AT(SP + 16),
	  0 },
	{ X86,
	  { .cfa = UNWIND_CFA_REGISTER, .extra = 10, .cfa_short = 8 },
	  UNWIND_STEPPED,
	  0x7108,
	  AT(0x7100),
	  FP },
	{ X86, { .cfa = UNWIND_CFA_REGISTER, .extra = 11 }, UNWIND_LOST_REGISTER, 0, 0, 0 },
	/* The pc ends in 5: below 11, and not below 5. */
	{ X86,
	  { .cfa = UNWIND_CFA_PLT, .cfa_short = 8, .extra = 11 },
	  UNWIND_STEPPED,
	  SP + 8,
	  AT(SP),
	  FP },
	{ X86,
	  { .cfa = UNWIND_CFA_PLT, .cfa_short = 8, .extra = 5 },
	  UNWIND_STEPPED,
	  SP + 16,
	  AT(SP + 8),
	  FP },
	{ X86,
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, REGISTER), .fp_offset = 5 },
	  UNWIND_STEPPED,
	  SP,
	  0x1234,
	  FP },
	{ X86,
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, ALONE), .fp_offset = -24, .cfa_offset = 32 },
	  UNWIND_STEPPED,
	  SP + 32,
	  AT(SP + 8),
	  FP },
	{ ARM,
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(SAME, AT_SP),
	    .fp_offset = 16,
	    .cfa_offset = 100000 },
	  UNWIND_STEPPED,
	  SP + 100000,
	  AT(SP + 16),
	  FP },
	/* An epilogue that has restored the frame pointer: it lies outside of the frame. */
	{ X86,
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(AT_FP, BELOW_CFA), .cfa_offset = 8 },
	  UNWIND_STEPPED,
	  SP + 8,
	  AT(SP),
	  FP },
	{ ARM,
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK) },
	  UNWIND_STEPPED,
	  SP,
	  0x3456789abcde,
	  FP },
	{ ARM,
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, PAIRED),
	    .fp_offset = -32,
	    .cfa_offset = 32 },
	  UNWIND_STEPPED,
	  SP + 32,
	  AT(SP + 8),
	  AT(SP) },
	{ ARM,
	  { .cfa = UNWIND_CFA_FP,
	    .fp_ra = KINDS(AT_CFA, OWN),
	    .fp_offset = -32,
	    .cfa_short = 32,
	    .extra = -16 },
	  UNWIND_STEPPED,
	  FP + 32,
	  AT(FP + 16),
	  AT(FP) },
	{ X86, { .cfa = UNWIND_RULE_GAP }, UNWIND_GAP, 0, 0, 0 },
	{ X86, { .cfa = UNWIND_RULE_UNSUPPORTED }, UNWIND_UNSUPPORTED, 0, 0, 0 },
	{ X86, { .cfa = UNWIND_CFA_MAX }, UNWIND_UNSUPPORTED, 0, 0, 0 },
	{ X86, { .cfa = UNWIND_RULE_OUTERMOST }, UNWIND_OUTERMOST, 0, 0, 0 },
	{ X86, { .cfa = UNWIND_CFA_SP, .cfa_offset = -8 }, UNWIND_STUCK, 0, 0, 0 },
	{ X86, { .cfa = UNWIND_CFA_SP, .cfa_offset = 0x10000 }, UNWIND_FAULT, 0, 0, 0 },
	{ X86, { .cfa = UNWIND_CFA_SP_DEREF, .extra = -0x100 }, UNWIND_FAULT, 0, 0, 0 },
	/* The frame pointer's place cannot be read: lost, but the walk goes on. */
	{ X86,
	  { .cfa = UNWIND_CFA_SP,
	    .fp_ra = KINDS(AT_CFA, BELOW_CFA),
	    .fp_offset = 0x1000,
	    .cfa_offset = 24 },
	  UNWIND_STEPPED,
	  SP + 24,
	  AT(SP + 16),
	  0 },
	{ X86,
	  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, PAIRED), .cfa_offset = 24 },
	  UNWIND_LOST_REGISTER,
	  0,
	  0,
	  0 },
};

/* The link register carries a pointer authentication code, from bit 48 on. */
static struct unwind_frame frame_new(void)
{
	return (struct unwind_frame){
		.ip = 0x5555,
		.sp = SP,
		.fp = FP,
		.link = 0xab923456789abcde,
		.exact = 1,
	};
}

static void test_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const struct step *step = &steps[i];
		struct unwind_frame frame = frame_new(), before = frame;
		struct memory memory = memory_new();

		memory.known = 1 << 10 | 1 << 5;
		memory.general[10] = 0x7100;
		memory.general[5] = 0x1234;
		print_message("step %zu\n", i);
		assert_int_equal(unwind_step(step->machine, &step->rule, &frame, &memory),
				 step->end);
		if (step->end != UNWIND_STEPPED) {
			assert_memory_equal(&frame, &before, sizeof(frame));
			continue;
		}
		assert_int_equal(frame.sp, step->sp);
		assert_int_equal(frame.ip, step->ip);
		assert_int_equal(frame.fp_lost, !step->fp);
		if (step->fp)
			assert_int_equal(frame.fp, step->fp);
		assert_int_equal(frame.exact, 0);
		assert_int_equal(frame.link, 0);
	}
}

/* What only frame 0 knows is not believed further up. */
static void test_caller_frames(void **state)
{
	static const struct step needs[] = {
		{ ARM, { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK) }, UNWIND_STUCK, 0, 0, 0 },
		{ ARM,
		  { .cfa = UNWIND_CFA_SP, .fp_ra = KINDS(SAME, LINK), .cfa_offset = 16 },
		  UNWIND_LOST_REGISTER,
		  0,
		  0,
		  0 },
		{ X86, { .cfa = UNWIND_CFA_REGISTER, .extra = 10 }, UNWIND_LOST_REGISTER, 0, 0, 0 },
		{ X86,
		  { .cfa = UNWIND_CFA_PLT, .cfa_short = 8, .extra = 11 },
		  UNWIND_LOST_REGISTER,
		  0,
		  0,
		  0 },
		{ X86, { .cfa = UNWIND_CFA_FP, .cfa_offset = 16 }, UNWIND_LOST_REGISTER, 0, 0, 0 },
		{ X86, { .cfa = UNWIND_CFA_SP }, UNWIND_STUCK, 0, 0, 0 },
	};
	struct memory memory = memory_new();

	(void)state;
	memory.known = UINT32_MAX;
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		struct unwind_frame frame = frame_new();

		frame.exact = 0;
		frame.fp_lost = 1;
		assert_int_equal(unwind_step(needs[i].machine, &needs[i].rule, &frame, &memory),
				 needs[i].end);
	}
}

/* Behind clone: what it returned tells parent and child apart. */
static void test_clone(void **state)
{
	const struct unwind_rule rule = { .cfa = UNWIND_RULE_CLONE };
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();

	(void)state;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_LOST_REGISTER);
	memory.known = 1;
	memory.general[0] = 0;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_OUTERMOST);
	memory.general[0] = (uint64_t)-38; /* not done yet: -ENOSYS stands there */
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.sp, SP + 8);
	assert_int_equal(frame.ip, AT(SP));
	assert_int_equal(frame.fp, FP);
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_LOST_REGISTER);
}

/* The caller has its stack pointer and pc there; unless the thread has let go of it. */
static void check_running(struct memory *memory, struct unwind_rule rule)
{
	const struct unwind_rule let_go = { .cfa = UNWIND_CFA_SP,
					    .fp_ra = KINDS(LOST, LET_GO),
					    .cfa_offset = 16 };
	struct unwind_frame frame = frame_new();

	rule.cfa = UNWIND_RULE_RUNNING;
	rule.fp_ra = 0;
	frame.exact = 0;
	memory->word[(0x71c0 - BASE) / 8] = 0x4321; /* behind BASE, where that stopped */
	assert_int_equal(unwind_step(X86, &rule, &frame, memory), UNWIND_STEPPED);
	assert_int_equal(frame.sp, BASE);
	assert_int_equal(frame.ip, 0x4321);
	assert_true(frame.fp_lost);
	assert_int_equal(frame.exact, 0);

	frame = frame_new();
	assert_int_equal(unwind_step(X86, &let_go, &frame, memory), UNWIND_STEPPED);
	assert_int_equal(frame.ip, AT(SP + 8));
	assert_int_equal(unwind_step(X86, &let_go, &frame, memory), UNWIND_STEPPED);
	assert_int_equal(unwind_step(X86, &rule, &frame, memory), UNWIND_OUTERMOST);
}

/* A caller that was interrupted stands at the very pc that is on the stack; but its registers are not known. */
static void test_interrupted(void **state)
{
	const struct unwind_rule rule = { .cfa = UNWIND_CFA_SP,
					  .rbx = UNWIND_RBX_LOST,
					  .fp_ra = KINDS(LOST, INTERRUPTED),
					  .cfa_offset = 16 };
	const struct unwind_rule by_r10 = { .cfa = UNWIND_CFA_REGISTER, .extra = 10 };
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();

	(void)state;
	memory.known = ~0u;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.ip, AT(SP + 8));
	assert_int_equal(unwind_lookup_ip(&frame), AT(SP + 8));
	assert_int_equal(unwind_step(X86, &by_r10, &frame, &memory), UNWIND_LOST_REGISTER);
}

/* The caller's stack is another one, and may lie below; its place is kept by the thread, or on this stack. */
static void test_other_stacks(void **state)
{
	const struct unwind_rule by_thread = { .cfa = UNWIND_CFA_THREAD,
					       .fp_ra = KINDS(LOST, BELOW_CFA),
					       .fp_offset = -8,
					       .cfa_short = 0xc0,
					       .extra = 0x30 | 0x38 << 8 };
	const struct unwind_rule by_stack = { .cfa = UNWIND_CFA_OTHER_STACK,
					      .fp_ra = KINDS(LOST, BELOW_CFA),
					      .fp_offset = 0x30,
					      .extra = 8,
					      .cfa_short = 0x28 };
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();

	(void)state;
	frame.exact = 0;
	assert_int_equal(unwind_step(X86, &by_thread, &frame, &memory), UNWIND_LOST_REGISTER);
	memory.thread = 0x7208;
	memory.word[(0x7200 - BASE) / 8] = 0x7300;	  /* g0 */
	memory.word[(0x7330 - BASE) / 8] = 0x7240;	  /* its m */
	memory.word[(0x7240 + 0xc0 - BASE) / 8] = 0x7180; /* which runs g, */
	memory.word[(0x7180 + 0x38 - BASE) / 8] = BASE;	  /* that stopped here: below */
	assert_int_equal(unwind_step(X86, &by_thread, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.sp, BASE + 8);
	assert_int_equal(frame.ip, AT(BASE));
	assert_true(frame.fp_lost);
	assert_int_equal(frame.exact, 0);
	check_running(&memory, by_thread);
	memory.thread = 0x123456;
	assert_int_equal(unwind_step(X86, &by_thread, &frame, &memory), UNWIND_FAULT);

	frame = frame_new();
	frame.exact = 0;
	memory = memory_new();
	memory.word[(SP + 0x30 - BASE) / 8] = 0x7180;
	memory.word[(0x7188 - BASE) / 8] = 0x7200; /* where that stack begins */
	memory.word[(SP + 0x28 - BASE) / 8] = 0x1f0;
	assert_int_equal(unwind_step(X86, &by_stack, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.sp, 0x7200 - 0x1f0 + 8);
	assert_int_equal(frame.ip, AT(0x7200 - 0x1f0));
	memory.word[(SP + 0x30 - BASE) / 8] = 0;
	frame.sp = SP;
	assert_int_equal(unwind_step(X86, &by_stack, &frame, &memory), UNWIND_FAULT);
}

/* rbx is found where the last frame that saved it did, or still in the register. */
static void test_rbx(void **state)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .cfa_offset = 24 };
	const struct unwind_rule by_rbx = { .cfa = UNWIND_CFA_REGISTER,
					    .extra = 3,
					    .cfa_short = 8 };
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();

	(void)state;
	memory.known = 1 << 3;
	memory.general[3] = 0x7200;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(unwind_step(X86, &by_rbx, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.sp, 0x7208);
	frame = frame_new();
	rule.rbx = 2; /* CFA - 24 */
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	rule.rbx = UNWIND_RBX_SAME;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(unwind_step(X86, &by_rbx, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.sp, AT(SP) + 8);
	rule.rbx = UNWIND_RBX_LOST;
	frame = frame_new();
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(unwind_step(X86, &by_rbx, &frame, &memory), UNWIND_LOST_REGISTER);
}

/* A frame pointer that was lost is found again where a frame further up had saved it. */
static void test_frame_pointer_found_again(void **state)
{
	struct unwind_rule rule = {
		.cfa = UNWIND_CFA_SP,
		.fp_ra = KINDS(IS_CFA, BELOW_CFA),
		.cfa_offset = 24,
	};
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();

	(void)state;
	frame.fp_lost = 1;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.fp_lost, 0);
	assert_int_equal(frame.fp, SP + 24);
	frame.fp_lost = 1;
	rule.fp_ra = KINDS(AT_CFA, BELOW_CFA);
	rule.fp_offset = -16;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.fp_lost, 0);
	assert_int_equal(frame.fp, AT(SP + 32));
	frame.fp_lost = 1;
	rule.fp_ra = KINDS(SAME, BELOW_CFA);
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.fp_lost, 1);
}

static void test_zero_return_address(void **state)
{
	const struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 };
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();

	(void)state;
	memory.word[(SP - BASE) / 8] = 0;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_ZERO);
}

/* The layouts are the kernel's, by the headers of this machine; arm64's by offsets from its headers. */
static void test_signal_frames(void **state)
{
	const struct unwind_rule rule = { .cfa = UNWIND_RULE_SIGNAL };
	const struct unwind_rule by_r10 = { .cfa = UNWIND_CFA_REGISTER, .extra = 10 };
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();

	(void)state;
	frame.exact = 0;
	frame.sp = BASE;
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.ip, AT(BASE + 168));
	assert_int_equal(frame.sp, AT(BASE + 160));
	assert_int_equal(frame.fp, AT(BASE + 120));
	assert_int_equal(frame.exact, 1);
	assert_int_equal(unwind_lookup_ip(&frame), frame.ip);
	/* r10 is the third register there; that of frame 0 would be another. */
	memory.word[(40 + 16) / 8] = 0x7200;
	memory.known = UINT32_MAX;
	assert_int_equal(unwind_step(X86, &by_r10, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.sp, 0x7200);
	assert_int_equal(frame.signal, 0);
	assert_int_equal(unwind_lookup_ip(&frame), frame.ip - 1);

	frame = frame_new();
	frame.sp = BASE;
	assert_int_equal(unwind_step(ARM, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.ip, AT(BASE + 312 + 8 * 32));
	assert_int_equal(frame.sp, AT(BASE + 312 + 8 * 31));
	assert_int_equal(frame.link, AT(BASE + 312 + 8 * 30));
	assert_int_equal(frame.fp, AT(BASE + 312 + 8 * 29));

	frame.sp = BASE + 0x300;
	assert_int_equal(unwind_step(ARM, &rule, &frame, &memory), UNWIND_FAULT);
}

#ifdef __x86_64__
#include <ucontext.h>

/* Where sigcontext has each register, against the C library's own names for them. */
static void test_signal_slots(void **state)
{
	static const int names[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				     REG_RBP, REG_RSP, REG_R8,	REG_R9,	 REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15 };

	(void)state;
	assert_int_equal(offsetof(ucontext_t, uc_mcontext.gregs), UNWIND_X86_64_SIGNAL_REGISTERS);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(unwind_signal_slot(X86, i), 8 * names[i]);
	assert_int_equal(REG_RIP, 16);
	assert_int_equal(REG_RSP, 15);
	assert_int_equal(REG_RBP, 10);
}
#endif

static void test_guess(void **state)
{
	struct unwind_frame frame = frame_new();
	struct memory memory = memory_new();
	struct unwind_rule rule = unwind_guess_rule(X86);

	(void)state;
	assert_true(unwind_may_guess(&frame));
	assert_int_equal(unwind_step(X86, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.ip, AT(FP + 8));
	assert_int_equal(frame.fp, AT(FP));
	frame = frame_new();
	rule = unwind_guess_rule(ARM);
	assert_int_equal(unwind_step(ARM, &rule, &frame, &memory), UNWIND_STEPPED);
	assert_int_equal(frame.ip, AT(FP + 8));
	assert_int_equal(frame.fp, AT(FP));
	frame.fp = frame.sp - 8;
	assert_false(unwind_may_guess(&frame));
	frame.fp = frame.sp + 4;
	assert_false(unwind_may_guess(&frame));
	frame.fp = frame.sp + 8;
	assert_true(unwind_may_guess(&frame));
	frame.fp_lost = 1;
	assert_false(unwind_may_guess(&frame));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_caller_frames),
		cmocka_unit_test(test_clone),
		cmocka_unit_test(test_other_stacks),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_rbx),
		cmocka_unit_test(test_frame_pointer_found_again),
		cmocka_unit_test(test_zero_return_address),
		cmocka_unit_test(test_signal_frames),
#ifdef __x86_64__
		cmocka_unit_test(test_signal_slots),
#endif
		cmocka_unit_test(test_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
