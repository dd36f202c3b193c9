/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A machine state made up, and who the caller is in libdw's reading of the CFI: its expressions, computed on that
 * state.
 */
#ifndef TRACER_LIBDW_CALLER_H
#define TRACER_LIBDW_CALLER_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/table.h"

#define REGISTERS 33

/* A made-up machine state; memory is a function of the address. */
struct world {
	enum unwind_machine machine;
	uint64_t reg[REGISTERS];
};

static inline uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x7fb5d329728ea185;
	x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44d;
	return x ^ (x >> 33);
}

/* Canonical, aligned, and above any stack pointer of worlds, so that a step is never stuck. */
static inline uint64_t memory_at(uint64_t address)
{
	return 0x780000000000 | (mix(address) & 0xfffffffff8);
}

static inline int world_read(uint64_t address, uint64_t *value)
{
	*value = memory_at(address);
	return 0;
}

static inline int world_register(const struct world *world, unsigned number, uint64_t *value)
{
	*value = world->reg[number];
	return 0;
}

#define UNWIND_READ(context, address, value) \
	((void)(context), world_read(address, (uint64_t *)(value)))
#define UNWIND_REGISTER(context, number, value) world_register(context, number, (uint64_t *)(value))
/* Above 48 bits there may be a pointer authentication code. */
#define ARM64_ADDRESS_MASK ((1ull << 48) - 1)
#define UNWIND_ADDRESS_MASK(context)                                                       \
	(((const struct world *)(context))->machine == UNWIND_ARM64 ? ARM64_ADDRESS_MASK : \
								      UINT64_MAX)
#include "../../bpf/unwind_step.h"

struct numbers {
	int fp, sp, ra;
};

static const struct numbers numbers[] = {
	[UNWIND_X86_64] = { 6, 7, 16 },
	[UNWIND_ARM64] = { 29, 31, 30 },
};

static inline void make_world(struct world *world, enum unwind_machine machine, uint64_t pc)
{
	world->machine = machine;
	for (int i = 0; i < REGISTERS; i++)
		world->reg[i] = 0x700000000000 + (mix((uint64_t)i * 977 + 1) & 0xfffffff8);
	/* The frame pointer lies in the frame, so far above that offsets do not matter. */
	world->reg[numbers[machine].sp] = 0x10000000;
	world->reg[numbers[machine].fp] = 0x20000000000;
	if (machine == UNWIND_X86_64)
		world->reg[16] = pc;
}

/* ---- libdw's side: expressions, computed ---- */

enum found { FOUND_VALUE, FOUND_UNDEFINED, FOUND_SAME, FOUND_FAILED, FOUND_REFUSED };

struct evaluation {
	const struct world *world;
	uint64_t cfa;
	uint64_t stack[32];
	int depth;
	bool value; /* DW_OP_stack_value: no address */
};

static inline bool operate(struct evaluation *e, uint8_t op)
{
	uint64_t b, *a;

	if (e->depth < 2)
		return false;
	b = e->stack[--e->depth];
	a = &e->stack[e->depth - 1];
	switch (op) {
	case DW_OP_plus:
		*a += b;
		return true;
	case DW_OP_minus:
		*a -= b;
		return true;
	case DW_OP_and:
		*a &= b;
		return true;
	case DW_OP_ge:
		*a = (int64_t)*a >= (int64_t)b;
		return true;
	case DW_OP_shl:
		*a <<= b & 63;
		return true;
	default:
		return false;
	}
}

static inline bool evaluate_op(struct evaluation *e, const Dwarf_Op *op)
{
	if (e->depth >= 30)
		return false;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		e->stack[e->depth++] = e->world->reg[op->atom - DW_OP_breg0] + op->number;
		return true;
	}
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		e->stack[e->depth++] = op->atom - DW_OP_lit0;
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		if (op->number >= REGISTERS)
			return false;
		e->stack[e->depth++] = e->world->reg[op->number] + op->number2;
		return true;
	case DW_OP_call_frame_cfa:
		e->stack[e->depth++] = e->cfa;
		return true;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_constu:
	case DW_OP_consts:
		e->stack[e->depth++] = op->number;
		return true;
	case DW_OP_plus_uconst:
		return e->depth && (e->stack[e->depth - 1] += op->number, true);
	case DW_OP_deref:
		return e->depth &&
		       (e->stack[e->depth - 1] = memory_at(e->stack[e->depth - 1]), true);
	case DW_OP_stack_value:
		e->value = true;
		return true;
	case DW_OP_nop:
		return true;
	default:
		return operate(e, op->atom);
	}
}

static inline bool evaluate(struct evaluation *e, const Dwarf_Op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!evaluate_op(e, &ops[i]))
			return false;
	}
	return e->depth > 0;
}

static inline enum found libdw_cfa(const struct world *world, Dwarf_Frame *frame, uint64_t *cfa)
{
	struct evaluation e = { .world = world };
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count))
		return FOUND_REFUSED;
	if (!count || !evaluate(&e, ops, count))
		return FOUND_FAILED;
	*cfa = e.stack[e.depth - 1];
	return FOUND_VALUE;
}

static inline enum found libdw_register(const struct world *world, Dwarf_Frame *frame, int reg,
					uint64_t cfa, uint64_t *value)
{
	struct evaluation e = { .world = world, .cfa = cfa };
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, reg, memory, &ops, &count))
		return FOUND_FAILED;
	if (!count)
		return ops ? FOUND_UNDEFINED : FOUND_SAME;
	if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		*value = world->reg[ops[0].atom - DW_OP_reg0];
		return FOUND_VALUE;
	}
	if (count == 1 && ops[0].atom == DW_OP_regx && ops[0].number < REGISTERS) {
		*value = world->reg[ops[0].number];
		return FOUND_VALUE;
	}
	if (!evaluate(&e, ops, count))
		return FOUND_FAILED;
	*value = e.value ? e.stack[e.depth - 1] : memory_at(e.stack[e.depth - 1]);
	return FOUND_VALUE;
}

#endif
