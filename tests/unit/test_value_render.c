// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From bytes and a type to rows: every kind of value, and bytes that are too few. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/render.h"

/* "path=KINDtext;" of each row: # number, ' character, @ address, = word, " string, ~ string that goes on, ! none. */
static char *rows_of(const struct leaves *leaves)
{
	static const char marks[LEAF_KINDS] = " #'@=\"~!";
	char *text = NULL;
	size_t size = 0, at = 0;
	FILE *stream = open_memstream(&text, &size);
	struct leaf leaf;

	assert_non_null(stream);
	while (leaves_next(leaves, &at, &leaf))
		fprintf(stream, "%s%c%s;", leaf.path, marks[leaf.kind], leaf.text);
	fclose(stream);
	return text;
}

static void expect_rows(struct leaves *leaves, const char *wanted)
{
	char *text = rows_of(leaves);

	assert_string_equal(text, wanted);
	free(text);
	leaves_free(leaves);
}

/* From a copy of exactly that size, so that a read beyond it is found. */
static void expect(const struct value_type *type, const void *bytes, size_t size,
		   const char *wanted)
{
	struct leaves leaves = {};
	void *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	value_render(&leaves, "v", type, copy, size);
	free(copy);
	expect_rows(&leaves, wanted);
}

static void expect_number(const struct value_type *type, uint64_t number, const char *wanted)
{
	struct leaves leaves = {};

	value_render_number(&leaves, "v", type, number);
	expect_rows(&leaves, wanted);
}

static const struct value_type int_type = { .kind = VALUE_INTEGER, .is_signed = true, .size = 4 };
static const struct value_type char_type = { .kind = VALUE_CHAR, .is_signed = true, .size = 1 };

static void test_numbers(void **state)
{
	const struct value_type byte = { .kind = VALUE_INTEGER, .size = 1 };
	const struct value_type longest = { .kind = VALUE_INTEGER, .size = 8 };
	const struct value_type truth = { .kind = VALUE_BOOL, .size = 1 };
	const struct value_type pointer = { .kind = VALUE_POINTER, .size = 8 };
	const struct value_type raw = { .kind = VALUE_RAW, .size = 8 };
	const struct value_type computed = { .kind = VALUE_INTEGER, .is_signed = true };

	(void)state;
	/* what is above a number in its register is not of it */
	expect_number(&int_type, 0xdeadbeefffffffffull, "v#-1;");
	expect_number(&int_type, 0x7fffffff, "v#2147483647;");
	expect_number(&byte, 0x1ff, "v#255;");
	expect_number(&longest, UINT64_MAX, "v#18446744073709551615;");
	expect_number(&computed, UINT64_MAX, "v#-1;");
	expect_number(&truth, 1, "v=true;");
	expect_number(&truth, 0xff00, "v=false;");
	expect_number(&truth, 7, "v#7;");
	expect_number(&pointer, 0x7ffe00, "v@0x7ffe00;");
	expect_number(&raw, UINT64_MAX, "v@0xffffffffffffffff;");
	expect_number(&char_type, 'x', "v'120;");
}

static void test_enums(void **state)
{
	struct value_enumerator colors[] = { { "RED", 0 }, { "GREEN", 5 }, { "NONE", -1 } };
	struct value_enumerator bits[] = { { "A", 1 }, { "B", 2 }, { "AB", 3 }, { "D", 8 } };
	const struct value_type color = { .kind = VALUE_ENUM,
					  .is_signed = true,
					  .size = 4,
					  .enumerators = colors,
					  .enumerator_count = 3 };
	const struct value_type flags = {
		.kind = VALUE_ENUM, .size = 4, .enumerators = bits, .enumerator_count = 4
	};

	(void)state;
	expect_number(&color, 0, "v=RED;");
	expect_number(&color, 0xffffffff, "v=NONE;");
	expect_number(&color, 6, "v#6;");
	expect_number(&color, 0xfffffffe, "v#-2;");
	expect_number(&flags, 3, "v=AB;");
	expect_number(&flags, 9, "v=A|D;");
	/* a bit without a name: no half-truth */
	expect_number(&flags, 13, "v#13;");
	expect_number(&flags, 0, "v#0;");
}

static void test_floats(void **state)
{
	const struct value_type single = { .kind = VALUE_FLOAT, .size = 4 };
	const struct value_type twice = { .kind = VALUE_FLOAT, .size = 8 };
	const float tenth = 0.1f, third = 1.0f / 3;
	const double sum = 0.1 + 0.2, infinite = (double)__builtin_inff(), small = DBL_MIN;

	(void)state;
	expect(&single, &tenth, 4, "v#0.1;");
	expect(&single, &third, 4, "v#0.33333334;");
	expect(&twice, &sum, 8, "v#0.30000000000000004;");
	expect(&twice, &infinite, 8, "v=inf;");
	expect(&twice, &small, 8, "v#2.2250738585072014e-308;");
	expect(&twice, &tenth, 4, "v!not recorded;");
}

struct sample {
	int x;
	char name[6];
	unsigned low : 3, high : 5;
	int list[3];
};

