// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs call frame instructions. Each costs at least a byte, and none jumps, so that the time is
 * bounded by the section's size; remembered states are few.
 */
#include "cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "rule.h"

/* Compilers nest once. */
#define MAX_REMEMBERED 8

struct run {
	const struct cfi_cie *cie;
	const struct unwind_registers *registers;
	struct reader code;
	const uint8_t *begin;
	uint64_t vaddr; /* of begin */
	uint64_t at;	/* the row that is being built holds from here */
	struct cfi_state state;
	struct cfi_state remembered[MAX_REMEMBERED];
	unsigned depth;
};

static struct saved *saved_of(struct run *run, uint64_t reg)
{
	if (reg == run->registers->fp)
		return &run->state.fp;
	if (reg == run->registers->sp)
		return &run->state.sp;
	if (reg == run->registers->ra)
		return &run->state.ra;
	return reg == run->registers->rbx ? &run->state.rbx : NULL;
}

static void set(struct run *run, uint64_t reg, enum saved_kind kind, int64_t value)
{
	struct saved *saved = saved_of(run, reg);

	if (saved)
		*saved = (struct saved){ .kind = kind, .value = value };
}

static int64_t times(const struct run *run, uint64_t factor)
{
	return (int64_t)(factor * (uint64_t)run->cie->data_alignment);
}

static void set_expression(struct run *run, enum saved_kind kind)
{
	struct saved *saved = saved_of(run, reader_uleb(&run->code));
	struct reader expression = reader_part(&run->code, reader_uleb(&run->code));

	if (saved)
		*saved = (struct saved){ .kind = kind, .expression = expression };
}

static void restore(struct run *run, uint64_t reg)
{
	const struct cfi_state *initial = &run->cie->initial;
	struct saved *saved = saved_of(run, reg);
	if (saved == &run->state.fp)
		*saved = initial->fp;
	else if (saved == &run->state.sp)
		*saved = initial->sp;
	else if (saved == &run->state.ra)
		*saved = initial->ra;
	else if (saved)
		*saved = initial->rbx;
}

static void define_cfa(struct run *run, uint64_t reg, int64_t offset)
{
	run->state.has_cfa = true;
	run->state.cfa_is_expression = false;
	run->state.cfa_register = reg;
	run->state.cfa_offset = offset;
}

static void define_cfa_expression(struct run *run)
{
	run->state.has_cfa = true;
	run->state.cfa_is_expression = true;
	run->state.cfa_expression = reader_part(&run->code, reader_uleb(&run->code));
}

/*
 * Only half of a CFA: the other half must be there. The standard has no such thing after an
 * expression, but hand-written assembly does, and means what was in force before it, as libgcc does.
 */
static int change_cfa(struct run *run, bool reg, uint64_t value)
{
	if (!run->state.has_cfa)
		return -EBADMSG;
	if (!reg) {
		run->state.cfa_offset = (int64_t)value;
		return 0;
	}
	run->state.cfa_register = value;
	run->state.cfa_is_expression = false;
	return 0;
}

static int remember(struct run *run)
{
	if (run->depth == MAX_REMEMBERED)
		return -EBADMSG;
	run->remembered[run->depth++] = run->state;
	return 0;
}

static int recall(struct run *run)
{
	if (!run->depth)
		return -EBADMSG;
	run->state = run->remembered[--run->depth];
	return 0;
}

static int run_cfa_op(struct run *run, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = reader_uleb(&run->code);
		define_cfa(run, reg, (int64_t)reader_uleb(&run->code));
		return 0;
	case DW_CFA_def_cfa_sf:
		reg = reader_uleb(&run->code);
		define_cfa(run, reg, times(run, (uint64_t)reader_sleb(&run->code)));
		return 0;
	case DW_CFA_def_cfa_register:
		return change_cfa(run, true, reader_uleb(&run->code));
	case DW_CFA_def_cfa_offset:
		return change_cfa(run, false, reader_uleb(&run->code));
	case DW_CFA_def_cfa_offset_sf:
		reg = (uint64_t)reader_sleb(&run->code);
		return change_cfa(run, false, (uint64_t)times(run, reg));
	case DW_CFA_def_cfa_expression:
		define_cfa_expression(run);
		return 0;
	default:
		return -EBADMSG;
	}
}

/* The instructions that name a register and a multiple of the data alignment. */
static void run_offset_op(struct run *run, uint8_t op)
{
	uint64_t reg = reader_uleb(&run->code), factor;
	bool is_signed = op == DW_CFA_offset_extended_sf || op == DW_CFA_val_offset_sf;
	bool is_value = op == DW_CFA_val_offset || op == DW_CFA_val_offset_sf;

	factor = is_signed ? (uint64_t)reader_sleb(&run->code) : reader_uleb(&run->code);
	if (op == DW_CFA_GNU_negative_offset_extended)
		factor = -factor;
	set(run, reg, is_value ? SAVED_IS_CFA : SAVED_AT_CFA, times(run, factor));
}

static int run_register_op(struct run *run, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
		run_offset_op(run, op);
		return 0;
	case DW_CFA_undefined:
		set(run, reader_uleb(&run->code), SAVED_UNDEFINED, 0);
		return 0;
	case DW_CFA_same_value:
		set(run, reader_uleb(&run->code), SAVED_SAME, 0);
		return 0;
	case DW_CFA_register:
		reg = reader_uleb(&run->code);
		set(run, reg, SAVED_IN_REGISTER, (int64_t)reader_uleb(&run->code));
		return 0;
	case DW_CFA_restore_extended:
		restore(run, reader_uleb(&run->code));
		return 0;
	case DW_CFA_expression:
		set_expression(run, SAVED_AT_EXPRESSION);
		return 0;
	case DW_CFA_val_expression:
		set_expression(run, SAVED_IS_EXPRESSION);
		return 0;
	default:
		return run_cfa_op(run, op);
	}
}

