// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random expressions: the compiled program comes to what evaluating them with wider numbers does. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "expression_random.h"

#define ROUNDS 20000

/* -1: refused, as what its ranges decide, or too long */
static int judge(const char *text, struct target *target)
{
	const struct expression_scope scope = fake_scope(EXPRESSION_UPROBE);
	struct expression_error error = {};
	struct machine_program program;
	struct expression *expression;
	int end = -1;

	if (!expression_parse(text, &expression, &error) &&
	    !expression_compile_predicate(expression, &scope, &program, &error))
		end = target_run(target, &program);
	else
		assert_non_null(error.message);
	expression_error_free(&error);
	expression_free(expression);
	return end;
}

static void as_evaluated(void **state)
{
	struct random_expression e = { .seed = 20240601 };
	unsigned ends[MACHINE_GOES_ON + 1] = {}, refused = 0;
	struct request request;
	struct target target;
	char name[80];

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct result result;
		int end;

		random_request(&e.seed, &request, name);
		target_stop(&target, &request);
		random_text(&e.seed, target.comm, sizeof(target.comm));
		e.request = &request;
		e.comm = target.comm;
		result = random_expression_make(&e);
		end = judge(e.text, &target);
		if (end < 0) {
			refused++;
			continue;
		}
		ends[end]++;
		if (!result_allows(result, end))
			fail_msg("%s: %d, not %d (%d)", e.text, end, (int)result.value,
				 result.faults);
	}
	assert_true(refused < ROUNDS / 4 * 3);
	assert_true(ends[MACHINE_TRUE] > ROUNDS / 50 && ends[MACHINE_FALSE] > ROUNDS / 50 &&
		    ends[MACHINE_FAULT] > ROUNDS / 50);
	assert_int_equal(ends[MACHINE_BROKEN] + ends[MACHINE_GOES_ON], 0);
}

/* Any bytes are a program that ends, and touches nothing else. */
static void any_program_ends(void **state)
{
	struct machine_program program;
	struct request request;
	struct target target;
	uint64_t seed = 7;
	char name[80];

	(void)state;
	random_request(&seed, &request, name);
	for (unsigned i = 0; i < ROUNDS; i++) {
		target_stop(&target, &request);
		for (unsigned j = 0; j < MACHINE_INSNS; j++)
			program.insns[j] = (struct machine_insn){
				.op = (__u8)(next_random(&seed) % (MACHINE_OPS + 1)),
				.flags = (__u8)next_random(&seed),
				.size = next_random(&seed) % 70,
				.value = random_number(&seed),
			};
		for (unsigned j = 0; j < sizeof(program.texts) / 4; j++)
			((uint32_t *)program.texts)[j] = next_random(&seed);
		assert_in_range(target_run(&target, &program), MACHINE_FALSE, MACHINE_BROKEN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_evaluated),
		cmocka_unit_test(any_program_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
