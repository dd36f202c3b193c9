// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said about an expression that is none, or has no place where it is asked, and what is marked. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "expression_fixture.h"

enum asked { UPROBE, RETURN, LATENCY, VALUE };

static const struct {
	enum asked asked;
	const char *text;
	size_t from, to;
	const char *message;
} mistakes[] = {
	{ UPROBE, "req->conn.fdd > 3", 10, 13,
	  "there is no member \"fdd\" in struct connection (did you mean \"fd\"?)" },
	{ UPROBE, "", 0, 0, "there is no expression here" },
	{ UPROBE, "   ", 0, 0, "there is no expression here" },
	{ UPROBE, "u8 =", 3, 4, "nothing can be assigned; equal is ==" },
	{ UPROBE, "u8 ==", 5, 5, "a value is missing at the end" },
	{ UPROBE, "u8 == == 3", 6, 8, "a value is missing before this" },
	{ UPROBE, "== 3", 0, 2, "a value is missing before this" },
	{ UPROBE, "(u8 > 3", 0, 1, "the ( is not closed" },
	{ UPROBE, "u8 > 3)", 6, 7, "this ) closes no (" },
	{ UPROBE, "u8 > 3 u16", 7, 10, "an operator is missing before this" },
	{ UPROBE, "u8 > 3, u16", 6, 7, "conditions are joined with && or ||" },
	{ UPROBE, "u8 > 3 and u16 > 2", 7, 10, "and is written &&" },
	{ UPROBE, "u8 * 3 > 2", 3, 4, "numbers cannot be multiplied" },
	{ UPROBE, "u8 = 3", 3, 4, "nothing can be assigned; equal is ==" },
	{ UPROBE, "u8 === 3", 3, 6, "equal is ==" },
	{ UPROBE, "u8 | 3", 3, 4, "| is not known; or is ||" },
	{ UPROBE, "u8 ^ 3", 3, 4, "^ is not known" },
	{ UPROBE, "u8 << 3", 3, 5, "<< is not known; write the number" },
	{ UPROBE, "u8 / 3", 3, 4, "/ is not known" },
	{ UPROBE, "comm =~ \"a\"", 5, 7, "patterns are compared with ==: name == \"abc*\"" },
	{ UPROBE, "&u8", 0, 1, "addresses cannot be taken; & stands between two numbers" },
	{ UPROBE, "u8 ? 1", 3, 4, "this character has no meaning here" },
	{ UPROBE, "$", 0, 1, "a name follows $" },
	{ UPROBE, "@ u8", 0, 1, "a name follows @" },
	{ UPROBE, "$agr1 > 3", 0, 5, "an event has no \"agr1\" (did you mean \"arg1\"?)" },
	{ UPROBE, "f(3)", 1, 2, "functions cannot be called" },
	{ UPROBE, "u8 > 1.5", 5, 8, "floating point cannot be compared in the kernel" },
	{ UPROBE, "u8 > 1e5", 5, 8, "floating point cannot be compared in the kernel" },
	{ UPROBE, "u8 > 2.0f", 5, 9, "floating point cannot be compared in the kernel" },
	{ UPROBE, "u8 > 010", 5, 8,
	  "a number cannot begin with 0: write 010 in decimal, or in hexadecimal with 0x" },
	{ UPROBE, "u8 > 12Q", 5, 8,
	  "a number cannot end in \"Q\": sizes end in K, M or G, times in ns, us, ms or s" },
	{ UPROBE, "u8 > 0xg", 5, 8, "0xg is no number of 64 bits" },
	{ UPROBE, "u8 > 99999999999999999999", 5, 25,
	  "99999999999999999999 is no number of 64 bits" },
	{ UPROBE, "u8 == 'ab'", 6, 10, "'' is for one character; a string is written with \"\"" },
	{ UPROBE, "u8 == 'a", 6, 7, "the ' is not closed" },
	{ UPROBE, "u8 == ''", 6, 8, "'' is for one character; a string is written with \"\"" },
	{ UPROBE, "u8 == '\\q'", 7, 9,
	  "a backslash stands before n t r 0 \\ \" ' * ? or xNN only" },
	{ UPROBE, "comm == \"abc", 8, 9, "the \" is not closed" },
	{ UPROBE, "comm == \"a\\0b\"", 10, 12, "a string ends before a NUL" },
	{ UPROBE, "comm == \"a\\qb\"", 10, 12,
	  "a backslash stands before n t r 0 \\ \" ' * ? or xNN only" },
	{ UPROBE, "comm == \"0123456789012345678901234567890123456789012345678901234567890123\"", 8,
	  72, "a string can have 62 characters" },
	{ UPROBE, "u88 > 3", 0, 3, "\"u88\" is no name that is known here (did you mean \"u8\"?)" },
	{ UPROBE, "zzzzzz > 3", 0, 6, "\"zzzzzz\" is no name that is known here" },
	{ UPROBE, "gone > 3", 0, 4, "gone is optimized out here" },
	{ UPROBE, "broken > 3", 0, 6, "broken cannot be looked up: Input/output error" },
	{ UPROBE, "new > 3", 0, 3, "new is known to --breakpoint only" },
	{ UPROBE, "ret > 3", 0, 3, "ret is known to --uretprobe and --latency only" },
	{ UPROBE, "latency > 3ms", 0, 7, "latency is known to --latency only" },
	{ RETURN, "arg1 > 3", 0, 4, "arg1 is known to --uprobe and --usdt only" },
	{ UPROBE, "pid == 812", 0, 3,
	  "the event has a pid and so has the program: write $pid for the event's, @pid for the program's" },
	{ UPROBE, "$u8 > 3", 0, 3, "an event has no \"u8\"" },
	{ UPROBE, "comm > \"a\"", 5, 6, "strings are compared with == and != only" },
	{ UPROBE, "comm == 3", 0, 9, "a string is compared with a \"text\" only" },
	{ UPROBE, "comm == comm", 0, 12, "a string is compared with a \"text\" only" },
	{ UPROBE, "comm", 0, 4, "comm is a string, which cannot be a condition of its own" },
	{ UPROBE, "\"a\"", 0, 3, "a string cannot be a condition of its own" },
	{ UPROBE, "\"a\" == \"b\"", 0, 10, "a string is compared with a \"text\" only" },
	{ UPROBE, "u8 == \"a\"", 0, 9, "a string cannot be compared with one of type uint8_t" },
	{ UPROBE, "req == \"a\"", 0, 10,
	  "a string cannot be compared with one of type struct request *" },
	{ UPROBE, "req->conn == \"a\"", 0, 16,
	  "a string cannot be compared with one of type struct connection" },
	{ UPROBE, "numbers == \"1\"", 0, 14,
	  "a string cannot be compared with one of type int[4]" },
	{ UPROBE, "comm == \"0123456789abcdef\"", 8, 26,
	  "this is never equal: there is room for 15 characters" },
	{ UPROBE, "comm == \"0123456789abcdef*\"", 8, 27,
	  "this is never equal: there is room for 15 characters" },
	{ UPROBE, "req->method == \"123456789\"", 15, 26,
	  "this is never equal: there is room for 8 characters" },
	{ UPROBE, "req->conn", 0, 9,
	  "this is of type struct connection, which cannot be a condition of its own" },
	{ UPROBE, "req->conn == 3", 0, 9,
	  "this is of type struct connection, which cannot be compared as a whole" },
	{ UPROBE, "numbers == 3", 0, 7,
	  "this is of type int[4], which cannot be compared as a whole" },
	{ UPROBE, "ratio > 1", 0, 5, "floating point cannot be compared in the kernel" },
	{ UPROBE, "req->ratio == 1", 0, 10, "floating point cannot be compared in the kernel" },
	{ UPROBE, "ratio", 0, 5, "floating point cannot be compared in the kernel" },
	{ UPROBE, "req->s128 == 3", 0, 9,
	  "this is of type __int128, which cannot be compared as a whole" },
	{ UPROBE, "req->opaque->x", 0, 11, "this is of type void *, which has no members" },
	{ UPROBE, "*req->opaque == 1", 1, 12,
	  "what is behind void * is not known, so it cannot be read" },
	{ UPROBE, "req->opaque == NULL && req->opaque[0] == 1", 23, 34,
	  "what is behind void * is not known, so it cannot be read" },
	{ UPROBE, "req.conn.fd == 3", 0, 8, "this is a pointer, whose members follow ->" },
	{ UPROBE, "request->conn.fd == 3", 0, 13, "this is no pointer: its members follow a ." },
	{ UPROBE, "req->conn->fd == 3", 0, 13, "this is no pointer: its members follow a ." },
	{ UPROBE, "u8.x == 3", 0, 2, "this is of type uint8_t, which has no members" },
	{ UPROBE, "arg1->x == 3", 0, 4, "this has no members: its type is not known" },
	{ UPROBE, "*u8 == 3", 1, 3, "this is of type uint8_t, neither a pointer nor an array" },
	{ UPROBE, "*arg1 == 3", 1, 5, "this is neither a pointer nor an array" },
	{ UPROBE, "arg1[0] == 3", 0, 4, "this is neither a pointer nor an array" },
	{ UPROBE, "numbers[4] == 1", 8, 9, "the array has elements 0 to 3" },
	{ UPROBE, "numbers[-1] == 1", 8, 10, "an array's elements begin at 0" },
	{ UPROBE, "numbers[u8] == 1", 8, 10, "an index must be a number as written, and whole" },
	{ UPROBE, "words[0x7fffffffffffffff] == 1", 0, 25, "this is beyond all memory" },
	{ UPROBE, "struct_in_register.fd == 1", 0, 18,
	  "this is in a register, of which only numbers and pointers can be read" },
	{ UPROBE, "u8 == 256", 0, 9, "this is never true: what is compared is from 0 to 255" },
	{ UPROBE, "u8 != -1", 0, 8, "this is always true: what is compared is from 0 to 255" },
	{ UPROBE, "u32 == -1", 0, 9,
	  "this is never true: what is compared is from 0 to 4294967295" },
	{ UPROBE, "u8 >= 0", 0, 7, "this is always true: what is compared is from 0 to 255" },
	{ UPROBE, "u8 < 0", 0, 6, "this is never true: what is compared is from 0 to 255" },
	{ UPROBE, "300 < u8", 0, 8, "this is never true: what is compared is from 0 to 255" },
	{ UPROBE, "s8 <= 127", 0, 9, "this is always true: what is compared is from -128 to 127" },
	{ UPROBE, "cpu < 0", 0, 7, "this is never true: what is compared is from 0 to 65535" },
	{ UPROBE, "req->bits.low == 8", 0, 18,
	  "this is never true: what is compared is from 0 to 7" },
	{ UPROBE, "ready == 2", 0, 10, "this is never true: what is compared is from 0 to 1" },
	{ UPROBE, "req->bits.across == 1", 10, 16, "this bit-field lies across nine bytes" },
	{ UPROBE, "1 < u8 < 3", 0, 10,
	  "comparisons do not chain: write a < b && b < c, or parentheses" },
	{ UPROBE, "u8 == u16 == 1", 0, 14,
	  "comparisons do not chain: write a < b && b < c, or parentheses" },
	{ UPROBE, "u8 & 4 == 4", 5, 11,
	  "& is weaker than a comparison, as in C: parentheses are needed" },
	{ UPROBE, "u8 & s8 < 3", 5, 11,
	  "& is weaker than a comparison, as in C: parentheses are needed" },
	{ UPROBE, "req == u8", 0, 9, "a pointer and a number cannot be compared" },
	{ UPROBE, "req < NULL", 4, 5, "NULL is compared with == and != only" },
	{ UPROBE, "u8 == NULL", 0, 10, "only pointers can be NULL" },
	{ UPROBE, "NULL", 0, 4, "this cannot be a condition of its own" },
	{ UPROBE, "req & 1", 0, 3,
	  "this is of type struct request *, which cannot be combined with &" },
	{ UPROBE, "req + 1 == 3", 0, 3,
	  "this is of type struct request *, which cannot be added to or subtracted from" },
	{ UPROBE, "(u8 > 3) + 1 == 2", 0, 8, "this cannot be added to or subtracted from" },
	{ UPROBE, "-req == 1", 1, 4, "this is of type struct request *, which cannot be negated" },
	{ UPROBE, "~comm == 1", 1, 5, "comm is a string, which cannot be inverted" },
	{ UPROBE, "-(u8 > 3) == 1", 1, 9, "this cannot be negated" },
	{ LATENCY, "latency > 10", 10, 12, "a time has a unit: ns, us, ms or s" },
	{ LATENCY, "latency == comm", 0, 15, "a string is compared with a \"text\" only" },
	{ LATENCY, "latency > u8", 0, 12, "a time is compared with latency only" },
	{ LATENCY, "latency", 0, 7, "a time cannot be a condition of its own" },
	{ UPROBE, "u8 > 3ms", 0, 8, "a time is compared with latency only" },
	{ LATENCY, "latency + 1 > 3ms", 0, 7, "a time cannot be added to or subtracted from" },
	{ LATENCY, "latency & 1", 0, 7, "a time cannot be combined with &" },
	{ LATENCY, "5ms", 0, 3, "a time cannot be a condition of its own" },
	{ UPROBE, "(int *)arg1 == 3", 5, 6, "only numbers and char * can be types" },
	{ UPROBE, "(unsigned char *)arg1 == 3", 15, 16, "only numbers and char * can be types" },
	{ UPROBE, "(int)comm == 3", 5, 9, "comm is a string, which cannot be made a number" },
	{ UPROBE, "(int)ratio == 3", 5, 10, "floating point cannot be compared in the kernel" },
	{ UPROBE, "(int", 4, 4, "the ) is missing at the end" },
	{ UPROBE, "(int)", 5, 5, "a value is missing at the end" },
	{ UPROBE, "(unsigned foo)u8", 10, 13, "the ) is missing before this" },
	{ UPROBE, "color == PURPLE", 9, 15,
	  "\"PURPLE\" is no name that is known here, nor in enum color" },
	{ UPROBE, "color == GREN", 9, 13,
	  "\"GREN\" is no name that is known here, nor in enum color (did you mean \"GREEN\"?)" },
	{ UPROBE, "PURPLE == color", 0, 6,
	  "\"PURPLE\" is no name that is known here, nor in enum color" },
	{ UPROBE, "HIGH == LOW", 0, 4, "\"HIGH\" is no name that is known here" },
	{ UPROBE, "18446744073709551615 + 1 == u64", 0, 24, "this number needs more than 64 bits" },
	{ UPROBE, "-18446744073709551615 == s64", 0, 21, "this number needs more than 64 bits" },
	{ UPROBE, "u8 > 3 && (u16 < 3 || )", 22, 23, "a value is missing before this" },
	{ UPROBE, "u8 > 3 &&", 9, 9, "a value is missing at the end" },
	{ UPROBE, "u8 > # 3", 5, 6, "this character has no meaning here" },
	{ UPROBE, "größe == 4 && grösse == 3", 16, 23,
	  "\"grösse\" is no name that is known here (did you mean \"größe\"?)" },
	{ UPROBE, "u8 == '€'", 6, 11, "'' is for one character; a string is written with \"\"" },
	{ UPROBE, "req->5", 5, 6, "the name of a member is missing before this" },
	{ UPROBE, "req->", 5, 5, "the name of a member is missing at the end" },
	{ UPROBE, "numbers[", 8, 8, "a value is missing at the end" },
	{ UPROBE, "numbers[]", 8, 9, "a value is missing before this" },
	{ UPROBE, "numbers[1", 9, 9, "the ] is missing at the end" },
	{ VALUE, "\"a\"", 0, 3, "this is nothing to record" },
	{ VALUE, "NULL", 0, 4, "this is nothing to record" },
	{ VALUE, "comm", 0, 4, "comm is recorded with every event" },
	{ VALUE, "no_such", 0, 7, "\"no_such\" is no name that is known here" },
	{ VALUE, "struct_in_register", 0, 18,
	  "this is in a register, of which only numbers and pointers can be read" },
};

