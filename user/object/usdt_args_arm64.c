// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Operands of arm64: x0, w1, 5, #-1, [sp, 16], [x1, x2, lsl 3], [x0, w2, sxtw 2], [x0, #:lo12:name]. */
#include <ctype.h>
#include <string.h>

#include "usdt_args.h"

#define STACK_POINTER 31
#define ZERO	      32 /* the register that is always 0 */

struct operand_register {
	uint8_t number; /* DWARF's, or ZERO */
	bool is_half;	/* its lower 32 bits */
};

static void skip_blanks(struct usdt_text *text)
{
	while (text->at < text->end && isspace((unsigned char)*text->at))
		text->at++;
}

/* x0 to x30 and w0 to w30. */
static bool find_numbered(struct usdt_text name, struct operand_register *found)
{
	uint64_t number;

	found->is_half = usdt_take(&name, 'w');
	if ((!found->is_half && !usdt_take(&name, 'x')) || !usdt_take_number(&name, &number) ||
	    name.at != name.end || number >= STACK_POINTER)
		return false;
	found->number = (uint8_t)number;
	return true;
}

/* Takes a general register, if that is what comes next. */
static bool take_register(struct usdt_text *text, struct operand_register *found)
{
	static const struct {
		const char *name;
		struct operand_register is;
	} named[] = {
		{ "sp", { STACK_POINTER, false } },
		{ "wsp", { STACK_POINTER, true } },
		{ "xzr", { ZERO, false } },
		{ "wzr", { ZERO, true } },
		{ "fp", { 29, false } },
		{ "lr", { 30, false } },
	};
	struct usdt_text rest = *text;

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (!usdt_take_word(text, named[i].name))
			continue;
		*found = named[i].is;
		return true;
	}
	if (!find_numbered(usdt_take_name(&rest), found))
		return false;
	*text = rest;
	return true;
}

/* v0, d7, s0, and v1.2d. */
static bool take_vector(struct usdt_text *text)
{
	static const char kinds[] = { 'v', 'b', 'h', 's', 'd', 'q', 'z' };
	struct usdt_text rest = *text, name = usdt_take_name(&rest);
	uint64_t number;

	if (name.at == name.end || !memchr(kinds, *name.at, sizeof(kinds)))
		return false;
	name.at++;
	if (!usdt_take_number(&name, &number) || number > 31 ||
	    (name.at != name.end && *name.at != '.'))
		return false;
	*text = rest;
	return true;
}

static bool parse_register(const struct operand_register *found, struct usdt_argument *argument)
{
	argument->kind = found->number == ZERO ? USDT_CONSTANT : USDT_REGISTER;
	if (found->number != ZERO)
		argument->base = found->number;
	return true;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static bool take_shift(struct usdt_text *text, uint8_t *shift)
{
	uint64_t number;

	skip_blanks(text);
	usdt_take(text, '#');
	if (!usdt_take_number(text, &number) || number > 4)
		return false;
	*shift = (uint8_t)number;
	return true;
}

/* Behind the index: ", lsl 3", ", sxtw", ", uxtw 2" or nothing. */
static bool take_extension(struct usdt_text *text, struct usdt_argument *argument, bool is_half)
{
	argument->extend = USDT_WHOLE;
	if (!usdt_take(text, ','))
		return !is_half;
	skip_blanks(text);
	if (usdt_take_word(text, "lsl"))
		return !is_half && take_shift(text, &argument->shift);
	if (usdt_take_word(text, "sxtw"))
		argument->extend = USDT_SIGNED;
	else if (usdt_take_word(text, "uxtw"))
		argument->extend = USDT_UNSIGNED;
	else if (!usdt_take_word(text, "sxtx"))
		return false;
	if (is_half == (argument->extend == USDT_WHOLE))
		return false;
	skip_blanks(text);
	return text->at == text->end || *text->at == ']' || take_shift(text, &argument->shift);
}

static bool take_index(struct usdt_text *text, struct usdt_argument *argument,
		       const struct operand_register *index)
{
	if (index->number == STACK_POINTER)
		return false;
	if (index->number != ZERO)
		argument->index = index->number;
	return take_extension(text, argument, index->is_half);
}

static bool take_offset(struct usdt_text *text, struct usdt_argument *argument)
{
	usdt_take(text, '#');
	if (usdt_take(text, ':')) {
		argument->is_low12 = usdt_take_word(text, "lo12") && usdt_take(text, ':');
		return argument->is_low12 && usdt_take_sum(text, argument) && argument->symbol;
	}
	return usdt_take_sum(text, argument) && !argument->symbol;
}

/* Behind the first bracket. */
static bool parse_memory(struct usdt_text *text, struct usdt_argument *argument)
{
	struct operand_register base, index;
	bool is_right = true;

	argument->kind = USDT_MEMORY;
	skip_blanks(text);
	if (!take_register(text, &base) || base.is_half || base.number == ZERO)
		return false;
	argument->base = base.number;
	skip_blanks(text);
	if (usdt_take(text, ',')) {
		skip_blanks(text);
		is_right = take_register(text, &index) ? take_index(text, argument, &index) :
							 take_offset(text, argument);
		skip_blanks(text);
	}
	return is_right && usdt_take(text, ']');
}

bool usdt_parse_arm64(struct usdt_text *text, struct usdt_argument *argument)
{
	struct operand_register found;

	if (usdt_take(text, '['))
		return parse_memory(text, argument);
	if (take_register(text, &found))
		return parse_register(&found, argument);
	if (take_vector(text)) {
		argument->unreadable = "is in a vector register";
		return true;
	}
	usdt_take(text, '#');
	if (!usdt_take_sum(text, argument))
		return false;
	argument->kind = argument->symbol ? USDT_ADDRESS : USDT_CONSTANT;
	argument->base = argument->symbol ? USDT_AT_IP : USDT_NO_REGISTER;
	return true;
}
