// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From a note's argument string to operands, and what the operands of all machines have in common. */
#include "usdt_args.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

const char usdt_unknown[] = "is described in a way that is not known";

/* ---- words ------------------------------------------------------------------------------------ */

static bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || (c & 0x80);
}

bool usdt_take(struct usdt_text *text, char wanted)
{
	if (text->at == text->end || *text->at != wanted)
		return false;
	text->at++;
	return true;
}

struct usdt_text usdt_take_name(struct usdt_text *text)
{
	struct usdt_text name = { text->at, text->at };

	while (name.end < text->end && is_name_character(*name.end))
		name.end++;
	text->at = name.end;
	return name;
}

bool usdt_take_word(struct usdt_text *text, const char *word)
{
	struct usdt_text rest = *text, name = usdt_take_name(&rest);
	size_t length = (size_t)(name.end - name.at);

	if (length != strlen(word) || memcmp(name.at, word, length) != 0)
		return false;
	*text = rest;
	return true;
}

static int digit_of(char c, unsigned base)
{
	int digit = isdigit((unsigned char)c)  ? c - '0' :
		    isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 :
						 16;

	return digit < (int)base ? digit : -1;
}

bool usdt_take_number(struct usdt_text *text, uint64_t *number)
{
	const char *at = text->at, *end = text->end;
	bool is_hex = end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
	unsigned base = is_hex ? 16 : 10;
	const char *first = at += is_hex ? 2 : 0;

	for (*number = 0; at < end && digit_of(*at, base) >= 0; at++)
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, (uint64_t)digit_of(*at, base), number))
			return false;
	text->at = at;
	return at > first;
}

/* ---- sums --------------------------------------------------------------------------------------- */

static bool take_symbol(struct usdt_text *text, struct usdt_argument *argument, bool is_negative)
{
	struct usdt_text name = usdt_take_name(text);

	if (name.at == name.end || argument->symbol || is_negative)
		return false;
	argument->symbol = name.at;
	argument->symbol_length = (size_t)(name.end - name.at);
	return true;
}

static bool take_term(struct usdt_text *text, struct usdt_argument *argument, bool is_negative)
{
	uint64_t number, sum = (uint64_t)argument->offset;

	if (text->at == text->end)
		return false;
	if (!isdigit((unsigned char)*text->at))
		return take_symbol(text, argument, is_negative);
	if (!usdt_take_number(text, &number))
		return false;
	argument->offset = (int64_t)(is_negative ? sum - number : sum + number);
	return true;
}

bool usdt_take_sum(struct usdt_text *text, struct usdt_argument *argument)
{
	bool is_negative = usdt_take(text, '-');

	do {
		if (!take_term(text, argument, is_negative))
			return false;
		is_negative = text->at < text->end && *text->at == '-';
	} while (usdt_take(text, '-') || usdt_take(text, '+'));
	return true;
}

/* ---- one argument ----------------------------------------------------------------------------- */

/* Older macros wrote no size: then it is a register's, as they meant it. */
static void take_size(struct usdt_text *text, struct usdt_argument *argument)
{
	struct usdt_text rest = *text;
	bool is_signed = usdt_take(&rest, '-');
	uint64_t size;

	argument->size = sizeof(uint64_t);
	argument->is_signed = true;
	if (!usdt_take_number(&rest, &size) || size > UINT32_MAX)
		return;
	argument->is_float = usdt_take(&rest, 'f');
	if (!usdt_take(&rest, '@')) {
		argument->is_float = false;
		return;
	}
	argument->size = (uint32_t)size;
	argument->is_signed = is_signed && !argument->is_float;
	*text = rest;
}

static bool has_size_of_number(const struct usdt_argument *argument)
{
	return argument->size == 1 || argument->size == 2 || argument->size == 4 ||
	       argument->size == 8;
}

static bool parse_operand(uint16_t machine, struct usdt_text *text, struct usdt_argument *argument)
{
	switch (machine) {
	case EM_X86_64:
		return usdt_parse_x86(text, argument);
	case EM_AARCH64:
		return usdt_parse_arm64(text, argument);
	default:
		return false;
	}
}

static void parse_argument(uint16_t machine, struct usdt_text text, struct usdt_argument *argument)
{
	*argument = (struct usdt_argument){ .base = USDT_NO_REGISTER, .index = USDT_NO_REGISTER };
	take_size(&text, argument);
	if (!parse_operand(machine, &text, argument) ||
	    (!argument->unreadable && text.at != text.end))
		argument->unreadable = usdt_unknown;
	if (!argument->unreadable && !has_size_of_number(argument))
		argument->unreadable = "is not of 1, 2, 4 or 8 bytes";
	if (argument->unreadable)
		argument->symbol = NULL;
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* Up to the next blank, but for those in brackets: "8@[sp, 16]". */
static struct usdt_text next_argument(const char **rest)
{
	struct usdt_text text = { *rest, *rest };
	int depth = 0;

	for (; *text.end && (depth > 0 || *text.end != ' '); text.end++) {
		depth += *text.end == '[' || *text.end == '(';
		depth -= *text.end == ']' || *text.end == ')';
	}
	*rest = text.end;
	return text;
}

void usdt_arguments_parse(uint16_t machine, const char *text, struct usdt_arguments *arguments)
{
	*arguments = (struct usdt_arguments){};
	for (text += strspn(text, " "); *text && arguments->count < USDT_ARGUMENTS;
	     text += strspn(text, " "))
		parse_argument(machine, next_argument(&text), &arguments->list[arguments->count++]);
}