static enum expression_source source_of(enum asked asked)
{
	return asked == RETURN	? EXPRESSION_URETPROBE :
	       asked == LATENCY ? EXPRESSION_LATENCY :
				  EXPRESSION_UPROBE;
}

/* 0, or what was returned, with the error set. */
static int compile(const char *text, enum asked asked, const struct expression_scope *scope,
		   struct expression_error *error)
{
	struct machine_program program;
	struct expression *expression;
	struct expression_value value;
	int err = expression_parse(text, &expression, error);

	if (!err && asked == VALUE)
		err = expression_compile_value(expression, scope, &program, &value, error);
	else if (!err)
		err = expression_compile_predicate(expression, scope, &program, error);
	expression_free(expression);
	return err;
}

static void mistakes_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAKE_COUNT(mistakes); i++) {
		const struct expression_scope scope = fake_scope(source_of(mistakes[i].asked));
		struct expression_error error = {};
		int err = compile(mistakes[i].text, mistakes[i].asked, &scope, &error);

		if (err != -EINVAL || strcmp(error.message, mistakes[i].message) != 0)
			fail_msg("%s: %d, %s", mistakes[i].text, err, error.message);
		if (error.from != mistakes[i].from || error.to != mistakes[i].to)
			fail_msg("%s: at %zu to %zu", mistakes[i].text, error.from, error.to);
		expression_error_free(&error);
	}
}

