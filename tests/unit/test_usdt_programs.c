// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Arguments of USDT probes run on the machine, alone and in expressions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "expression_fixture.h"
#include "object/usdt_args.h"
#include "source/program_scope.h"
#include "source/usdt_programs.h"
#include "source/usdt_scope.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What addresses lead to. */
static struct {
	int8_t before[8];
	int32_t words[6];
	char text[8];
} memory = { { 1, 2, 3, 4, 5, 6, 7, -8 }, { -1, 20, 30, -40, 50, 60 }, "hello" };

static struct target target;

/* Register 6 is at memory.words, 1 and 2 count, 3 is a negative distance, 5 a string. */
static int stop(void **state)
{
	(void)state;
	memset(&target, 0, sizeof(target));
	target.registers[0] = 0x1122334455667788;
	target.registers[1] = 3;
	target.registers[2] = 0xfffffffffffffffe;
	target.registers[3] = 0xdead00000000ffff;
	target.registers[4] = 0xabcdef00fffffffe; /* -2 in its lower half */
	target.registers[5] = (uintptr_t)memory.text;
	target.registers[6] = (uintptr_t)memory.words;
	target.registers[31] = (uintptr_t)memory.words;
	target.ip = (uintptr_t)memory.words - 64;
	strcpy(target.comm, "nginx");
	return 0;
}

static struct usdt_program *programs_of(uint16_t machine, const char *text,
					struct usdt_arguments *arguments)
{
	struct usdt_program *programs;

	usdt_arguments_parse(machine, text, arguments);
	/* as if the file had one symbol, 64 bytes behind the probe */
	for (size_t i = 0; i < arguments->count; i++) {
		arguments->list[i].offset += arguments->list[i].symbol ? 64 : 0;
		arguments->list[i].symbol = NULL;
	}
	assert_int_equal(usdt_arguments_programs(arguments, &programs), 0);
	return programs;
}

struct form {
	const char *text;
	int64_t wanted;
};

static void check_values(uint16_t machine, const struct form *forms, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct usdt_arguments arguments;
		struct usdt_program *programs = programs_of(machine, forms[i].text, &arguments);
		int end;

		assert_int_equal(arguments.count, 1);
		assert_string_equal(programs[0].name, "arg1");
		if (programs[0].unreadable)
			fail_msg("\"%s\" %s", forms[i].text, programs[0].unreadable);
		end = target_run(&target, &programs[0].program);
		if (end > MACHINE_TRUE || (int64_t)target.machine.value[0] != forms[i].wanted)
			fail_msg("\"%s\": ended with %d, %" PRIx64 ", not %" PRIx64, forms[i].text,
				 end, (uint64_t)target.machine.value[0], forms[i].wanted);
		free(programs);
	}
}

static void test_x86(void **state)
{
	static const struct form forms[] = {
		{ "8@%rax", 0x1122334455667788 },
		{ "4@%eax", 0x55667788 },
		{ "2@%ax", 0x7788 },
		{ "1@%al", 0x88 },
		{ "-1@%al", (int8_t)0x88 },
		{ "1@%ah", 0x77 },
		{ "-1@%bh", -1 },
		{ "1@%bh", 0xff },
		{ "-2@%bx", -1 },
		{ "4@%ebx", 0xffff },
		{ "-8@%rcx", -2 },
		{ "8@$5", 5 },
		{ "-4@$-1", -1 },
		{ "4@$-1", 0xffffffff },
		{ "1@$256", 0 },
		{ "-4@(%rbp)", -1 },
		{ "4@(%rbp)", 0xffffffff },
		{ "-4@12(%rbp)", -40 },
		{ "-1@-1(%rbp)", -8 },
		{ "1@-8(%rbp)", 1 },
		{ "-4@(%rbp,%rdx,4)", -40 },
		{ "-4@8(%rbp,%rdx,4)", 60 },
		{ "-4@12(%rbp,%rcx,2)", 30 },
		{ "4@4(%rbp,%rcx,2)", 0xffffffff },
		/* the pointer as index, the distance as base */
		{ "1@-6(%rcx,%rbp)", 1 },
		{ "4@(,%rbp,1)", 0xffffffff },
		{ "-4@counter(%rip)", -1 },
		{ "-4@4+counter(%rip)", 20 },
		{ "8@%r15", 0 },
	};

	(void)state;
	check_values(EM_X86_64, forms, COUNT(forms));
}

static void test_arm64(void **state)
{
	static const struct form forms[] = {
		{ "8@x0", 0x1122334455667788 },
		{ "-4@w1", 3 },
		{ "-4@w2", -2 },
		{ "8@xzr", 0 },
		{ "-4@[sp]", -1 },
		{ "-4@[sp, 12]", -40 },
		{ "-4@[x6, x1, lsl 2]", -40 },
		{ "-4@[x6, x1, lsl 2]", -40 },
		{ "1@[x6, x2]", 7 },
		{ "-1@[x6, w4, sxtw]", 7 },
		{ "1@[x6, w4, sxtw 2]", 1 },
		{ "-4@[sp, w1, uxtw 2]", -40 },
		{ "4@10", 10 },
		{ "-4@#-10", -10 },
	};

	(void)state;
	check_values(EM_AARCH64, forms, COUNT(forms));
}

