// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * DWARF expressions as sums: each value on the stack is a base (a register, the frame address, ...) plus
 * a number, and what makes anything else of it is not simple.
 */
#include "locate.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

#define MAX_STACK 16
#define MAX_OPS	  256

enum base { BASE_NUMBER, BASE_REGISTER, BASE_CFA, BASE_ADDRESS, BASE_TLS, BASE_ENTRY };

struct sum {
	enum base base;
	unsigned int reg;
	int64_t offset;
};

struct expression {
	Dwarf_Attribute *attribute;
	Dwarf_Die *function;
	uint64_t pc;
	struct sum stack[MAX_STACK];
	size_t depth;
	/* What the part that is being read says; a part ends with a piece or with the expression. */
	struct debug_location part;
	bool is_told; /* by part alone, not by the stack */
	bool is_value;
};

static const struct debug_location nowhere = {
	.place = DEBUG_PLACE_UNKNOWN,
	.reason = DEBUG_REASON_OPTIMIZED_OUT,
};

static struct debug_location unknown(enum debug_reason reason)
{
	return (struct debug_location){ .place = DEBUG_PLACE_UNKNOWN, .reason = reason };
}

void debug_location_free(struct debug_location *location)
{
	free(location->pieces);
	*location = nowhere;
}

static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool push(struct expression *e, enum base base, unsigned int reg, uint64_t offset)
{
	if (e->depth >= MAX_STACK)
		return false;
	e->stack[e->depth++] = (struct sum){ base, reg, (int64_t)offset };
	return true;
}

static bool tell(struct expression *e, struct debug_location location)
{
	if (e->is_told || e->depth)
		return false;
	e->part = location;
	e->is_told = true;
	return true;
}

static bool tell_register(struct expression *e, uint64_t reg)
{
	return reg <= UINT16_MAX && tell(e, (struct debug_location){ .place = DEBUG_PLACE_REGISTER,
								     .reg = (unsigned int)reg });
}

static bool push_register(struct expression *e, uint64_t reg, uint64_t offset)
{
	return reg <= UINT16_MAX && push(e, BASE_REGISTER, (unsigned int)reg, offset);
}

/* The function's frame base is the frame address, or a register: its value, also when it is "in" it. */
static bool push_frame_base(struct expression *e, uint64_t offset)
{
	Dwarf_Attribute base;
	Dwarf_Op *op;
	size_t count;

	if (!e->function || !dwarf_attr_integrate(e->function, DW_AT_frame_base, &base) ||
	    dwarf_getlocation_addr(&base, e->pc, &op, &count, 1) != 1 || count != 1)
		return false;
	if (op->atom == DW_OP_call_frame_cfa)
		return push(e, BASE_CFA, 0, offset);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return push_register(e, op->atom - DW_OP_reg0, offset);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(e, op->atom - DW_OP_breg0, op->number + offset);
	if (op->atom == DW_OP_regx)
		return push_register(e, op->number, offset);
	if (op->atom == DW_OP_bregx)
		return push_register(e, op->number, op->number2 + offset);
	return false;
}

/* An operand that is an index into .debug_addr: libdw gives it as an attribute. */
static bool push_indexed(struct expression *e, const Dwarf_Op *op)
{
	Dwarf_Attribute operand;
	Dwarf_Addr address;
	Dwarf_Word word;

	if (dwarf_getlocation_attr(e->attribute, op, &operand))
		return false;
	if (op->atom == DW_OP_constx || op->atom == DW_OP_GNU_const_index) {
		if (!dwarf_formudata(&operand, &word) || !dwarf_formaddr(&operand, &word))
			return push(e, BASE_NUMBER, 0, word);
		return false;
	}
	return !dwarf_formaddr(&operand, &address) && push(e, BASE_ADDRESS, 0, address);
}

static bool push_entry_value(struct expression *e, const Dwarf_Op *op)
{
	Dwarf_Attribute operand;
	Dwarf_Op *inner;
	size_t count;

	if (dwarf_getlocation_attr(e->attribute, op, &operand) ||
	    dwarf_getlocation(&operand, &inner, &count) || count != 1)
		return false;
	if (inner->atom >= DW_OP_reg0 && inner->atom <= DW_OP_reg31)
		return push(e, BASE_ENTRY, inner->atom - DW_OP_reg0, 0);
	if (inner->atom == DW_OP_regx && inner->number <= UINT16_MAX)
		return push(e, BASE_ENTRY, (unsigned int)inner->number, 0);
	return false;
}

