// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What expressions come to: parsed, checked, compiled, and run by the very machine that the kernel runs. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "expression_fixture.h"

static const struct request other = { .name = "other", .s32 = 77 };

static const struct request request = {
	.conn = { .fd = 3, .port = -2, .sent = UINT64_MAX },
	.name = "GET /index.html",
	.method = "PROPFIND",
	.next = (struct request *)&other,
	.color = BLUE,
	.level = LOW,
	.bits = { .low = 5, .middle = -4, .high = 0xabcdef, .wide = 1ull << 62 },
	.u8 = 200,
	.s8 = -100,
	.u16 = 60000,
	.s16 = -30000,
	.u32 = 0xffffffff,
	.s32 = -1,
	.u64 = UINT64_MAX,
	.s64 = INT64_MIN,
	.ready = true,
	.numbers = { 1, -2, 3, -4 },
	.long_name = "/very/long",
};

static void show_error(const char *text, const struct expression_error *error)
{
	if (error->message)
		expression_error_print(stderr, "test", text, error);
}

/* How the predicate ends. */
static int judge(const char *text, enum expression_source source)
{
	const struct expression_scope scope = fake_scope(source);
	struct expression_error error = {};
	struct machine_program program;
	struct expression *expression;
	struct target target;
	int end = -1;

	target_stop(&target, &request);
	if (!expression_parse(text, &expression, &error) &&
	    !expression_compile_predicate(expression, &scope, &program, &error))
		end = target_run(&target, &program);
	show_error(text, &error);
	expression_error_free(&error);
	expression_free(expression);
	return end;
}