static void test_structs(void **state)
{
	const struct sample sample = { -7, "abc", 5, 17, { 1, 2, 3 } };
	struct value_type name = { .kind = VALUE_ARRAY,
				   .size = 6,
				   .count = 6,
				   .element = (struct value_type *)&char_type };
	struct value_type list = { .kind = VALUE_ARRAY,
				   .size = 12,
				   .count = 3,
				   .element = (struct value_type *)&int_type };
	struct value_type bits = { .kind = VALUE_INTEGER, .size = 4 };
	struct value_member members[] = {
		{ "x", (struct value_type *)&int_type, 0, 0, 0 },
		{ "name", &name, 4, 0, 0 },
		{ "low", &bits, 10, 0, 3 },
		{ "high", &bits, 10, 3, 5 },
		{ "list", &list, 12, 0, 0 },
	};
	struct value_type type = {
		.kind = VALUE_STRUCT, .size = sizeof(sample), .members = members, .member_count = 5
	};
	struct value_member inner[] = { { NULL, &type, 0, 0, 0 } };
	const struct value_type outer = {
		.kind = VALUE_STRUCT, .size = sizeof(sample), .members = inner, .member_count = 1
	};

	(void)state;
	assert_int_equal(offsetof(struct sample, list), 12);
	expect(&type, &sample, sizeof(sample),
	       "v.x#-7;v.name\"abc;v.low#5;v.high#17;v.list[0]#1;v.list[1]#2;v.list[2]#3;");
	/* what has no name is looked through */
	expect(&outer, &sample, 10,
	       "v.x#-7;v.name\"abc;v.low!not recorded;v.high!not recorded;v.list[0]!not recorded;");
	expect(&type, &sample, 7,
	       "v.x#-7;v.name~abc;v.low!not recorded;v.high!not recorded;v.list[0]!not recorded;");
	expect(&type, &sample, 0,
	       "v.x!not recorded;v.name~;v.low!not recorded;v.high!not recorded;v.list[0]!not recorded;");
}

static void test_much(void **state)
{
	struct value_type many = { .kind = VALUE_ARRAY,
				   .size = 400,
				   .count = 100,
				   .element = (struct value_type *)&int_type };
	const int numbers[100] = {};
	struct leaves leaves = {};
	struct leaf last = {};
	size_t at = 0;

	(void)state;
	value_render(&leaves, "v", &many, numbers, sizeof(numbers));
	assert_int_equal(leaves.count, RENDER_ROWS + 1);
	while (leaves_next(&leaves, &at, &last))
		;
	assert_string_equal(last.path, "...");
	assert_int_equal(last.kind, LEAF_MISSING);
	leaves_free(&leaves);
}

static void test_strange(void **state)
{
	const struct value_type nothing = { .kind = VALUE_INTEGER };
	const struct value_type wide = { .kind = VALUE_INTEGER, .size = 16 };
	const struct value_type other = { .kind = VALUE_OTHER, .size = 3 };
	const struct value_type huge = { .kind = VALUE_OTHER, .size = 64 };
	struct value_type endless = { .kind = VALUE_ARRAY,
				      .size = UINT64_MAX,
				      .count = UINT64_MAX,
				      .element = (struct value_type *)&nothing };
	const uint8_t bytes[64] = { 1, 2, 3, 4 };

	(void)state;
	expect(&nothing, bytes, 0, "v!of unknown size;");
	expect(&wide, bytes, 16, "v@0x00000000000000000000000004030201;");
	expect(&other, bytes, 3, "v@0x030201;");
	expect(&huge, bytes, 64, "v!64 bytes;");
	expect(&endless, bytes, 2,
	       "v[0]!of unknown size;v[1]!of unknown size;v[2]!of unknown size;");
}

/* What a recording keeps, and what is none of it. */
static void test_there_and_back(void **state)
{
	struct leaves leaves = {}, again = {};
	const void *bytes;
	size_t size;

	(void)state;
	leaves_add(&leaves, "a", LEAF_STRING, "text\0more", 9);
	leaves_add(&leaves, "b.c", LEAF_NUMBER, "-3", 2);
	size = leaves_encoded(&leaves, 4096, &bytes);
	assert_true(leaves_decode(&again, bytes, size));
	assert_int_equal(again.count, 2);
	for (size_t less = 1; less < size; less++) {
		void *copy = malloc(less);

		assert_non_null(copy);
		memcpy(copy, bytes, less);
		assert_int_equal(leaves_decode(&again, copy, less), less == 8);
		free(copy);
	}
	assert_int_equal(leaves_encoded(&leaves, size - 1, &bytes), 8);
	assert_false(leaves_decode(&again, "\177a\0b", 5));
	assert_int_equal(again.count, 0);
	leaves_free(&again);
	expect_rows(&leaves, "a\"text;b.c#-3;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	       cmocka_unit_test(test_enums),
		cmocka_unit_test(test_floats),	       cmocka_unit_test(test_structs),
		cmocka_unit_test(test_much),	       cmocka_unit_test(test_strange),
		cmocka_unit_test(test_there_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
