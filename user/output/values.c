// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "values.h"

#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"

/* Longer than what is recorded of a string, with each byte escaped. */
#define ESCAPED 4096

/* As C has it: quotes and backslashes, and then all that a terminal would act on. */
static void print_quoted(FILE *stream, const char *text)
{
	char quoted[ESCAPED], escaped[ESCAPED];
	size_t used = 0;

	for (; *text && used + 2 < sizeof(quoted); text++) {
		if (*text == '"' || *text == '\\')
			quoted[used++] = '\\';
		quoted[used++] = *text;
	}
	quoted[used] = '\0';
	fprintf(stream, "\"%s\"", escape_terminal(escaped, sizeof(escaped), quoted));
}

static void print_escaped(FILE *stream, const char *text)
{
	char escaped[ESCAPED];

	fputs(escape_terminal(escaped, sizeof(escaped), text), stream);
}

/* As gdb does: the number, and what it stands for where that can be shown. */
static void print_character(FILE *stream, const char *text)
{
	long number = strtol(text, NULL, 10);

	print_escaped(stream, text);
	if (number >= ' ' && number < 0x7f)
		fprintf(stream, " '%s%c'", number == '\'' || number == '\\' ? "\\" : "",
			(char)number);
}

void value_print_text(FILE *stream, const struct leaf *leaf)
{
	switch (leaf->kind) {
	case LEAF_CHARACTER:
		print_character(stream, leaf->text);
		break;
	case LEAF_STRING:
		print_quoted(stream, leaf->text);
		break;
	case LEAF_CUT_STRING:
		print_quoted(stream, leaf->text);
		fputs("...", stream);
		break;
	case LEAF_MISSING:
		fputc('<', stream);
		print_escaped(stream, leaf->text);
		fputc('>', stream);
		break;
	default:
		print_escaped(stream, leaf->text);
	}
}

void values_print_text(FILE *stream, const struct leaves *values)
{
	struct leaf leaf;
	size_t at = 0;
	const char *before = "";

	while (leaves_next(values, &at, &leaf)) {
		fputs(before, stream);
		print_escaped(stream, leaf.path);
		fputc('=', stream);
		value_print_text(stream, &leaf);
		before = ", ";
	}
}

/* JSON's numbers beyond 2^53 lose digits in many readers; infinity is none at all. */
static bool is_plain_number(const char *text)
{
	const char *digits = *text == '-' ? text + 1 : text;

	if (strspn(digits, "0123456789.e+-") != strlen(digits) || !*digits)
		return false;
	return strlen(digits) <= 15 || strchr(digits, '.') || strchr(digits, 'e');
}

static void print_json_string(FILE *stream, const char *text)
{
	char escaped[ESCAPED];

	fprintf(stream, "\"%s\"", escape_json(escaped, sizeof(escaped), text));
}

/* Is the text JSON as it stands? */
static bool is_bare(const struct leaf *leaf)
{
	if (leaf->kind == LEAF_NUMBER || leaf->kind == LEAF_CHARACTER)
		return is_plain_number(leaf->text);
	return leaf->kind == LEAF_WORD &&
	       (!strcmp(leaf->text, "true") || !strcmp(leaf->text, "false"));
}

static void print_json_value(FILE *stream, const struct leaf *leaf)
{
	if (is_bare(leaf))
		fputs(leaf->text, stream);
	else if (leaf->kind == LEAF_MISSING)
		fputs("null", stream);
	else
		print_json_string(stream, leaf->text);
}

/* ,"KEY":{PATH:TEXT,...} of the rows of a kind, if there are any. */
static void print_json_notes(FILE *stream, const struct leaves *values, enum leaf_kind kind,
			     const char *key)
{
	struct leaf leaf;
	size_t at = 0;
	bool is_begun = false;

	while (leaves_next(values, &at, &leaf)) {
		if (leaf.kind != kind)
			continue;
		if (is_begun)
			fputc(',', stream);
		else
			fprintf(stream, ",\"%s\":{", key);
		is_begun = true;
		print_json_string(stream, leaf.path);
		fputc(':', stream);
		print_json_string(stream, kind == LEAF_MISSING ? leaf.text : "goes on");
	}
	if (is_begun)
		fputc('}', stream);
}

void values_print_json(FILE *stream, const struct leaves *values)
{
	struct leaf leaf;
	size_t at = 0;
	const char *before = "";

	fputs(",\"values\":{", stream);
	while (leaves_next(values, &at, &leaf)) {
		fputs(before, stream);
		print_json_string(stream, leaf.path);
		fputc(':', stream);
		print_json_value(stream, &leaf);
		before = ",";
	}
	fputc('}', stream);
	print_json_notes(stream, values, LEAF_MISSING, "missing");
	print_json_notes(stream, values, LEAF_CUT_STRING, "cut");
}