static const struct {
	const char *text;
	int end;
} predicates[] = {
	/* literals and precedence */
	{ "1", MACHINE_TRUE },
	{ "0", MACHINE_FALSE },
	{ "true && !false", MACHINE_TRUE },
	{ "1 || 0 && 0", MACHINE_TRUE },
	{ "(1 || 0) && 0", MACHINE_FALSE },
	{ "u8 - 1 + 1 == 200", MACHINE_TRUE },
	{ "u8 - (1 + 1) == 198", MACHINE_TRUE },
	{ "!u8 == 0", MACHINE_TRUE },
	{ "-s8 == 100", MACHINE_TRUE },
	{ "- -s8 == -100", MACHINE_TRUE },
	{ "u8 & 0x48 && s8 < 0", MACHINE_TRUE },
	{ "(u8 & 0xc0) == 0xc0", MACHINE_TRUE },
	{ "(s8 < 0) == (u8 > 0)", MACHINE_TRUE },
	{ "u16 == 60000 && s16 == -30000", MACHINE_TRUE },
	{ "s64 == -9223372036854775808", MACHINE_TRUE },
	{ "u64 == 18446744073709551615", MACHINE_TRUE },
	{ "u64 == 0xffffffffffffffff", MACHINE_TRUE },
	{ "arg2 > 4K && arg2 <= 4097", MACHINE_TRUE },
	{ "arg2 > 1M || arg2 < 2G", MACHINE_TRUE },
	{ "req->method[0] == 'P' && req->method[7] == '\\x44'", MACHINE_TRUE },
	{ "limit == -7 && größe == 3 && ns::limit == 18446744073709551615", MACHINE_TRUE },
	/* signed and unsigned */
	{ "s32 == u32", MACHINE_FALSE },
	{ "s32 < u32", MACHINE_TRUE },
	{ "u32 > s32", MACHINE_TRUE },
	{ "s64 < u64", MACHINE_TRUE },
	{ "u64 > s64", MACHINE_TRUE },
	{ "u64 <= s64", MACHINE_FALSE },
	{ "s64 >= u64", MACHINE_FALSE },
	{ "s64 == u64", MACHINE_FALSE },
	{ "u64 != s64", MACHINE_TRUE },
	{ "u64 < s64", MACHINE_FALSE },
	{ "s8 < u8 && s8 < u64 && s16 < s8", MACHINE_TRUE },
	{ "u64 > u32 && u64 >= u64", MACHINE_TRUE },
	{ "(uint32_t)s32 == u32", MACHINE_TRUE },
	{ "(int)u32 == s32", MACHINE_TRUE },
	{ "(unsigned char)s8 == 156 && (int64_t)u64 == -1 && (unsigned long)s64 > 5",
	  MACHINE_TRUE },
	{ "(short)u16 < 0", MACHINE_TRUE },
	{ "~u8 == 55 && ~u32 == 0 && ~s32 == 0 && ~5 == -6", MACHINE_TRUE },
	{ "(u32 & ~0xff) == 0xffffff00 && ~(u8 & 8) == -9", MACHINE_TRUE },
	{ "~u64 == 0", MACHINE_TRUE },
	/* sums that fit, and some that do not */
	{ "u64 - 1 > 5", MACHINE_FAULT },
	{ "u8 - 201 < 0 && u8 - u16 == -59800", MACHINE_TRUE },
	{ "s64 + 1 < 0", MACHINE_TRUE },
	{ "s64 - 1 < 0", MACHINE_FAULT },
	{ "-s64 > 0", MACHINE_FAULT },
	{ "-u64 < 0", MACHINE_FAULT },
	{ "u64 + u8 > 0", MACHINE_FAULT },
	{ "u32 + u32 == 8589934590", MACHINE_TRUE },
	{ "u64 + s32 == 5", MACHINE_FAULT },
	{ "s64 + u64 == 9223372036854775807", MACHINE_TRUE },
	/* registers take the sign of the other side */
	{ "arg3 == -1", MACHINE_TRUE },
	{ "arg3 == 0xffffffffffffffff", MACHINE_TRUE },
	{ "arg3 < 0", MACHINE_TRUE },
	{ "arg3 == u64", MACHINE_TRUE },
	{ "(int)arg3 == -1 && (uint8_t)$arg3 == 255", MACHINE_TRUE },
	/* places and types */
	{ "req->conn.fd == 3 && request.conn.fd == 3", MACHINE_TRUE },
	{ "req->conn.port == -2 && in_register == -2 && @pid == -2", MACHINE_TRUE },
	{ "$pid == 812 && tid == 813 && cpu == 1", MACHINE_TRUE },
	{ "req->next->s32 == 77 && req->next != NULL", MACHINE_TRUE },
	{ "(*req->next).s32 == 77 && (*req).next->s32 == 77", MACHINE_TRUE },
	{ "req->next->next && req->next->next->s32 == 1", MACHINE_FALSE },
	{ "req->next->next == NULL || req->next->next->s32 == 1", MACHINE_TRUE },
	{ "!req->next->next", MACHINE_TRUE },
	{ "req == 0 || req > 4096", MACHINE_TRUE },
	{ "arg1 == req->name", MACHINE_TRUE },
	{ "numbers[1] == -2 && numbers[3] == -4 && *numbers == 1", MACHINE_TRUE },
	{ "words[0] == u64 && words[1] > 5 && *words == words[0]", MACHINE_TRUE },
	{ "req[0].s8 == -100", MACHINE_TRUE },
	{ "words[-0] == u64", MACHINE_TRUE },
	{ "req->ready && ready == true && ready", MACHINE_TRUE },
	{ "req->bits.low == 5 && req->bits.middle == -4", MACHINE_TRUE },
	{ "req->bits.high == 0xabcdef && req->bits.wide == 0x4000000000000000", MACHINE_TRUE },
	{ "color == BLUE && BLUE == req->color && color != GREEN", MACHINE_TRUE },
	{ "req->level == LOW && req->level < HIGH && color == color::BLUE", MACHINE_TRUE },
	{ "(color & BLUE) == BLUE && color & ~GREEN", MACHINE_TRUE },
	/* strings */
	{ "comm == \"nginx*\"", MACHINE_TRUE },
	{ "comm == \"nginx\"", MACHINE_FALSE },
	{ "comm != \"nginx\"", MACHINE_TRUE },
	{ "comm == \"nginx: worker\"", MACHINE_TRUE },
	{ "req->name == \"GET*\"", MACHINE_TRUE },
	{ "\"GET*\" == text && text != \"PUT*\"", MACHINE_TRUE },
	{ "text == \"*index*\" && text == \"G?T /*.html\"", MACHINE_TRUE },
	{ "req->method == \"PROPFIND\" && req->method != \"PROP\"", MACHINE_TRUE },
	{ "req->long_name == \"/very*\"", MACHINE_TRUE },
	{ "arg1 == \"GET /index.html\"", MACHINE_TRUE },
	{ "req->next->name == \"other\"", MACHINE_TRUE },
	/* what cannot be read */
	{ "nowhere == 1", MACHINE_FAULT },
	{ "nowhere != 1", MACHINE_FAULT },
	{ "!(nowhere == 1)", MACHINE_FAULT },
	{ "u8 == 200 || nowhere == 1", MACHINE_TRUE },
	{ "u8 == 201 && nowhere == 1", MACHINE_FALSE },
	{ "nowhere == 1 || u8 == 200", MACHINE_FAULT },
	{ "no_register > 1", MACHINE_FAULT },
	{ "req->next->next->s32 == 1", MACHINE_FAULT },
	{ "req->next->next->name == \"a\"", MACHINE_FAULT },
	{ "arg2 == \"a\"", MACHINE_FAULT },
};

