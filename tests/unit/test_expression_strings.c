// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Matching strings as fnmatch() does, without going back. */
#include <stdarg.h>
#include <setjmp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <cmocka.h>

#include "expression_fixture.h"
#include "random.h"

#define ROUNDS 100000

static void random_word(uint64_t *seed, const char *letters, char *word, size_t most)
{
	size_t length = next_random(seed) % (most + 1);

	for (size_t i = 0; i < length; i++)
		word[i] = letters[next_random(seed) % strlen(letters)];
	word[length] = '\0';
}

/* As the lexer writes it down. */
static struct machine_text pattern_of(const char *text)
{
	struct machine_text pattern = { .length = (uint32_t)strlen(text) };

	memcpy(pattern.text, text, pattern.length);
	for (uint32_t i = 0; i < pattern.length; i++) {
		pattern.any |= (__u64)(text[i] == '*') << i;
		pattern.one |= (__u64)(text[i] == '?') << i;
	}
	return pattern;
}

/* With what was in the machine's text before behind it. */
static int match(const char *pattern, const char *text)
{
	struct machine_text made = pattern_of(pattern);
	struct machine machine = {};

	memset(machine.text, 'a', sizeof(machine.text));
	machine.text_length = (uint32_t)strnlen(text, MACHINE_TEXT_BYTES - 1);
	machine.text_cut = strlen(text) >= MACHINE_TEXT_BYTES - 1;
	memcpy(machine.text, text, machine.text_length);
	((char *)machine.text)[machine.text_length] = '\0';
	return machine_match(&machine, &made);
}

static void short_ones_as_fnmatch(void **state)
{
	char pattern[MACHINE_PATTERN_BYTES + 1], text[63];
	unsigned matched = 0;
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t most = i % 4 ? 7 : 62;
		bool wanted;

		random_word(&seed, "aab**?", pattern, most);
		random_word(&seed, i % 3 ? "aab" : "a", text, most);
		wanted = fnmatch(pattern, text, 0) == 0;
		if (match(pattern, text) != wanted)
			fail_msg("\"%s\" of \"%s\": not %d", pattern, text, wanted);
		matched += wanted;
	}
	assert_in_range(matched, ROUNDS / 20, ROUNDS / 2);
}

/* What is said of a string without its end holds for all of it; a prefix is always known. */
static void long_ones_are_not_guessed(void **state)
{
	char pattern[MACHINE_PATTERN_BYTES + 1], text[128];
	unsigned known = 0;
	uint64_t seed = 2;

	(void)state;
	for (unsigned i = 0; i < ROUNDS / 4; i++) {
		const char *star;
		int matched;

		random_word(&seed, "aaab**?", pattern, i % 4 ? 7 : 62);
		memset(text, 'a', 63);
		random_word(&seed, "aab", text + 63, 60);
		text[next_random(&seed) % 63] = 'b';
		matched = match(pattern, text);
		star = strchr(pattern, '*');
		if (matched >= 0)
			assert_int_equal(matched, fnmatch(pattern, text, 0) == 0);
		else
			assert_non_null(star);
		if (!star || !star[1])
			assert_int_not_equal(matched, -1);
		known += matched >= 0;
	}
	assert_in_range(known, ROUNDS / 40, ROUNDS / 4);
}

static void all_bytes(void **state)
{
	(void)state;
	for (unsigned i = 1; i < 256; i++) {
		char text[] = { (char)i, (char)(i ^ 0x80), (char)i, '\0' };
		char wrong[] = { (char)i, (char)i, (char)i, '\0' };
		struct machine_text pattern = { .length = 3 };
		struct machine machine = { .text_length = 3 };

		memcpy(pattern.text, text, 3);
		memcpy(machine.text, text, 3);
		assert_int_equal(machine_match(&machine, &pattern), 1);
		memcpy(machine.text, wrong, 3);
		assert_int_equal(machine_match(&machine, &pattern), 0);
	}
}

/* 1 or 0 as the predicate over request->method, which fills its array or not. */
static int judge(const char *text, const char *method)
{
	const struct expression_scope scope = fake_scope(EXPRESSION_UPROBE);
	struct expression_error error = {};
	struct machine_program program;
	struct expression *expression;
	struct request request = {};
	struct target target;
	int end;

	memcpy(request.method, method, strnlen(method, sizeof(request.method)));
	target_stop(&target, &request);
	memset(target.comm, 'x', 15);
	assert_int_equal(expression_parse(text, &expression, &error), 0);
	assert_int_equal(expression_compile_predicate(expression, &scope, &program, &error), 0);
	end = target_run(&target, &program);
	expression_free(expression);
	return end;
}

static void arrays_end_without_a_nul(void **state)
{
	(void)state;
	assert_int_equal(judge("req->method == \"12345678\"", "12345678"), MACHINE_TRUE);
	assert_int_equal(judge("req->method == \"1234567\"", "12345678"), MACHINE_FALSE);
	assert_int_equal(judge("req->method == \"*78\"", "12345678"), MACHINE_TRUE);
	assert_int_equal(judge("req->method == \"\"", ""), MACHINE_TRUE);
	assert_int_equal(judge("req->method == \"?*\"", ""), MACHINE_FALSE);
}

static void names_of_tasks(void **state)
{
	(void)state;
	assert_int_equal(judge("comm == \"xxxxxxxxxxxxxxx\"", ""), MACHINE_TRUE);
	assert_int_equal(judge("comm == \"xxxxxxxxxxxxxx\"", ""), MACHINE_FALSE);
	assert_int_equal(judge("comm == \"x*x\" && comm != \"y*\"", ""), MACHINE_TRUE);
}

static void backslashes(void **state)
{
	(void)state;
	assert_int_equal(judge("req->method == \"a\\*b\"", "a*b"), MACHINE_TRUE);
	assert_int_equal(judge("req->method == \"a\\*b\"", "axb"), MACHINE_FALSE);
	assert_int_equal(judge("req->method == \"\\?**\\x41\"", "?-A"), MACHINE_TRUE);
	assert_int_equal(judge("req->method == \"\\\"\\\\\\t\"", "\"\\\t"), MACHINE_TRUE);
	assert_int_equal(judge("req->method == \"[ab]\"", "a"), MACHINE_FALSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_ones_as_fnmatch),
		cmocka_unit_test(long_ones_are_not_guessed),
		cmocka_unit_test(all_bytes),
		cmocka_unit_test(arrays_end_without_a_nul),
		cmocka_unit_test(names_of_tasks),
		cmocka_unit_test(backslashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