static bool tell_implicit(struct expression *e, const Dwarf_Op *op)
{
	Dwarf_Block block;

	if (dwarf_getlocation_implicit_value(e->attribute, op, &block))
		return false;
	return tell(e, (struct debug_location){ .place = DEBUG_PLACE_CONSTANT,
						.bytes = block.data,
						.byte_count = block.length });
}

/* A sum of two, of which one is a number. */
static bool combine(struct expression *e, unsigned int atom)
{
	struct sum *a, b;

	if (e->depth < 2)
		return false;
	b = e->stack[e->depth - 1];
	a = &e->stack[e->depth - 2];
	if (atom == DW_OP_minus) {
		if (b.base != BASE_NUMBER)
			return false;
		b.offset = (int64_t) - (uint64_t)b.offset;
	}
	if (a->base == BASE_NUMBER)
		*a = (struct sum){ b.base, b.reg, add(a->offset, b.offset) };
	else if (b.base == BASE_NUMBER)
		a->offset = add(a->offset, b.offset);
	else
		return false;
	e->depth--;
	return true;
}

static bool to_tls(struct expression *e)
{
	if (!e->depth || (e->stack[e->depth - 1].base != BASE_NUMBER &&
			  e->stack[e->depth - 1].base != BASE_ADDRESS))
		return false;
	e->stack[e->depth - 1].base = BASE_TLS;
	return true;
}

static bool is_between(const Dwarf_Op *op, unsigned int first, unsigned int last)
{
	return op->atom >= first && op->atom <= last;
}

/* false: not simple. */
static bool operate(struct expression *e, const Dwarf_Op *op)
{
	if (is_between(op, DW_OP_lit0, DW_OP_lit31))
		return push(e, BASE_NUMBER, 0, op->atom - DW_OP_lit0);
	if (is_between(op, DW_OP_reg0, DW_OP_reg31))
		return tell_register(e, op->atom - DW_OP_reg0);
	if (is_between(op, DW_OP_breg0, DW_OP_breg31))
		return push_register(e, op->atom - DW_OP_breg0, op->number);
	if (is_between(op, DW_OP_const1u, DW_OP_consts))
		return push(e, BASE_NUMBER, 0, op->number);
	switch (op->atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_regx:
		return tell_register(e, op->number);
	case DW_OP_bregx:
		return push_register(e, op->number, op->number2);
	case DW_OP_fbreg:
		return push_frame_base(e, op->number);
	case DW_OP_call_frame_cfa:
		return push(e, BASE_CFA, 0, 0);
	case DW_OP_addr:
		return push(e, BASE_ADDRESS, 0, op->number);
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		return push_indexed(e, op);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return to_tls(e);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(e, op);
	case DW_OP_plus_uconst:
		return push(e, BASE_NUMBER, 0, op->number) && combine(e, DW_OP_plus);
	case DW_OP_plus:
	case DW_OP_minus:
		return combine(e, op->atom);
	case DW_OP_implicit_value:
		return tell_implicit(e, op);
	case DW_OP_stack_value:
		e->is_value = true;
		return e->depth > 0;
	default:
		return false;
	}
}

/* What a part has come to. */
static struct debug_location finish_part(const struct expression *e)
{
	static const enum debug_place places[][2] = {
		/* the variable's address, the variable's value */
		[BASE_NUMBER] = { DEBUG_PLACE_MEMORY, DEBUG_PLACE_CONSTANT },
		[BASE_REGISTER] = { DEBUG_PLACE_MEMORY_REGISTER, DEBUG_PLACE_VALUE_REGISTER },
		[BASE_CFA] = { DEBUG_PLACE_MEMORY_CFA, DEBUG_PLACE_VALUE_CFA },
		[BASE_ADDRESS] = { DEBUG_PLACE_MEMORY, DEBUG_PLACE_VALUE_ADDRESS },
		[BASE_TLS] = { DEBUG_PLACE_TLS, DEBUG_PLACE_UNKNOWN },
		[BASE_ENTRY] = { DEBUG_PLACE_UNKNOWN, DEBUG_PLACE_VALUE_ENTRY },
	};
	const struct sum *sum;
	enum debug_place place;