static void predicates_are_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAKE_COUNT(predicates); i++) {
		int end = judge(predicates[i].text, EXPRESSION_UPROBE);

		if (end != predicates[i].end)
			fail_msg("%s: %d", predicates[i].text, end);
	}
}

static void fields_by_source(void **state)
{
	(void)state;
	assert_int_equal(judge("$ret < 0 || !($pid == 812)", EXPRESSION_URETPROBE), MACHINE_TRUE);
	assert_int_equal(judge("ret == -5 && latency > 10ms", EXPRESSION_LATENCY), MACHINE_TRUE);
	assert_int_equal(judge("latency > 10.1ms || latency < 1us || latency >= 1s",
			       EXPRESSION_LATENCY),
			 MACHINE_FALSE);
	assert_int_equal(judge("latency - 10ms == 1ns && latency > 0", EXPRESSION_LATENCY),
			 MACHINE_TRUE);
	assert_int_equal(judge("new != old && new > 100", EXPRESSION_BREAKPOINT), MACHINE_TRUE);
	assert_int_equal(judge("new - old > 100", EXPRESSION_BREAKPOINT), MACHINE_TRUE);
	assert_int_equal(judge("cpu == 1 && comm == \"*\"", EXPRESSION_OTHER), MACHINE_TRUE);
}

static int judge_watched(const char *text, const void *type, uint32_t size)
{
	struct expression_scope scope = fake_scope(EXPRESSION_BREAKPOINT);
	struct expression_error error = {};
	struct machine_program program;
	struct expression *expression;
	struct target target;
	int end;

	scope.watched_type = type;
	scope.watched_size = size;
	target_stop(&target, &request);
	assert_int_equal(expression_parse(text, &expression, &error), 0);
	assert_int_equal(expression_compile_predicate(expression, &scope, &program, &error), 0);
	end = target_run(&target, &program);
	expression_free(expression);
	return end;
}

static void watched_values_have_a_width(void **state)
{
	(void)state;
	assert_int_equal(judge_watched("new == -1", NULL, 4), MACHINE_TRUE);
	assert_int_equal(judge_watched("new == 0xffffffff", NULL, 4), MACHINE_TRUE);
	assert_int_equal(judge_watched("new == 0xffffffff", NULL, 8), MACHINE_TRUE);
	assert_int_equal(judge_watched("new < old", &type_s32, 4), MACHINE_TRUE);
	assert_int_equal(judge_watched("new > old", &type_u32, 4), MACHINE_TRUE);
	assert_int_equal(judge_watched("new == BLUE || old == BLUE", &type_color, 4),
			 MACHINE_FALSE);
}

