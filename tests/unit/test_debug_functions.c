// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions, their inlined copies and their parameters, against labels in the code and the ABI. */
#include "debug_program.h"

#include <errno.h>

#include "debug/functions.h"
#include "debug/lines.h"
#include "debug/signature.h"
#include "debug/type.h"

/* ---- inlined in three places, each of which begins with a label ---- */

static const char inlined_c[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) void step(int x) {\n"
	"  __asm__ volatile(\"site_%=:\" ::: \"memory\");\n"
	"  sink = x; }\n"
	"__attribute__((noinline)) void one(int x) {\n"
	"  sink = 1;\n"
	"  step(x); }\n"
	"__attribute__((noinline)) void two(int x) {\n"
	"  sink = 2;\n"
	"  step(x + 1);\n"
	"  sink = 3;\n"
	"  step(x + 2); }\n"
	"int main(int c, char **v) { (void)v; one(c); two(c); return 0; }\n";

static void check_site(struct debug_info *info, const char *folder,
		       const struct debug_function *site)
{
	static const unsigned int calls[] = { 7, 10, 12 };
	struct debug_functions chain;
	bool at_label = false, at_call = false;

	assert_true(site->is_inlined);
	assert_string_equal(site->name, "step");
	assert_int_equal(site->line, 2);
	assert_string_equal(site->host, site->call_line == 7 ? "one" : "two");
	assert_int_equal(site->host_entry,
			 symbol_value(folder, site->call_line == 7 ? "one$" : "two$", 0));
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t label = symbol_value(folder, "site_", i);

		/* without optimization, the argument is put in its place first */
		at_label |= site->entry <= label && label - site->entry < 16;
		at_call |= site->call_line == calls[i];
		if (site->entry > label || label - site->entry >= 16)
			continue;
		assert_int_equal(debug_functions_at(info, label, &chain), 0);
		assert_int_equal(chain.count, 2);
		assert_string_equal(chain.list[0].name, "step");
		assert_string_equal(chain.list[1].name, site->host);
		assert_ptr_equal(chain.list[0].die, site->die);
		debug_functions_free(&chain);
	}
	assert_true(at_label);
	assert_true(at_call);
}

static void test_inlined(void **state)
{
	write_file(*state, "inlined.c", inlined_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_functions sites;
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "inlined.c");
		info = open_program(*state, "program");
		assert_int_equal(debug_functions_named(info, "step", &sites), 0);
		assert_int_equal(sites.count, 3);
		for (size_t k = 0; k < sites.count; k++)
			check_site(info, *state, &sites.list[k]);
		debug_functions_free(&sites);
		assert_int_equal(debug_functions_named(info, "two", &sites), 0);
		assert_int_equal(sites.count, 1);
		assert_int_equal(sites.list[0].entry, symbol_value(*state, "two$", 0));
		debug_functions_free(&sites);
		assert_int_equal(debug_functions_named(info, "three", &sites), -ENOENT);
		assert_int_equal(debug_functions_at(info, 1, &sites), -ENOENT);
		debug_info_close(info);
	}
}

/* ---- lines, as gdb has them ---- */

static bool has_site(const struct debug_lines *lines, uint64_t vaddr)
{
	for (size_t i = 0; i < lines->count; i++) {
		if (lines->sites[i].vaddr == vaddr)
			return true;
	}
	return false;
}

static void check_line_by_gdb(struct debug_info *info, const char *folder, unsigned int line)
{
	FILE *output = output_of("gdb -nx -batch -ex 'break inlined.c:%u' -ex 'info breakpoints' "
				 "%s/program 2>/dev/null | grep -o '0x[0-9a-f]\\{16\\}'",
				 line, folder);
	struct debug_lines lines;
	unsigned long long vaddr;
	size_t count = 0;

	assert_int_equal(debug_lines_find(info, "inlined.c", line, &lines), 0);
	for (; fscanf(output, "%llx", &vaddr) == 1; count++)
		assert_true(has_site(&lines, vaddr));
	pclose(output);
	assert_int_equal(count, lines.count);
	debug_lines_free(&lines);
}

static void test_lines_by_gdb(void **state)
{
	static const unsigned int lines[] = { 4, 6, 9, 11 };

	if (!has_tool("gdb")) {
		print_message("no gdb\n");
		skip();
	}
	write_file(*state, "inlined.c", inlined_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "inlined.c");
		info = open_program(*state, "program");
		for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++)
			check_line_by_gdb(info, *state, lines[k]);
		debug_info_close(info);
	}
}