	if (e->is_told)
		return e->depth ? unknown(DEBUG_REASON_NOT_SIMPLE) : e->part;
	if (!e->depth)
		return nowhere;
	if (e->depth > 1)
		return unknown(DEBUG_REASON_NOT_SIMPLE);
	sum = &e->stack[0];
	place = places[sum->base][e->is_value];
	if (place == DEBUG_PLACE_UNKNOWN)
		return unknown(DEBUG_REASON_NOT_SIMPLE);
	return (struct debug_location){ .place = place, .reg = sum->reg, .offset = sum->offset };
}

static void begin_part(struct expression *e)
{
	e->depth = 0;
	e->is_told = e->is_value = false;
}

static int add_piece(struct debug_location *whole, size_t *room, struct debug_location piece,
		     uint64_t size)
{
	struct debug_location *pieces =
		grown(whole->pieces, whole->piece_count, room, sizeof(*pieces));

	if (!pieces)
		return -ENOMEM;
	whole->place = DEBUG_PLACE_PIECES;
	whole->reason = DEBUG_REASON_NONE;
	whole->pieces = pieces;
	piece.size = size;
	pieces[whole->piece_count++] = piece;
	return 0;
}

static bool is_piece(const Dwarf_Op *op)
{
	/* A piece of bits that are bytes is one of bytes. */
	return op->atom == DW_OP_piece ||
	       (op->atom == DW_OP_bit_piece && !op->number2 && op->number % 8 == 0);
}

static int read_expression(struct expression *e, const Dwarf_Op *ops, size_t count,
			   struct debug_location *location)
{
	bool simple = count <= MAX_OPS;
	size_t room = 0;
	int err = 0;

	*location = nowhere;
	begin_part(e);
	for (size_t i = 0; i < count && simple && !err; i++) {
		if (!is_piece(&ops[i])) {
			simple = operate(e, &ops[i]);
			continue;
		}
		err = add_piece(location, &room, finish_part(e),
				ops[i].atom == DW_OP_piece ? ops[i].number : ops[i].number / 8);
		begin_part(e);
	}
	if (!err && simple && !location->piece_count) {
		*location = finish_part(e);
	} else if (err || !simple) {
		debug_location_free(location);
		*location = unknown(DEBUG_REASON_NOT_SIMPLE);
	}
	return err;
}

/* DW_AT_const_value */
static struct debug_location constant(Dwarf_Attribute *attribute)
{
	struct debug_location location = { .place = DEBUG_PLACE_CONSTANT };
	Dwarf_Block block;
	Dwarf_Sword number;
	Dwarf_Word word;
	const char *text;

	switch (dwarf_whatform(attribute)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(attribute, &number))
			break;
		location.offset = number;
		return location;
	case DW_FORM_string:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strx:
		text = dwarf_formstring(attribute);
		if (!text)
			break;
		location.bytes = (const uint8_t *)text;
		location.byte_count = strlen(text) + 1;
		return location;
	default:
		if (!dwarf_formudata(attribute, &word)) {
			location.offset = (int64_t)word;
			return location;
		}
		if (dwarf_formblock(attribute, &block))
			break;
		location.bytes = block.data;
		location.byte_count = block.length;
		return location;
	}
	return unknown(DEBUG_REASON_DAMAGED);
}

static bool is_list(Dwarf_Attribute *attribute)
{
	switch (dwarf_whatform(attribute)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return false;
	default:
		return true;
	}
}

int locate(Dwarf_Die *variable, Dwarf_Die *function, uint64_t pc, struct debug_location *location)
{
	struct expression e = { .function = function, .pc = pc };
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;
	int found, err;

	*location = nowhere;
	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute)) {
		*location = constant(&attribute);
		return 0;
	}
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return 0;
	found = dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1);
	if (found < 0)
		*location = unknown(DEBUG_REASON_DAMAGED);
	else if (!found && is_list(&attribute))
		*location = unknown(DEBUG_REASON_NOT_HERE);
	if (found <= 0)
		return 0;
	e.attribute = &attribute;
	err = read_expression(&e, ops, count, location);
	location->is_of_address = is_list(&attribute);
	return err;
}