/* What an argument comes to; the program's end, or -1. */
static int value_of(const char *text, struct expression_value *value, uint64_t *number)
{
	const struct expression_scope scope = fake_scope(EXPRESSION_UPROBE);
	struct expression_error error = {};
	struct machine_program program;
	struct expression *expression;
	struct target target;
	int end = -1;

	target_stop(&target, &request);
	if (!expression_parse(text, &expression, &error) &&
	    !expression_compile_value(expression, &scope, &program, value, &error))
		end = target_run(&target, &program);
	show_error(text, &error);
	expression_error_free(&error);
	expression_free(expression);
	*number = target.machine.value[0];
	return end;
}

static void numbers_are_values(void **state)
{
	struct expression_value value;
	uint64_t number;

	(void)state;
	assert_int_equal(value_of("s8", &value, &number), MACHINE_TRUE);
	assert_true(!value.is_address && value.type == &type_s8 && value.size == 1 &&
		    value.is_signed);
	assert_int_equal(number, -100);
	assert_int_equal(value_of("req->bits.high", &value, &number), MACHINE_TRUE);
	assert_true(value.type == &type_u32 && !value.is_signed && number == 0xabcdef);
	assert_int_equal(value_of("arg2", &value, &number), MACHINE_TRUE);
	assert_true(!value.type && value.size == 8 && number == 4097);
	assert_int_equal(value_of("req->name", &value, &number), MACHINE_TRUE);
	assert_true(!value.is_address && value.type == &type_char_pointer &&
		    number == (uintptr_t)request.name);
	assert_int_equal(value_of("u8 > 3", &value, &number), MACHINE_TRUE);
	assert_true(!value.type && number == 1);
	assert_int_equal(value_of("nowhere", &value, &number), MACHINE_FAULT);
}

static void others_are_addresses(void **state)
{
	struct expression_value value;
	uint64_t number;

	(void)state;
	assert_int_equal(value_of("req->conn", &value, &number), MACHINE_TRUE);
	assert_true(value.is_address && value.type == &type_connection);
	assert_true(number == (uintptr_t)&request.conn);
	assert_int_equal(value_of("req->method", &value, &number), MACHINE_TRUE);
	assert_true(value.is_address && number == (uintptr_t)request.method);
	assert_int_equal(value_of("*req->next", &value, &number), MACHINE_TRUE);
	assert_true(value.is_address && value.type == &type_request && number == (uintptr_t)&other);
	assert_int_equal(value_of("ratio", &value, &number), MACHINE_TRUE);
	assert_true(value.is_address && value.type == &type_double &&
		    number == (uintptr_t)&request.ratio);
	assert_int_equal(value_of("req->s128", &value, &number), MACHINE_TRUE);
	assert_true(value.is_address && number == (uintptr_t)&request);
	assert_int_equal(value_of("req[-1]", &value, &number), MACHINE_TRUE);
	assert_true(number == (uintptr_t)(&request - 1));
}

static void lists(void **state)
{
	static const char text[] = " arg1, req->conn.fd ,*words, numbers[2]";
	struct expression_error error = {};
	struct expression_list list;
	size_t from, to;

	(void)state;
	assert_int_equal(expression_parse_list(text, &list, &error), 0);
	assert_int_equal(list.count, 4);
	expression_span(list.items[1], &from, &to);
	assert_int_equal(strncmp(text + from, "req->conn.fd", to - from), 0);
	assert_int_equal(to - from, 12);
	assert_false(expression_needs_program(list.items[0], EXPRESSION_UPROBE));
	assert_true(expression_needs_program(list.items[0], EXPRESSION_URETPROBE));
	assert_true(expression_needs_program(list.items[1], EXPRESSION_UPROBE));
	expression_list_free(&list);
	assert_int_equal(expression_parse_list("a,,b", &list, &error), -EINVAL);
	assert_int_equal(error.from, 2);
	expression_error_free(&error);
	assert_int_equal(list.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(predicates_are_judged),       cmocka_unit_test(fields_by_source),
		cmocka_unit_test(watched_values_have_a_width), cmocka_unit_test(numbers_are_values),
		cmocka_unit_test(others_are_addresses),	       cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
