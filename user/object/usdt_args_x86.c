// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Operands of x86-64, in AT&T's syntax: %eax, $-1, -8(%rbp), table(,%rax,8), name+4(%rip). */
#include <string.h>

#include "usdt_args.h"

#define FIRST_NUMBERED 8

/* By DWARF's numbers, and the bit where ah and its like begin. The rest of the names is told apart by size. */
static const struct {
	char name[4];
	uint8_t number, bit;
	bool is_address; /* 64 bits wide */
} registers[] = {
	{ "rax", 0, 0, true },	{ "eax", 0, 0, false }, { "ax", 0, 0, false },
	{ "al", 0, 0, false },	{ "ah", 0, 8, false },	{ "rdx", 1, 0, true },
	{ "edx", 1, 0, false }, { "dx", 1, 0, false },	{ "dl", 1, 0, false },
	{ "dh", 1, 8, false },	{ "rcx", 2, 0, true },	{ "ecx", 2, 0, false },
	{ "cx", 2, 0, false },	{ "cl", 2, 0, false },	{ "ch", 2, 8, false },
	{ "rbx", 3, 0, true },	{ "ebx", 3, 0, false }, { "bx", 3, 0, false },
	{ "bl", 3, 0, false },	{ "bh", 3, 8, false },	{ "rsi", 4, 0, true },
	{ "esi", 4, 0, false }, { "si", 4, 0, false },	{ "sil", 4, 0, false },
	{ "rdi", 5, 0, true },	{ "edi", 5, 0, false }, { "di", 5, 0, false },
	{ "dil", 5, 0, false }, { "rbp", 6, 0, true },	{ "ebp", 6, 0, false },
	{ "bp", 6, 0, false },	{ "bpl", 6, 0, false }, { "rsp", 7, 0, true },
	{ "esp", 7, 0, false }, { "sp", 7, 0, false },	{ "spl", 7, 0, false },
};

struct operand_register {
	uint8_t number, bit;
	bool is_address;
};

static bool is_text(struct usdt_text text, const char *wanted)
{
	size_t length = (size_t)(text.end - text.at);

	return length == strlen(wanted) && memcmp(text.at, wanted, length) == 0;
}

static bool begins(struct usdt_text text, const char *wanted)
{
	size_t length = strlen(wanted);

	return (size_t)(text.end - text.at) >= length && memcmp(text.at, wanted, length) == 0;
}

/* r8 to r15, and b, w, d or l behind it for a part of it. */
static bool find_numbered(struct usdt_text name, struct operand_register *found)
{
	static const char widths[] = { 'b', 'w', 'd', 'l' };
	uint64_t number;

	if (!usdt_take(&name, 'r') || !usdt_take_number(&name, &number) ||
	    number < FIRST_NUMBERED || number > 15)
		return false;
	*found = (struct operand_register){ .number = (uint8_t)number,
					    .is_address = name.at == name.end };
	return found->is_address ||
	       (name.end - name.at == 1 && memchr(widths, *name.at, sizeof(widths)) != NULL);
}

static bool find_register(struct usdt_text name, struct operand_register *found)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		if (!is_text(name, registers[i].name))
			continue;
		*found = (struct operand_register){ .number = registers[i].number,
						    .bit = registers[i].bit,
						    .is_address = registers[i].is_address };
		return true;
	}
	return find_numbered(name, found);
}

static bool is_vector(struct usdt_text name)
{
	return begins(name, "xmm") || begins(name, "ymm") || begins(name, "zmm") ||
	       begins(name, "mm") || begins(name, "st") || begins(name, "k");
}

/* Behind the %. */
static bool parse_register(struct usdt_text *text, struct usdt_argument *argument)
{
	struct usdt_text name = usdt_take_name(text);
	struct operand_register found;

	argument->kind = USDT_REGISTER;
	if ((is_text(name, "fs") || is_text(name, "gs")) && usdt_take(text, ':')) {
		argument->unreadable = "is thread-local";
		return true;
	}
	if (is_vector(name)) {
		argument->unreadable = "is in a vector register";
		return true;
	}
	if (!find_register(name, &found))
		return false;
	argument->base = found.number;
	argument->bit = found.bit;
	return true;
}

/* A register that is part of an address. */
static bool take_part(struct usdt_text *text, uint8_t *number)
{
	struct operand_register found;

	if (!usdt_take(text, '%') || !find_register(usdt_take_name(text), &found) ||
	    !found.is_address)
		return false;
	*number = found.number;
	return true;
}

static bool take_scale(struct usdt_text *text, uint8_t *shift)
{
	uint64_t scale;

	if (!usdt_take_number(text, &scale) ||
	    (scale != 1 && scale != 2 && scale != 4 && scale != 8))
		return false;
	*shift = (uint8_t)__builtin_ctzll(scale);
	return true;
}

/* Behind the first parenthesis: "%rbp)", "%rax,%rbx,4)", ",%rbx,4)", "%rip)". */
static bool take_registers(struct usdt_text *text, struct usdt_argument *argument)
{
	struct usdt_text rest = *text;

	if (usdt_take(&rest, '%') && usdt_take_word(&rest, "rip")) {
		*text = rest;
		argument->base = USDT_AT_IP;
		/* how far it is to a number, only the instruction that has it knows */
		return argument->symbol && usdt_take(text, ')');
	}
	if (text->at < text->end && *text->at == '%' && !take_part(text, &argument->base))
		return false;
	if (usdt_take(text, ',')) {
		if (!take_part(text, &argument->index))
			return false;
		if (usdt_take(text, ',') && !take_scale(text, &argument->shift))
			return false;
	}
	return usdt_take(text, ')') &&
	       (argument->base != USDT_NO_REGISTER || argument->index != USDT_NO_REGISTER);
}

/* "name@tpoff", "name@GOTPCREL": the linker has decided what it is. */
static bool parse_relocated(struct usdt_text *text, struct usdt_argument *argument)
{
	struct usdt_text how = usdt_take_name(text);

	if (begins(how, "tpoff") || begins(how, "TPOFF") || begins(how, "gottpoff") ||
	    begins(how, "GOTTPOFF") || begins(how, "tls") || begins(how, "dtpoff"))
		argument->unreadable = "is thread-local";
	else if (begins(how, "GOT"))
		argument->unreadable = "is known to the dynamic linker only";
	return argument->unreadable != NULL;
}

static bool parse_memory(struct usdt_text *text, struct usdt_argument *argument)
{
	bool has_sum = text->at < text->end && *text->at != '(';

	argument->kind = USDT_MEMORY;
	if (has_sum && !usdt_take_sum(text, argument))
		return false;
	if (has_sum && argument->symbol && usdt_take(text, '@'))
		return parse_relocated(text, argument);
	return usdt_take(text, '(') ? take_registers(text, argument) : has_sum;
}

bool usdt_parse_x86(struct usdt_text *text, struct usdt_argument *argument)
{
	if (usdt_take(text, '%'))
		return parse_register(text, argument);
	if (!usdt_take(text, '$'))
		return parse_memory(text, argument);
	if (!usdt_take_sum(text, argument))
		return false;
	argument->kind = argument->symbol ? USDT_ADDRESS : USDT_CONSTANT;
	return true;
}