static int run_op(struct run *run, uint8_t op)
{
	uint8_t operand = op & 0x3f;

	if ((op & 0xc0) == DW_CFA_offset) {
		set(run, operand, SAVED_AT_CFA, times(run, reader_uleb(&run->code)));
		return 0;
	}
	if ((op & 0xc0) == DW_CFA_restore) {
		restore(run, operand);
		return 0;
	}
	switch (op) {
	case DW_CFA_nop:
	/* arm64: toggles return address signing. The walk strips the signature from any address. */
	case DW_CFA_GNU_window_save:
		return 0;
	case DW_CFA_GNU_args_size:
		reader_uleb(&run->code);
		return 0;
	case DW_CFA_remember_state:
		return remember(run);
	case DW_CFA_restore_state:
		return recall(run);
	default:
		return run_register_op(run, op);
	}
}

/* Where the next row begins, when op says that one does. */
static bool advance_to(struct run *run, uint8_t op, uint64_t *next)
{
	uint64_t here = run->vaddr + (uint64_t)(run->code.at - run->begin), delta;

	if ((op & 0xc0) == DW_CFA_advance_loc)
		delta = op & 0x3f;
	else if (op == DW_CFA_advance_loc1)
		delta = reader_fixed(&run->code, 1);
	else if (op == DW_CFA_advance_loc2)
		delta = reader_fixed(&run->code, 2);
	else if (op == DW_CFA_advance_loc4)
		delta = reader_fixed(&run->code, 4);
	else if (op == DW_CFA_MIPS_advance_loc8)
		delta = reader_fixed(&run->code, 8);
	else if (op == DW_CFA_set_loc) {
		*next = reader_pointer(&run->code, run->cie->pointer_encoding, here);
		return true;
	} else
		return false;
	*next = run->at + delta * run->cie->code_alignment;
	return true;
}

static void run_begin(struct run *run, const struct cfi_cie *cie, struct reader code,
		      uint64_t vaddr)
{
	run->cie = cie;
	run->registers = unwind_registers(cie->machine);
	run->code = code;
	run->begin = code.at;
	run->vaddr = vaddr;
	run->depth = 0;
	run->state = cie->initial;
}

int cfi_run_cie(struct cfi_cie *cie, struct reader instructions, uint64_t vaddr)
{
	struct run run;
	int err = 0;

	run_begin(&run, cie, instructions, vaddr);
	while (!err && !reader_done(&run.code))
		err = run_op(&run, (uint8_t)reader_fixed(&run.code, 1));
	if (err || run.code.bad)
		return -EBADMSG;
	cie->initial = run.state;
	return 0;
}

#define PLT_PUSHED 16

/*
 * The dynamic linker's lazy resolver of arm64 is not called: the PLT pushes the return address and jumps there.
 * glibc's CFI begins behind the push, so that the return address is above its CFA, and the caller's stack pointer
 * 16 bytes too low in all of the function. Nothing else has a return address there.
 */
static int find_pushed(const struct cfi_cie *cie, struct reader instructions, uint64_t vaddr)
{
	/* the only instruction that says "above the CFA" */
	const int above = DW_CFA_offset_extended_sf;
	struct run run;
	uint64_t next;
	int err = 0;

	if (cie->machine != UNWIND_ARM64 || reader_done(&instructions) ||
	    !memchr(instructions.at, above, reader_left(&instructions)))
		return 0;
	run_begin(&run, cie, instructions, vaddr);
	run.at = 0;
	while (!err && !reader_done(&run.code)) {
		uint8_t op = (uint8_t)reader_fixed(&run.code, 1);

		if (!advance_to(&run, op, &next))
			err = run_op(&run, op);
		if (run.state.ra.kind == SAVED_AT_CFA && run.state.ra.value >= 0 &&
		    run.state.ra.value < PLT_PUSHED)
			return PLT_PUSHED;
	}
	return 0;
}

/*
 * A rule that malformed instructions came after is as they said up to there; from there on the
 * caller closes with a gap.
 */
int cfi_run_fde(const struct cfi_cie *cie, struct reader instructions, uint64_t vaddr,
		uint64_t start, uint64_t end, cfi_row_fn *row, void *data)
{
	int pushed = find_pushed(cie, instructions, vaddr), err = 0;
	struct unwind_rule rule;
	struct run run;

	run_begin(&run, cie, instructions, vaddr);
	run.at = start;
	while (!err && !reader_done(&run.code)) {
		uint8_t op = (uint8_t)reader_fixed(&run.code, 1);
		uint64_t next;

		if (!advance_to(&run, op, &next)) {
			err = run_op(&run, op);
			continue;
		}
		if (run.code.bad || next < run.at)
			return -EBADMSG;
		if (next == run.at)
			continue;
		rule = rule_of_state(cie, &run.state, pushed);
		err = row(data, run.at, &rule);
		if (err || next >= end)
			return err;
		run.at = next;
	}
	if (err || run.code.bad)
		return -EBADMSG;
	rule = rule_of_state(cie, &run.state, pushed);
	return row(data, run.at, &rule);
}
