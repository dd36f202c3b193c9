// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An error below the text that it is about, marked at the column where a terminal shows the character. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "expression.h"

/* Bytes of the character that begins there, and what it is; 1 and U+FFFD when it is none. */
static size_t decode(const char *text, uint32_t *character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = *bytes < 0x80 ? 1 :
			*bytes < 0xc2 ? 0 :
			*bytes < 0xe0 ? 2 :
			*bytes < 0xf0 ? 3 :
			*bytes < 0xf5 ? 4 :
					0;

	*character = length > 1 ? *bytes & (0x7fu >> length) : *bytes;
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			length = 0;
		else
			*character = *character << 6 | (bytes[i] & 0x3f);
	}
	if (length && *character >= least[length] && *character <= 0x10ffff)
		return length;
	*character = 0xfffd;
	return 1;
}

struct range {
	uint32_t first, last;
};

static bool is_in(uint32_t character, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return false;
}

/* Columns on a terminal: 2 for East Asian characters and pictures, 0 for what is put on the one before. */
static unsigned columns_of(uint32_t character)
{
	static const struct range none[] = {
		{ 0x300, 0x36f }, { 0x200b, 0x200f }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }
	};
	static const struct range wide[] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0xa4cf },   { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};

	if (is_in(character, none, sizeof(none) / sizeof(none[0])))
		return 0;
	return is_in(character, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

/* Would it move the cursor, or change in which direction the line goes? */
static bool is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
	       (character >= 0x202a && character <= 0x202e) ||
	       (character >= 0x2066 && character <= 0x2069);
}

/* Prints a character and gives its columns. A blank is as wide as a tab here. */
static unsigned print_character(FILE *to, const char *bytes, size_t length, uint32_t character)
{
	bool is_blank = character == '\t' || character == '\n';

	if (!is_blank && !is_control(character) && character != 0xfffd) {
		fwrite(bytes, 1, length, to);
		return columns_of(character);
	}
	putc(is_blank ? ' ' : '?', to);
	return 1;
}

static void print_mark(FILE *to, size_t before, size_t columns)
{
	fprintf(to, "%*s^", (int)before + 2, "");
	for (size_t i = 1; i < columns; i++)
		putc('~', to);
	putc('\n', to);
}

static void print_message(FILE *to, const char *option, const char *message)
{
	size_t size = 4 * strlen(message) + 1;
	char *safe = malloc(size);

	fprintf(to, "tracer: %s: %s\n", option, safe ? escape_terminal(safe, size, message) : "");
	free(safe);
}

void expression_error_print(FILE *to, const char *option, const char *text,
			    const struct expression_error *error)
{
	size_t before = 0, marked = 0;

	print_message(to, option, error->message ? error->message : "out of memory");
	fputs("  ", to);
	for (size_t at = 0; text[at];) {
		uint32_t character;
		size_t length = decode(text + at, &character);
		unsigned columns = print_character(to, text + at, length, character);

		if (at < error->from)
			before += columns;
		else if (at < error->to)
			marked += columns;
		at += length;
	}
	putc('\n', to);
	print_mark(to, before, marked);
}
