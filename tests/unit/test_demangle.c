// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of C++ and Rust as their specifications spell them, and names that are meant to do harm. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

static void test_known_names(void **state)
{
	static const char *const names[][2] = {
		{ "_Z3foov", "foo()" },
		{ "_ZN3foo3barEi", "foo::bar(int)" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
		{ "_ZN9__gnu_cxx13new_allocatorIcE8allocateEmPKv",
		  "__gnu_cxx::new_allocator<char>::allocate(unsigned long, void const*)" },
		{ "_ZNK6ObjectcvbEv", "Object::operator bool() const" },
		{ "_ZTV6Object", "vtable for Object" },
		{ "_Z4workv.constprop.0", "work() [clone .constprop.0]" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const" },
		/* Rust, legacy: the hash is no part of the name. */
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		  "core::fmt::Write::write_fmt" },
		{ "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h5e5a5a5b5c5d5e5fE",
		  "std::rt::lang_start::{{closure}}" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
		  "17h930b740aa94f1d3aE",
		  "<Test + 'static as foo::Bar<Test>>::bar" },
		/* Rust, v0 */
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}" },
		{ "_RNvYNtC7mycrate3FooNtNtC4core3fmt7Display3fmt",
		  "<mycrate::Foo as core::fmt::Display>::fmt" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *name = demangle(names[i][0]);

		assert_non_null(name);
		assert_string_equal(name, names[i][1]);
		free(name);
	}
}

static void test_names_that_are_not_mangled(void **state)
{
	static const char *const names[] = {
		"",
		"_",
		"main",
		"_start",
		"_Z",
		"_R",
		"_ZN",
		"_Zfoo",
		"_RNv",
		"__libc_start_main",
		"work.cold",
		"Z3foov",
		"_ZN3foo3bar17h0123456789abcdef",
		"\033[31m",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_null(demangle(names[i]));
}

/* Each argument is a template of the one before, twice: 40 of them would print 2^40 names. */
static void test_name_that_explodes(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1f1AIiiE";
	char *text;

	(void)state;
	for (int i = 0; i < 8; i++)
		sprintf(name + strlen(name), "S_IS%c_S%c_E", digits[i], digits[i]);
	text = demangle(name);
	assert_non_null(text);
	assert_true(strlen(text) > 1000);
	free(text);
	for (int i = 8; i < 34; i++)
		sprintf(name + strlen(name), "S_IS%c_S%c_E", digits[i], digits[i]);
	assert_null(demangle(name));
}

/* The same by Rust's back references. */
static void test_rust_name_that_explodes(void **state)
{
	char name[2048] = "_RIC1a", *text;
	size_t last;

	(void)state;
	/*
	 * A tuple of two, then tuples of two back references to the one before (base 62, off by
	 * one).
	 */
	last = strlen(name) - 2;
	strcat(name, "TlmE");
	for (int i = 0; i < 60; i++) {
		static const char digits[] =
			"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
		char reference[8];
		size_t here = strlen(name) - 2;

		if (last == 0)
			strcpy(reference, "B_");
		else if (last - 1 < 62)
			snprintf(reference, sizeof(reference), "B%c_", digits[last - 1]);
		else
			snprintf(reference, sizeof(reference), "B%c%c_", digits[(last - 1) / 62],
				 digits[(last - 1) % 62]);
		sprintf(name + strlen(name), "T%s%sE", reference, reference);
		last = here;
		if (i == 2) {
			char whole[sizeof(name) + 2];

			snprintf(whole, sizeof(whole), "%sE", name);
			text = demangle(whole);
			assert_non_null(text);
			assert_non_null(strstr(text, "((i32, u32), (i32, u32))"));
			free(text);
		}
	}
	strcat(name, "E");
	assert_null(demangle(name));
}

static void test_deep_nesting(void **state)
{
	char *name = calloc(1, 200010);

	(void)state;
	assert_non_null(name);
	strcpy(name, "_Z1f");
	memset(name + 4, 'P', 200000);
	strcpy(name + 200004, "i");
	free(demangle(name)); /* whatever it says, it returns */
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_names),
		cmocka_unit_test(test_names_that_are_not_mangled),
		cmocka_unit_test(test_name_that_explodes),
		cmocka_unit_test(test_rust_name_that_explodes),
		cmocka_unit_test(test_deep_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
