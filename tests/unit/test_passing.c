// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where the calling convention puts arguments, told from what compilers do: each function here is compiled to
 * pass what it has on, and gdb would not know more than the code does. The expectations are those of the psABI.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "debug/functions.h"
#include "debug/signature.h"
#include "debug_program.h"
#include "source/argument_register.h"

#if defined(__x86_64__)

static const char source[] =
	"#include <complex.h>\n"
	"typedef int v2si __attribute__((vector_size(8)));\n"
	"struct pair { long a, b; }; struct small { char c; short s; }; struct mixed { double d; long l; };\n"
	"struct floats { float a, b; }; struct large { long a[3]; }; struct vector { v2si v; };\n"
	"struct aligned { char a; int b __attribute__((aligned(16))); };\n"
	"struct __attribute__((packed)) packed { char c; long l; }; union both { long l; double d; };\n"
	"long many(int a, char *b, long c, short d, unsigned e, long long f, char g, int h) { return a; }\n"
	"long structs(struct pair p, int i, struct small s, union both u) { return p.a; }\n"
	"long vectors(double d, int i, struct floats f, struct mixed m, long l) { return i; }\n"
	"long larges(struct large l, int i, struct pair p) { return i; }\n"
	"long splits(long a, long b, long c, long d, long e, struct pair p, long f) { return a; }\n"
	"struct large returns(int i, long l) { struct large r = {{ i }}; return r; }\n"
	"long odd(struct packed p, int i) { return i; }\n"
	"long vector(int i, struct vector v, int j) { return i; }\n"
	"long aligned(long a, long b, long c, long d, long e, long f, char g, struct aligned h, char i) { return a; }\n"
	"enum number { ONE }; long bits(_Bool b, enum number e, float f, char c) { return b; }\n"
	"__attribute__((ms_abi)) long foreign(int i) { return i; }\n"
	"int main(void) { return 0; }\n";

/* Of each parameter: rN or rN+rM, DWARF's numbers; sN on the stack, N bytes from the frame's address; - neither. */
static const struct {
	const char *function, *places;
	bool by_clang; /* only there does DWARF tell what it hangs on */
} expected[] = {
	{ "many", "r5 r4 r1 r2 r8 r9 s0 s8", false },
	{ "structs", "r5+r4 r1 r2 r8", false },
	{ "vectors", "- r5 - - r1", false },
	{ "larges", "s0 r5 r4+r1", false },
	{ "splits", "r5 r4 r1 r2 r8 s0 r9", false },
	{ "returns", "r4 r1", false },
	/* nothing is known of it, nor then of what comes after */
	{ "odd", "- -", false },
	{ "vector", "r5 - -", false },
	{ "aligned", "r5 r4 r1 r2 r8 r9 s0 - -", false },
	{ "bits", "r5 r4 - r1", false },
	{ "foreign", "-", true },
};

static void write_place(const struct debug_signature *signature, size_t index, char *text,
			size_t size)
{
	int registers[VALUE_REGISTERS];
	size_t count = argument_registers(signature, index, registers);
	int64_t offset;

	if (count == 2)
		snprintf(text, size, "r%d+r%d", registers[0], registers[1]);
	else if (count == 1)
		snprintf(text, size, "r%d", registers[0]);
	else if (argument_on_stack(signature, index, &offset))
		snprintf(text, size, "s%lld", (long long)offset);
	else
		snprintf(text, size, "-");
}

static void check_function(struct debug_info *info, const char *name, const char *places)
{
	struct debug_functions functions;
	struct debug_signature signature;
	char all[256] = "", one[32];

	assert_int_equal(debug_functions_named(info, name, &functions), 0);
	assert_int_equal(debug_signature_read(info, functions.list, functions.list->entry,
					      &signature),
			 0);
	assert_true(signature.is_c);
	assert_true(signature.knows_types);
	for (size_t i = 0; i < signature.count; i++) {
		write_place(&signature, i, one, sizeof(one));
		strcat(strcat(all, i ? " " : ""), one);
	}
	if (strcmp(all, places) != 0)
		fail_msg("%s: %s, want %s", name, all, places);
	debug_signature_free(&signature);
	debug_functions_free(&functions);
}

static void test_arguments(void **state)
{
	char *folder = folder_new();

	(void)state;
	write_file(folder, "program.c", source);
	for (size_t build = 0; build < DEBUG_BUILDS; build++) {
		bool is_clang = !strcmp(debug_builds[build].cc, "clang");
		struct debug_info *info;

		if (!has_tool(debug_builds[build].cc))
			continue;
		build_program(folder, &debug_builds[build], "program.c");
		info = open_program(folder, "program");
		for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
			if (is_clang || !expected[i].by_clang)
				check_function(info, expected[i].function, expected[i].places);
		debug_info_close(info);
	}
	folder_remove(folder);
}

#else

static void test_arguments(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_arguments) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