static void is_told(const char *text, const struct expression_scope *scope, const char *message)
{
	struct expression_error error = {};

	assert_int_equal(compile(text, UPROBE, scope, &error), -EINVAL);
	assert_string_equal(error.message, message);
	expression_error_free(&error);
}

static void programs_without_debugging_information(void **state)
{
	const struct expression_scope bare = { .source = EXPRESSION_UPROBE };
	struct expression_error error = {};

	(void)state;
	is_told("len > 3", &bare, "\"len\" is not known: the program has no debugging information");
	is_told("agr1 > 3", &bare,
		"\"agr1\" is not known: the program has no debugging information "
		"(did you mean \"arg1\"?)");
	assert_int_equal(compile("arg1 > 3 && arg2 == \"a*\"", UPROBE, &bare, &error), 0);
}

/* The same piece over and over. */
static void repeat(char *text, size_t size, const char *piece, unsigned count, const char *end)
{
	text[0] = '\0';
	for (unsigned i = 0; i < count; i++)
		strcat(text, piece);
	strcat(text, end);
	assert_true(strlen(text) < size);
}

static void too_much(void **state)
{
	const struct expression_scope scope = fake_scope(EXPRESSION_UPROBE);
	struct expression_error error = {};
	char text[8192];

	(void)state;
	repeat(text, sizeof(text), "(", 63, "u8");
	is_told(text, &scope, "the ( is not closed");
	repeat(text, sizeof(text), "(", 2000, "u8");
	is_told(text, &scope, "the expression is nested too deep");
	repeat(text, sizeof(text), "!", 2000, "u8");
	is_told(text, &scope, "the expression is nested too deep");
	repeat(text, sizeof(text), "numbers[", 900, "1");
	is_told(text, &scope, "the expression is nested too deep");
	repeat(text, sizeof(text), "u8 == 1 || ", 400, "u8");
	is_told(text, &scope, "the expression is too long");
	repeat(text, sizeof(text), "u8 == 1 || ", 13, "u8");
	is_told(text, &scope, "the expression is too long: it needs more than 64 steps");
	repeat(text, sizeof(text), "u8 == 1 || ", 12, "u8");
	assert_int_equal(compile(text, UPROBE, &scope, &error), 0);
	repeat(text, sizeof(text), "u8 + (", 16, "u8))))))))))))))))");
	is_told(text, &scope, "the expression is nested too deep");
	repeat(text, sizeof(text), "u8 + (", 15, "u8)))))))))))))))");
	assert_int_equal(compile(text, UPROBE, &scope, &error), 0);
	is_told("comm == \"1\" || comm == \"2\" || comm == \"3\" || comm == \"4\" || comm == \"5\" || "
		"comm == \"6\" || comm == \"7\" || comm == \"8\" || comm == \"9\"",
		&scope, "there can be 8 different strings in an expression");
	assert_int_equal(
		compile("comm == \"1\" || comm == \"1\" || comm == \"1\" || comm == \"1\" || "
			"comm == \"1\" || comm == \"1\" || comm == \"1\" || comm == \"1\" || "
			"comm == \"1\"",
			UPROBE, &scope, &error),
		0);
}

