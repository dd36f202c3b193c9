// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Variables against the symbols that the linker wrote. */
#include "debug_program.h"

#include <errno.h>

#include "debug/type.h"
#include "debug/variables.h"

static const char one_c[] = "static int same = 1; int global = 2; extern int two(void);\n"
			    "__thread long of_thread = 3; __thread int second = 4;\n"
			    "__attribute__((noinline)) int counting(void) {\n"
			    "  static int calls = 5; return ++calls; }\n"
			    "volatile int *keep; int main(void) { keep = &same; of_thread++;\n"
			    "  return counting() + two() + global + second; }\n";
static const char two_c[] =
	"static int same = 6; extern volatile int *keep;\n"
	"int two(void) { static int calls = 7; keep = &same; return ++calls; }\n";

static void check_place(struct debug_info *info, const char *folder, const char *name,
			const char *symbol, enum debug_place place)
{
	struct debug_variables found;

	assert_int_equal(debug_variables_named(info, name, &found), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.list[0].location.place, place);
	assert_int_equal(found.list[0].location.offset, symbol_value(folder, symbol, 0));
	debug_variables_free(&found);
}

/* Of two files, each told with its own. */
static void check_same(struct debug_info *info, const char *folder)
{
	struct debug_variables found;
	uint64_t seen[2];

	assert_int_equal(debug_variables_named(info, "same", &found), 0);
	assert_int_equal(found.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(found.list[i].location.place, DEBUG_PLACE_MEMORY);
		assert_int_equal(found.list[i].line, 1);
		assert_string_equal(debug_type_name(found.list[i].type), "int");
		seen[i] = (uint64_t)found.list[i].location.offset;
	}
	assert_string_not_equal(found.list[0].file, found.list[1].file);
	assert_int_not_equal(seen[0], seen[1]);
	for (unsigned int i = 0; i < 2; i++)
		assert_true(symbol_value(folder, "same$", i) == seen[0] ||
			    symbol_value(folder, "same$", i) == seen[1]);
	debug_variables_free(&found);
}

static void check_statics(struct debug_info *info)
{
	struct debug_variables found;

	assert_int_equal(debug_variables_named(info, "calls", &found), 0);
	assert_int_equal(found.count, 2);
	debug_variables_free(&found);
	assert_int_equal(debug_variables_named(info, "counting::calls", &found), 0);
	assert_int_equal(found.count, 1);
	assert_string_equal(found.list[0].name, "calls");
	assert_string_equal(found.list[0].function, "counting");
	assert_int_equal(found.list[0].line, 4);
	debug_variables_free(&found);
	assert_int_equal(debug_variables_named(info, "two::calls", &found), 0);
	assert_int_equal(found.count, 1);
	debug_variables_free(&found);
	assert_int_equal(debug_variables_named(info, "main::calls", &found), -ENOENT);
	assert_int_equal(debug_variables_named(info, "nothing", &found), -ENOENT);
	assert_int_equal(debug_variables_named(info, "", &found), -ENOENT);
	assert_int_equal(debug_variables_named(info, "::", &found), -ENOENT);
}

static void test_c(void **state)
{
	write_file(*state, "one.c", one_c);
	write_file(*state, "two.c", two_c);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "one.c two.c");
		info = open_program(*state, "program");
		check_place(info, *state, "global", "global$", DEBUG_PLACE_MEMORY);
		check_place(info, *state, "of_thread", "of_thread$", DEBUG_PLACE_TLS);
		check_place(info, *state, "second", "second$", DEBUG_PLACE_TLS);
		check_same(info, *state);
		check_statics(info);
		debug_info_close(info);
	}
}

static const char scopes_cc[] =
	"namespace ns { int value = 1; namespace { int hidden = 2; } inline namespace v1 { int v = 3; }\n"
	"struct T { static int count; static const int limit = 42; void f(); };\n"
	"int T::count = 4; void T::f() { static int calls; calls++; } thread_local int tl = 5;\n"
	"template <typename X> struct Box { static X shared; }; template <typename X> X Box<X>::shared;\n"
	"}\nint value = 6; int *keep;\n"
	"int main() { ns::T t; t.f(); ns::tl++; keep = &ns::hidden; ns::Box<int>::shared++;\n"
	"  return ns::value + ns::v + ns::T::count + value + ns::T::limit; }\n";

static void test_scopes(void **state)
{
	static const struct {
		const char *name, *symbol;
		enum debug_place place;
	} places[] = {
		{ "ns::value", "_ZN2ns5valueE", DEBUG_PLACE_MEMORY },
		{ "value", "value", DEBUG_PLACE_MEMORY },
		{ "::value", "value", DEBUG_PLACE_MEMORY },
		{ "_ZN2ns5valueE", "_ZN2ns5valueE", DEBUG_PLACE_MEMORY },
		{ "ns::(anonymous namespace)::hidden", "_ZN2ns12_GLOBAL__N_16hiddenE",
		  DEBUG_PLACE_MEMORY },
		{ "ns::hidden", "_ZN2ns12_GLOBAL__N_16hiddenE", DEBUG_PLACE_MEMORY },
		{ "ns::v1::v", "_ZN2ns2v11vE", DEBUG_PLACE_MEMORY },
		{ "ns::v", "_ZN2ns2v11vE", DEBUG_PLACE_MEMORY },
		{ "ns::T::count", "_ZN2ns1T5countE", DEBUG_PLACE_MEMORY },
		{ "T::count", "_ZN2ns1T5countE", DEBUG_PLACE_MEMORY },
		{ "ns::T::f::calls", "_ZZN2ns1T1fEvE5calls", DEBUG_PLACE_MEMORY },
		{ "ns::Box<int>::shared", "_ZN2ns3BoxIiE6sharedE", DEBUG_PLACE_MEMORY },
		{ "ns::Box::shared", "_ZN2ns3BoxIiE6sharedE", DEBUG_PLACE_MEMORY },
		{ "ns::tl", "_ZN2ns2tlE", DEBUG_PLACE_TLS },
	};

	write_file(*state, "scopes.cc", scopes_cc);
	for (size_t i = 0; i < DEBUG_BUILDS; i++) {
		struct debug_variables found;
		struct debug_info *info;

		build_program(*state, &debug_builds[i], "scopes.cc");
		info = open_program(*state, "program");
		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++)
			check_place(info, *state, places[k].name, places[k].symbol,
				    places[k].place);
		assert_int_equal(debug_variables_named(info, "ns::T::limit", &found), 0);
		assert_int_equal(found.list[0].location.place, DEBUG_PLACE_CONSTANT);
		assert_int_equal(found.list[0].location.offset, 42);
		debug_variables_free(&found);
		assert_int_equal(debug_variables_named(info, "other::value", &found), -ENOENT);
		assert_int_equal(debug_variables_named(info, "s::value", &found), -ENOENT);
		debug_info_close(info);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_scopes),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
