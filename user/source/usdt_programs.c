// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "usdt_programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../object/usdt_args.h"

/* No argument needs more: base, index, its lower half, shift, sum, load, end. */
#define LONGEST 8
_Static_assert(LONGEST <= MACHINE_INSNS, "arguments fit into programs");

static void emit(struct machine_program *program, enum machine_op op, uint8_t flags, uint32_t size,
		 uint64_t value)
{
	program->insns[program->length++] = (struct machine_insn){
		.op = (uint8_t)op, .flags = flags, .size = size, .value = value
	};
}

/* The lower bytes of what is on the stack. */
static void emit_width(struct machine_program *program, const struct usdt_argument *argument)
{
	if (argument->size < sizeof(uint64_t))
		emit(program, MACHINE_BITS, argument->is_signed ? MACHINE_SIGNED : 0,
		     8 * argument->size, argument->bit);
}

static void emit_base(struct machine_program *program, uint8_t base, uint64_t offset)
{
	if (base == USDT_AT_IP)
		emit(program, MACHINE_IP, 0, 0, offset);
	else if (base == USDT_NO_REGISTER)
		emit(program, MACHINE_CONSTANT, 0, 0, offset);
	else
		emit(program, MACHINE_REGISTER, 0, base, offset);
}

static void emit_index(struct machine_program *program, const struct usdt_argument *argument)
{
	/* either may be a negative distance from the other: addresses of programs are positive numbers */
	const uint8_t all_signed = MACHINE_SIGNED | MACHINE_LEFT_SIGNED | MACHINE_RIGHT_SIGNED;

	emit(program, MACHINE_REGISTER, 0, argument->index, 0);
	if (argument->extend != USDT_WHOLE)
		emit(program, MACHINE_BITS, argument->extend == USDT_SIGNED ? MACHINE_SIGNED : 0,
		     32, 0);
	if (argument->shift)
		emit(program, MACHINE_SHIFT, 0, 0, argument->shift);
	emit(program, MACHINE_ADD, all_signed, 0, 0);
}

static void emit_value(struct machine_program *program, const struct usdt_argument *argument)
{
	emit_base(program, argument->base, (uint64_t)argument->offset);
	if (argument->index != USDT_NO_REGISTER)
		emit_index(program, argument);
	if (argument->kind == USDT_MEMORY)
		emit(program, MACHINE_LOAD, argument->is_signed ? MACHINE_SIGNED : 0,
		     argument->size, 0);
	else
		emit_width(program, argument);
	emit(program, MACHINE_END, 0, 0, 0);
}

int usdt_arguments_programs(const struct usdt_arguments *arguments, struct usdt_program **programs)
{
	struct usdt_program *made = NULL;

	*programs = NULL;
	if (!arguments->count)
		return 0;
	made = calloc(arguments->count, sizeof(*made));
	if (!made)
		return -ENOMEM;
	for (size_t i = 0; i < arguments->count; i++) {
		const struct usdt_argument *argument = &arguments->list[i];

		snprintf(made[i].name, sizeof(made[i].name), "arg%u", (uint8_t)(i + 1));
		made[i].size = argument->size;
		made[i].is_signed = argument->is_signed;
		made[i].is_float = argument->is_float;
		made[i].unreadable = argument->symbol ? usdt_unknown : argument->unreadable;
		if (!made[i].unreadable)
			emit_value(&made[i].program, argument);
	}
	*programs = made;
	return 0;
}