/* A 32-bit index without a sign leads far away. */
static void test_faults(void **state)
{
	static const char *const texts[] = { "4@[sp, w4, uxtw 2]", "8@[x1]", "8@[x2, 8]" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct usdt_arguments arguments;
		struct usdt_program *programs = programs_of(EM_AARCH64, texts[i], &arguments);

		assert_int_equal(target_run(&target, &programs[0].program), MACHINE_FAULT);
		free(programs);
	}
}

static void test_unreadable(void **state)
{
	struct usdt_arguments arguments;
	struct usdt_program *programs =
		programs_of(EM_X86_64,
			    "8f@%xmm0 4f@(%rbp) 1@$1 16@(%rax) 1@1 1@1 1@1 1@1 1@1 1@1 1@1 -2@$7",
			    &arguments);

	(void)state;
	assert_int_equal(arguments.count, 12);
	assert_string_equal(programs[0].unreadable, "is in a vector register");
	assert_int_equal(programs[0].program.length, 0);
	assert_null(programs[1].unreadable);
	assert_true(programs[1].is_float);
	assert_int_equal(programs[1].size, 4);
	assert_int_equal(target_run(&target, &programs[1].program), MACHINE_TRUE);
	assert_int_equal(target.machine.value[0], 0xffffffff);
	assert_null(programs[2].unreadable);
	assert_string_equal(programs[3].unreadable, "is not of 1, 2, 4 or 8 bytes");
	assert_string_equal(programs[11].name, "arg12");
	assert_int_equal(programs[11].size, 2);
	assert_true(programs[11].is_signed);
	free(programs);
	usdt_arguments_parse(EM_X86_64, "", &arguments);
	assert_int_equal(usdt_arguments_programs(&arguments, &programs), 0);
	assert_null(programs);
}

/* ---- in expressions ----------------------------------------------------------------------------- */

#define ARGUMENTS "-4@%ecx 8@%rdi 1@%bh 4@-8+counter(%rip) 8f@%xmm0 4f@(%rbp) -8@%rcx 8@%rbp"

/* How it ends, or -EINVAL with what is said. */
static int judge(const char *text, char *said, size_t size)
{
	struct program_scope scope;
	struct expression_error error = {};
	struct expression *expression;
	struct machine_program program;
	struct usdt_arguments arguments;
	int err;

	usdt_arguments_parse(EM_X86_64, ARGUMENTS, &arguments);
	arguments.list[3].offset += 64 + 12;
	arguments.list[3].symbol = NULL;
	const struct program_place place = { .vaddr = 0x1000 };

	assert_int_equal(program_scope_open(&scope, NULL, EXPRESSION_USDT, &place), 0);
	assert_int_equal(usdt_scope_add(&scope, &arguments), 0);
	assert_int_equal(expression_parse(text, &expression, &error), 0);
	err = expression_compile_predicate(expression, &scope.scope, &program, &error);
	snprintf(said, size, "%s", err ? error.message : "");
	if (!err)
		err = target_run(&target, &program);
	expression_error_free(&error);
	expression_free(expression);
	program_scope_close(&scope);
	return err;
}

static void test_expressions(void **state)
{
	static const struct {
		const char *text;
		int end;
		const char *said;
	} cases[] = {
		{ "arg1 == -2", MACHINE_TRUE, "" },
		{ "$arg1 < 0 && arg1 >= -2", MACHINE_TRUE, "" },
		{ "arg1 > 10", MACHINE_FALSE, "" },
		{ "arg2 == \"hel*\"", MACHINE_TRUE, "" },
		{ "arg2 == \"world\"", MACHINE_FALSE, "" },
		{ "arg2 != NULL && arg2", MACHINE_TRUE, "" },
		{ "arg3 == 255 && arg3 + 1 == 256", MACHINE_TRUE, "" },
		{ "arg4 == 20", MACHINE_TRUE, "" },
		{ "(int)arg4 - arg1 == 22", MACHINE_TRUE, "" },
		{ "arg7 < arg8", MACHINE_TRUE, "" },
		{ "arg7 == -2 && comm == \"nginx\"", MACHINE_TRUE, "" },
		{ "arg1 < arg7 || arg1 == arg7", MACHINE_TRUE, "" },
		{ "arg3 > 255", -EINVAL, "this is never true: what is compared is from 0 to 255" },
		{ "arg8 < 0", -EINVAL,
		  "this is never true: what is compared is from 0 to 18446744073709551615" },
		{ "arg1 == \"x\"", -EINVAL, "a number and a string cannot be compared" },
		{ "arg1 == NULL", -EINVAL, "only pointers can be NULL" },
		{ "arg5 > 1", -EINVAL, "arg5 is in a vector register" },
		{ "arg6 > 1", -EINVAL, "arg6 is a floating point number" },
		{ "arg9 > 1", -EINVAL, "arg9 is not there: this probe has 8 arguments" },
		{ "arg13 > 1", -EINVAL,
		  "\"arg13\" is not known: the program has no debugging information "
		  "(did you mean \"arg1\"?)" },
		{ "ret > 1", -EINVAL, "ret is known to --uretprobe and --latency only" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char said[256];
		int end = judge(cases[i].text, said, sizeof(said));

		if (end != cases[i].end || strcmp(said, cases[i].said))
			fail_msg("%s: %d, \"%s\"", cases[i].text, end, said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_x86, stop),
		cmocka_unit_test_setup(test_arm64, stop),
		cmocka_unit_test_setup(test_faults, stop),
		cmocka_unit_test_setup(test_unreadable, stop),
		cmocka_unit_test_setup(test_expressions, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
