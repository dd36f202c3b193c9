/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a USDT probe's note says of its arguments: operands as an assembler writes them, with blanks between, each
 * behind its size. "-4@%eax 8@16(%rbp) 1@$3" are a signed int in a register, eight bytes of the stack, and a
 * constant. Only syntax, of any machine's notes on any machine; the text may hold anything.
 */
#ifndef TRACER_USDT_ARGS_H
#define TRACER_USDT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

/* As many as the macros of sys/sdt.h take. */
#define USDT_ARGUMENTS 12

/* Instead of a register's number. */
#define USDT_NO_REGISTER 0xff
#define USDT_AT_IP	 0xfe /* the address of the probe's own instruction */

enum usdt_kind {
	USDT_CONSTANT, /* offset */
	USDT_REGISTER, /* base, from bit number bit on */
	USDT_MEMORY,   /* at base + (index << shift) + offset */
	USDT_ADDRESS,  /* that address itself */
};

enum usdt_extend {
	USDT_WHOLE,    /* all of the index */
	USDT_SIGNED,   /* its lower 32 bits, which have a sign, */
	USDT_UNSIGNED, /* or none */
};

struct usdt_argument {
	enum usdt_kind kind;
	uint32_t size; /* bytes */
	bool is_signed;
	bool is_float;
	uint8_t base, index; /* general registers by DWARF's number, or one of the above */
	uint8_t bit;
	uint8_t shift;
	enum usdt_extend extend;
	int64_t offset;
	/* What must be added to offset before it is right: usdt_arguments_resolve(). Part of the text. */
	const char *symbol; /* NULL: nothing */
	size_t symbol_length;
	bool is_low12; /* of the sum only the lower 12 bits are added */
	const char *
		unreadable; /* why there is no value to be had: "is in a vector register"; NULL: there is */
};

struct usdt_arguments {
	size_t count;
	struct usdt_argument list[USDT_ARGUMENTS];
};

/* What stands where nothing is understood. */
extern const char usdt_unknown[];

/* machine: EM_X86_64 or EM_AARCH64; of any other nothing is understood. What there is beyond USDT_ARGUMENTS is left out. */
void usdt_arguments_parse(uint16_t machine, const char *text, struct usdt_arguments *arguments);
/* usdt_symbols.c: symbols become offsets, for a probe at vaddr of the file; what it does not have is unreadable. */
void usdt_arguments_resolve(struct usdt_arguments *arguments, struct elf_file *file,
			    uint64_t vaddr);

/* ---- within this folder: one operand, whose size is known ---- */

struct usdt_text {
	const char *at, *end;
};

/* False: not understood. The argument has size, sign, and no registers. */
bool usdt_parse_x86(struct usdt_text *text, struct usdt_argument *argument);
bool usdt_parse_arm64(struct usdt_text *text, struct usdt_argument *argument);
/* Takes the character, if it comes next. */
bool usdt_take(struct usdt_text *text, char wanted);
/* Takes the word, if it comes next and nothing of a name follows it. */
bool usdt_take_word(struct usdt_text *text, const char *word);
/* Takes a number without a sign, decimal or hexadecimal. False: there is none. */
bool usdt_take_number(struct usdt_text *text, uint64_t *number);
/* Takes "-8", "8+name", "name-8+16": at most one name, which is not subtracted. False: there is none, or it is wrong. */
bool usdt_take_sum(struct usdt_text *text, struct usdt_argument *argument);
/* Takes what a name consists of. */
struct usdt_text usdt_take_name(struct usdt_text *text);

#endif
