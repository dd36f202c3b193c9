// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stack machine. Anything it has no shape for ends the run; there are no jumps, so it ends. */
#include "expression.h"

#include <dwarf.h>
#include <errno.h>

#define MAX_STACK 8
/* The longest shape that we know has 11 bytes; one expression may be run for each of many rows. */
#define MAX_SIZE 64

struct machine {
	struct term stack[MAX_STACK];
	unsigned depth;
	uint64_t pc;
};

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int push(struct machine *machine, struct term term)
{
	if (machine->depth == MAX_STACK)
		return -ENOTSUP;
	machine->stack[machine->depth++] = term;
	return 0;
}

static int push_constant(struct machine *machine, uint64_t value)
{
	return push(machine, (struct term){ .kind = TERM_CONSTANT, .offset = (int64_t)value });
}

static int push_register(struct machine *machine, uint64_t reg, int64_t offset)
{
	return push(machine, (struct term){ .kind = TERM_REGISTER, .reg = reg, .offset = offset });
}

/* a + b, where one is a constant or what a PLT adds. */
static int add(const struct term *a, const struct term *b, struct term *result)
{
	const struct term *base = b->kind == TERM_REGISTER ? b : a;
	const struct term *added = base == a ? b : a;

	if (base->kind == TERM_CONSTANT && added->kind != TERM_PC_EIGHT) {
		base = added;
		added = a;
	}
	*result = *base;
	if (added->kind == TERM_CONSTANT && base->kind != TERM_PC_LOW &&
	    base->kind != TERM_PC_REACHED && base->kind != TERM_PC_EIGHT) {
		result->offset = sum(base->offset, added->offset);
		return 0;
	}
	if (added->kind == TERM_PC_EIGHT && base->kind == TERM_REGISTER) {
		result->kind = TERM_PLT;
		result->inner = added->inner;
		return 0;
	}
	return -ENOTSUP;
}

/* The other operators that have two operands: the steps of a PLT entry, in their only use. */
static int combine(const struct machine *machine, uint8_t op, const struct term *a,
		   const struct term *b, struct term *result)
{
	if (op == DW_OP_plus)
		return add(a, b, result);
	if (b->kind != TERM_CONSTANT)
		return -ENOTSUP;
	*result = *a;
	if (op == DW_OP_minus && (a->kind <= TERM_DEREF || a->kind == TERM_PLT)) {
		result->offset = (int64_t)((uint64_t)a->offset - (uint64_t)b->offset);
	} else if (op == DW_OP_and && a->kind == TERM_REGISTER && a->reg == machine->pc &&
		   !a->offset && b->offset == 15) {
		result->kind = TERM_PC_LOW;
	} else if (op == DW_OP_ge && a->kind == TERM_PC_LOW) {
		result->kind = TERM_PC_REACHED;
		result->inner = b->offset;
	} else if (op == DW_OP_shl && a->kind == TERM_PC_REACHED && b->offset == 3) {
		result->kind = TERM_PC_EIGHT;
	} else {
		return -ENOTSUP;
	}
	return 0;
}

static int run_binary(struct machine *machine, uint8_t op)
{
	struct term result;
	int err;

	if (machine->depth < 2)
		return -EBADMSG;
	err = combine(machine, op, &machine->stack[machine->depth - 2],
		      &machine->stack[machine->depth - 1], &result);
	if (err)
		return err;
	machine->stack[--machine->depth - 1] = result;
	return 0;
}

static int run_deref(struct machine *machine)
{
	struct term *top;

	if (!machine->depth)
		return -EBADMSG;
	top = &machine->stack[machine->depth - 1];
	if (top->kind != TERM_REGISTER)
		return -ENOTSUP;
	top->kind = TERM_DEREF;
	top->inner = top->offset;
	top->offset = 0;
	return 0;
}

static int run_plus(struct machine *machine, uint64_t constant)
{
	int err = push_constant(machine, constant);

	return err ? err : run_binary(machine, DW_OP_plus);
}

static int run_constant(struct machine *machine, uint8_t op, struct reader *operands)
{
	/* DW_OP_const1u, 1s, 2u, 2s, 4u, 4s, 8u, 8s: the sizes double, the odd ones are signed. */
	unsigned kind = op - DW_OP_const1u, size = 1u << kind / 2, unused = 64 - 8 * size;
	uint64_t value = reader_fixed(operands, size);

	if (kind & 1)
		value = (uint64_t)((int64_t)(value << unused) >> unused);
	return push_constant(machine, value);
}

static int run_op(struct machine *machine, uint8_t op, struct reader *operands)
{
	uint64_t reg;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return push_constant(machine, op - DW_OP_lit0);
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return push_register(machine, op - DW_OP_breg0, reader_sleb(operands));
	if (op >= DW_OP_const1u && op <= DW_OP_const8s)
		return run_constant(machine, op, operands);
	switch (op) {
	case DW_OP_bregx:
		reg = reader_uleb(operands);
		return push_register(machine, reg, reader_sleb(operands));
	case DW_OP_constu:
		return push_constant(machine, reader_uleb(operands));
	case DW_OP_consts:
		return push_constant(machine, (uint64_t)reader_sleb(operands));
	case DW_OP_plus_uconst:
		return run_plus(machine, reader_uleb(operands));
	case DW_OP_deref:
		return run_deref(machine);
	case DW_OP_nop:
		return 0;
	default:
		return run_binary(machine, op);
	}
}

int expression_understand(struct reader expression, bool with_cfa, uint64_t pc, struct term *result)
{
	struct machine machine = { .pc = pc };
	int err = 0;

	if (reader_left(&expression) > MAX_SIZE)
		return -ENOTSUP;
	if (with_cfa)
		err = push(&machine, (struct term){ .kind = TERM_CFA });
	while (!err && !reader_done(&expression)) {
		uint8_t op = (uint8_t)reader_fixed(&expression, 1);

		err = run_op(&machine, op, &expression);
	}
	if (expression.bad)
		return -EBADMSG;
	if (err)
		return err;
	if (!machine.depth)
		return -EBADMSG;
	*result = machine.stack[machine.depth - 1];
	return 0;
}