static void check_inlined_lines(struct debug_info *info)
{
	struct debug_lines lines;

	assert_int_equal(debug_lines_find(info, "inlined.c", 4, &lines), 0);
	assert_int_equal(lines.count, 3);
	for (size_t i = 0; i < lines.count; i++) {
		assert_string_equal(lines.sites[i].function, "step");
		assert_true(lines.sites[i].is_inlined);
		assert_true(!strcmp(lines.sites[i].host, "one") ||
			    !strcmp(lines.sites[i].host, "two"));
	}
	debug_lines_free(&lines);
	assert_int_equal(debug_lines_find(info, "inlined.c", 9, &lines), 0);
	assert_int_equal(lines.count, 1);
	assert_string_equal(lines.sites[0].function, "two");
	assert_false(lines.sites[0].is_inlined);
	debug_lines_free(&lines);
}

static void test_files_of_lines(void **state)
{
	struct debug_lines lines;
	struct debug_info *info;
	char path[PATH_MAX];

	run("cd %s && mkdir -p sub/dir && cp inlined.c sub/dir && gcc -O0 -g -o program "
	    "./sub/../sub/dir/inlined.c",
	    (char *)*state);
	info = open_program(*state, "program");
	check_inlined_lines(info);
	snprintf(path, sizeof(path), "%s/sub/dir/inlined.c", (char *)*state);
	assert_int_equal(debug_lines_find(info, path, 6, &lines), 0);
	debug_lines_free(&lines);
	assert_int_equal(debug_lines_find(info, "dir/./inlined.c", 6, &lines), 0);
	debug_lines_free(&lines);
	assert_int_equal(debug_lines_find(info, "ir/inlined.c", 6, &lines), -ENXIO);
	assert_int_equal(lines.file_count, 1);
	assert_non_null(strstr(lines.files[0], "inlined.c"));
	debug_lines_free(&lines);
	assert_int_equal(debug_lines_find(info, "other.c", 6, &lines), -ENXIO);
	assert_int_equal(lines.file_count, 0);
	debug_lines_free(&lines);
	assert_int_equal(debug_lines_find(info, "inlined.c", 1, &lines), -ENOENT);
	assert_int_equal(lines.line_before, 0);
	assert_int_equal(lines.line_after, 3);
	debug_lines_free(&lines);
	assert_int_equal(debug_lines_find(info, "inlined.c", 1000, &lines), -ENOENT);
	assert_int_equal(lines.line_before, 13);
	assert_int_equal(lines.line_after, 0);
	debug_lines_free(&lines);
	debug_info_close(info);
}

/* ---- names of C++ ---- */

static const char names_cc[] =
	"namespace ns { struct T { int a; void f(int x); void f(double x) const; };\n"
	"__attribute__((noinline)) void T::f(int x) { a += x; }\n"
	"volatile double sink; __attribute__((noinline)) void T::f(double x) const { sink = x; }\n"
	"namespace { __attribute__((noinline)) int hidden(int &x, T &&t) { return x + t.a; } }\n"
	"template <typename X> __attribute__((noinline)) X same(X x) { sink = x; return x; }\n"
	"}\n__attribute__((noinline)) int hidden(const char *text, ...) { return *text; }\n"
	"int main(int c, char **v) { ns::T t{ c }; const ns::T u{ c }; t.f(c); u.f(1.0 * c);\n"
	"  return hidden(v[0], 1) + ns::hidden(c, ns::T{ 3 }) + ns::same(c) + (int)ns::same(1.5 * c); }\n";

static void test_names_of_cc(void **state)
{
	static const struct {
		const char *name;
		size_t count;
		const char *found;
	} names[] = {
		{ "ns::T::f", 2, "ns::T::f" },
		{ "T::f", 2, "ns::T::f" },
		{ "f", 2, "ns::T::f" },
		{ "_ZN2ns1T1fEi", 1, "ns::T::f" },
		{ "_ZNK2ns1T1fEd", 1, "ns::T::f" },
		{ "hidden", 1, "hidden" },
		{ "ns::hidden", 1, "ns::(anonymous namespace)::hidden" },
		{ "ns::same<int>", 1, "ns::same<int>" },
		{ "ns::same", 2, NULL },
		{ "ns::f", 0, NULL },
	};

	write_file(*state, "names.cc", names_cc);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "names.cc");
		info = open_program(*state, "program");
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			struct debug_functions found;
			int err = debug_functions_named(info, names[k].name, &found);

			assert_int_equal(err, names[k].count ? 0 : -ENOENT);
			assert_int_equal(found.count, names[k].count);
			if (names[k].found)
				assert_string_equal(found.list[0].name, names[k].found);
			debug_functions_free(&found);
		}
		debug_info_close(info);
	}
}

/* ---- parameters ---- */

static void signature_at_entry(struct debug_info *info, const char *name,
			       struct debug_signature *signature)
{
	struct debug_functions found;