static void prints(const char *text, struct expression_error error, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *file = open_memstream(&printed, &size);

	assert_non_null(file);
	expression_error_print(file, "--if", text, &error);
	fclose(file);
	assert_string_equal(printed, expected);
	free(printed);
}

static void marks_are_below(void **state)
{
	char message[] = "no", hostile[] = "a\033[2Jb";

	(void)state;
	prints("arg->lenn > 3", (struct expression_error){ message, 5, 9 },
	       "tracer: --if: no\n  arg->lenn > 3\n       ^~~~\n");
	prints("a\tb", (struct expression_error){ message, 2, 3 },
	       "tracer: --if: no\n  a b\n    ^\n");
	/* two bytes, a combining mark, two columns, four bytes */
	prints("\xc3\xb6 o\xcc\x88 \xe6\xbc\xa2 \xf0\x9f\x98\x80 x",
	       (struct expression_error){ message, 7, 10 },
	       "tracer: --if: no\n  \xc3\xb6 o\xcc\x88 \xe6\xbc\xa2 \xf0\x9f\x98\x80 x\n      ^~\n");
	prints("\xff\x1b[1m\xe2\x80\xae x", (struct expression_error){ message, 9, 10 },
	       "tracer: --if: no\n  ??[1m? x\n         ^\n");
	prints("a\nb", (struct expression_error){ hostile, 3, 3 },
	       "tracer: --if: a\\x1b[2Jb\n  a b\n     ^\n");
	prints("", (struct expression_error){ NULL, 0, 0 },
	       "tracer: --if: out of memory\n  \n  ^\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(programs_without_debugging_information),
		cmocka_unit_test(too_much),
		cmocka_unit_test(marks_are_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