	assert_int_equal(debug_functions_named(info, name, &found), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(debug_signature_read(info, &found.list[0], found.list[0].entry, signature),
			 0);
	debug_functions_free(&found);
}

static const char parameters_c[] =
	"struct pair { long a, b; }; volatile long sink;\n"
	"__attribute__((noinline)) long many(const char *text, int n, struct pair *p, long l,\n"
	"  unsigned char c, short s, long on_stack) {\n"
	"  sink = n + l + c + s + on_stack + p->b + *text; return sink; }\n"
	"__attribute__((noinline)) static void quiet(void) { sink = 1; }\n"
	"__attribute__((noinline)) int varied(const char *format, ...) { sink = 3; return *format; }\n"
	"int main(int c, char **v) { struct pair p = { c, 2 }; quiet();\n"
	"  return (int)many(v[0], c, &p, c, 1, 2, 3) + varied(v[0], 1); }\n";

#if defined(__x86_64__)
static const unsigned int argument_registers[] = { 5, 4, 1, 2, 8, 9 };
#define STACK_ARGUMENT 6
#elif defined(__aarch64__)
static const unsigned int argument_registers[] = { 0, 1, 2, 3, 4, 5, 6 };
#define STACK_ARGUMENT 7
#endif

/* Optimized code has its arguments where the ABI says; other code puts them in its frame. */
static void check_place(const struct debug_location *location, size_t index, bool optimized)
{
	if (optimized && index < STACK_ARGUMENT) {
		assert_int_equal(location->place, DEBUG_PLACE_REGISTER);
		assert_int_equal(location->reg, argument_registers[index]);
	} else if (optimized) {
		/* where the caller pushed it: the frame address is above the return address */
		assert_true(location->place == DEBUG_PLACE_MEMORY_CFA ?
				    location->offset == 0 :
				    location->place == DEBUG_PLACE_MEMORY_REGISTER);
	} else {
		assert_true(location->place == DEBUG_PLACE_MEMORY_CFA ||
			    location->place == DEBUG_PLACE_MEMORY_REGISTER);
		assert_false(location->is_of_address);
	}
}

static void check_many(struct debug_info *info, bool optimized)
{
	static const struct {
		const char *name, *type;
	} expected[] = {
		{ "text", "const char *" }, { "n", "int" },
		{ "p", "struct pair *" },   { "l", "long" },
		{ "c", "unsigned char" },   { "s", "short" },
		{ "on_stack", "long" },
	};
	struct debug_signature signature;

	signature_at_entry(info, "many", &signature);
	assert_int_equal(signature.count, sizeof(expected) / sizeof(expected[0]));
	assert_string_equal(debug_type_name(signature.returns), "long");
	assert_true(signature.is_external);
	assert_true(signature.is_prototyped);
	assert_false(signature.has_varargs);
	for (size_t i = 0; i < signature.count; i++) {
		assert_string_equal(signature.parameters[i].name, expected[i].name);
		assert_string_equal(debug_type_name(signature.parameters[i].type),
				    expected[i].type);
		assert_false(signature.parameters[i].is_artificial);
		check_place(&signature.parameters[i].location, i, optimized);
	}
	debug_signature_free(&signature);
}

static void test_parameters(void **state)
{
	write_file(*state, "parameters.c", parameters_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_signature signature;
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "parameters.c");
		info = open_program(*state, "program");
		check_many(info, strstr(debug_builds[i].flags, "-O2") != NULL);
		signature_at_entry(info, "quiet", &signature);
		assert_int_equal(signature.count, 0);
		assert_int_equal(debug_type_kind(signature.returns), DEBUG_KIND_VOID);
		assert_false(signature.is_external);
		debug_signature_free(&signature);
		signature_at_entry(info, "varied", &signature);
		assert_int_equal(signature.count, 1);
		assert_true(signature.has_varargs);
		debug_signature_free(&signature);
		debug_info_close(info);
	}
}

static void test_parameters_of_cc(void **state)
{
	write_file(*state, "names.cc", names_cc);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_signature signature;
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "names.cc");
		info = open_program(*state, "program");
		signature_at_entry(info, "_ZNK2ns1T1fEd", &signature);
		assert_int_equal(signature.count, 2);
		assert_true(signature.parameters[0].is_artificial);
		assert_string_equal(signature.parameters[0].name, "this");
		assert_string_equal(debug_type_name(
					    debug_type_stripped(signature.parameters[0].type)),
				    "const ns::T *");
		assert_string_equal(debug_type_name(signature.parameters[1].type), "double");
		debug_signature_free(&signature);
		signature_at_entry(info, "ns::hidden", &signature);
		assert_string_equal(debug_type_name(signature.parameters[0].type), "int &");
		assert_string_equal(debug_type_name(signature.parameters[1].type), "ns::T &&");
		debug_signature_free(&signature);
		debug_info_close(info);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlined),	       cmocka_unit_test(test_lines_by_gdb),
		cmocka_unit_test(test_files_of_lines), cmocka_unit_test(test_names_of_cc),
		cmocka_unit_test(test_parameters),     cmocka_unit_test(test_parameters_of_cc),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
