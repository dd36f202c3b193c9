// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The syntax of --uprobe, --uretprobe, --usdt and --breakpoint: each reading, ambiguity and error. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aim/probe_spec.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* All fields in one line: "BIN|SYMBOL|0xADDR|+OFF|/LEN|ACCESS". */
static void describe(const struct probe_option *probe, char *text, size_t size)
{
	char address[32] = "-";
	char line[64] = "";

	if (probe->has_address)
		snprintf(address, sizeof(address), "0x%" PRIx64, probe->address);
	if (probe->source_file)
		snprintf(line, sizeof(line), "|%s:%u", probe->source_file, probe->line);
	if (probe->provider)
		snprintf(line, sizeof(line), "|%s", probe->provider);
	snprintf(text, size, "%s|%s|%s|+%" PRIu64 "|/%u|%s%s%s%s",
		 probe->binary ? probe->binary : "-", probe->symbol ? probe->symbol : "-", address,
		 probe->offset, probe->length, probe->read ? "r" : "", probe->write ? "w" : "",
		 probe->execute ? "x" : "", line);
}

struct reading {
	const char *text, *parts;
};

static void check_readings(enum probe_kind kind, const struct reading *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct probe_option probe;
		const char *why;
		char parts[512];

		if (probe_spec_parse(kind, cases[i].text, &probe, &why))
			fail_msg("\"%s\" was refused: %s", cases[i].text, why);
		describe(&probe, parts, sizeof(parts));
		if (strcmp(parts, cases[i].parts))
			fail_msg("\"%s\" was read as %s, not %s", cases[i].text, parts,
				 cases[i].parts);
		assert_string_equal(probe.text, cases[i].text);
		assert_int_equal(probe.kind, kind);
		probe_option_free(&probe);
		assert_null(probe.text);
	}
}

struct error {
	const char *text, *why;
};

static void check_errors(enum probe_kind kind, const struct error *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct probe_option probe;
		const char *why;

		if (probe_spec_parse(kind, cases[i].text, &probe, &why) != -EINVAL)
			fail_msg("\"%s\" was not refused", cases[i].text);
		assert_non_null(why);
		if (strcmp(why, cases[i].why))
			fail_msg("\"%s\": \"%s\", not \"%s\"", cases[i].text, why, cases[i].why);
		assert_null(probe.text);
		assert_null(probe.binary);
		assert_null(probe.symbol);
	}
}

static void test_probes(void **state)
{
	static const struct reading cases[] = {
		{ "app:main.c:42", "app|-|-|+0|/0||main.c:42" },
		{ "app:src/main.c:42", "app|-|-|+0|/0||src/main.c:42" },
		{ "app:ns::f:42", "app|-|-|+0|/0||ns::f:42" },
		{ "app:main.c:4x2", "app|main.c:4x2|-|+0|/0|" },
		{ "app:main.c:", "app|main.c:|-|+0|/0|" },
		{ "app:/^a:4$/", "app|/^a:4$/|-|+0|/0|" },
		{ "app:/a+4/", "app|/a+4/|-|+0|/0|" },
		{ "app:mem*", "app|mem*|-|+0|/0|" },
		{ "app:handle", "app|handle|-|+0|/0|" },
		{ "/usr/bin/app:handle", "/usr/bin/app|handle|-|+0|/0|" },
		{ "./a.out:main", "./a.out|main|-|+0|/0|" },
		{ "app:handle+16", "app|handle|-|+16|/0|" },
		{ "app:handle+0x10", "app|handle|-|+16|/0|" },
		{ "app:handle+0XfF", "app|handle|-|+255|/0|" },
		{ "app:handle+010", "app|handle|-|+10|/0|" },
		{ "app:0x1234", "app|-|0x1234|+0|/0|" },
		{ "app:0x1234+4", "app|-|0x1234|+4|/0|" },
		{ "app:0xffffffffffffffff", "app|-|0xffffffffffffffff|+0|/0|" },
		/* C++ and Rust */
		{ "app:ns::f", "app|ns::f|-|+0|/0|" },
		{ "app:ns::Type::method", "app|ns::Type::method|-|+0|/0|" },
		{ "app:ns::Type::method+8", "app|ns::Type::method|-|+8|/0|" },
		{ "app:::global", "app|::global|-|+0|/0|" },
		{ "app:f(std::string, int)", "app|f(std::string, int)|-|+0|/0|" },
		{ "app:<T as ns::Trait>::call", "app|<T as ns::Trait>::call|-|+0|/0|" },
		{ "app:operator+", "app|operator+|-|+0|/0|" },
		{ "app:operator++", "app|operator++|-|+0|/0|" },
		{ "app:operator++4", "app|operator+|-|+4|/0|" },
		{ "app:operator+(A const&, B<1>)", "app|operator+(A const&, B<1>)|-|+0|/0|" },
		/* names that are only data here */
		{ "dir with space/app:f", "dir with space/app|f|-|+0|/0|" },
		{ "c++/app+1:f", "c++/app+1|f|-|+0|/0|" },
		{ "libc:malloc*", "libc|malloc*|-|+0|/0|" },
		{ "app:/^handle_[0-9]+$/", "app|/^handle_[0-9]+$/|-|+0|/0|" },
		{ "app:\x1b[31m;<script>\xff", "app|\x1b[31m;<script>\xff|-|+0|/0|" },
		{ "app:f+g", "app|f+g|-|+0|/0|" },
		{ "app:x", "app|x|-|+0|/0|" },
	};

	(void)state;
	check_readings(PROBE_UPROBE, cases, COUNT(cases));
}

static void test_return_probes(void **state)
{
	static const struct reading cases[] = {
		{ "app:handle", "app|handle|-|+0|/0|" },
		{ "app:ns::f", "app|ns::f|-|+0|/0|" },
		{ "app:0x1234", "app|-|0x1234|+0|/0|" },
	};
	static const struct error errors[] = {
		{ "app:handle+4", "a function returns as a whole: leave the offset out" },
		{ "app:0x1234+0x4", "a function returns as a whole: leave the offset out" },
		{ "handle", "there is no ':' between file and function" },
	};

	(void)state;
	check_readings(PROBE_URETPROBE, cases, COUNT(cases));
	check_errors(PROBE_URETPROBE, errors, COUNT(errors));
}

static void test_probe_errors(void **state)
{
	static const char no_offset[] = "what follows '+' is not an offset (say +16 or +0x10)";
	static const char no_address[] = "what follows 0x is not a hexadecimal address";
	const struct error cases[] = {
		{ "", "there is no ':' between file and function" },
		{ "handle", "there is no ':' between file and function" },
		{ "./app", "there is no ':' between file and function" },
		{ "ns::f", "there is no ':' between file and function" },
		{ "0x1234", "there is no ':' between file and function" },
		{ ":", "there is no file before ':'" },
		{ ":handle", "there is no file before ':'" },
		{ "app:", "there is no name behind ':'" },
		{ "app:+4", "there is no name before '+'" },
		{ "app:handle+1x", no_offset },
		{ "app:handle+0x", no_offset },
		{ "app:handle+0xg", no_offset },
		{ "app:handle+18446744073709551616", no_offset },
		{ "app:handle+0x10000000000000000", no_offset },
		{ "app:0x", no_address },
		{ "app:0x12zz", no_address },
		{ "app:0x10000000000000000", no_address },
		{ "app:0x1234:w", no_address },
	};

	(void)state;
	check_errors(PROBE_UPROBE, cases, COUNT(cases));
}

static void test_usdt(void **state)
{
	static const struct reading cases[] = {
		{ "app:request", "app|request|-|+0|/0|" },
		{ "./app:app:request", "./app|request|-|+0|/0||app" },
		{ "libc:*:memory_*", "libc|memory_*|-|+0|/0||*" },
		{ "app:p:0x12", "app|0x12|-|+0|/0||p" },
		{ "app:main.c:42", "app|42|-|+0|/0||main.c" },
		{ "app:p:n+4", "app|n+4|-|+0|/0||p" },
	};
	static const struct error errors[] = {
		{ "app", "there is no ':' between file and probe" },
		{ "app::n", "there is no ':' between file and probe" },
		{ ":p:n", "there is no file before ':'" },
		{ "app:", "there is no name behind ':'" },
		{ "app:p:", "a provider or a name is missing" },
		{ "app:p::n", "behind the file come a provider and a name, and no more" },
		{ "app:p:n:m", "behind the file come a provider and a name, and no more" },
	};

	(void)state;
	check_readings(PROBE_USDT, cases, COUNT(cases));
	check_errors(PROBE_USDT, errors, COUNT(errors));
}

static void test_breakpoints(void **state)
{
	static const struct reading cases[] = {
		{ "0x4010", "-|-|0x4010|+0|/0|" },
		{ "0x4010:w", "-|-|0x4010|+0|/0|w" },
		{ "0x1234/4:w", "-|-|0x1234|+0|/4|w" },
		{ "0x1234/8", "-|-|0x1234|+0|/8|" },
		{ "0x1234+8/2:rw", "-|-|0x1234|+8|/2|rw" },
		{ "0xffffffff81000000:x", "-|-|0xffffffff81000000|+0|/0|x" },
		{ "0x1000/8:x", "-|-|0x1000|+0|/8|x" },
		{ "counter", "-|counter|-|+0|/0|" },
		{ "counter:r", "-|counter|-|+0|/0|r" },
		{ "SYMBOL:w", "-|SYMBOL|-|+0|/0|w" },
		{ "counter/1:rw", "-|counter|-|+0|/1|rw" },
		{ "counter+8", "-|counter|-|+8|/0|" },
		{ "BIN:SYMBOL", "BIN|SYMBOL|-|+0|/0|" },
		{ "BIN:SYMBOL:rw", "BIN|SYMBOL|-|+0|/0|rw" },
		{ "BIN:SYMBOL/4", "BIN|SYMBOL|-|+0|/4|" },
		{ "./a.out:counter+8/4:rw", "./a.out|counter|-|+8|/4|rw" },
		{ "./a.out:counter+0x8/4:rw", "./a.out|counter|-|+8|/4|rw" },
		{ "/opt/x/4/app:counter", "/opt/x/4/app|counter|-|+0|/0|" },
		{ "app:config.limit", "app|config.limit|-|+0|/0|" },
		{ "app:config.limit/2:w", "app|config.limit|-|+0|/2|w" },
		{ "app:cache.0", "app|cache.0|-|+0|/0|" },
		/* C++ and Rust */
		{ "ns::counter", "-|ns::counter|-|+0|/0|" },
		{ "ns::counter:w", "-|ns::counter|-|+0|/0|w" },
		{ "app:ns::counter:w", "app|ns::counter|-|+0|/0|w" },
		{ "ns::x", "-|ns::x|-|+0|/0|" },
		{ "app:ns::w", "app|ns::w|-|+0|/0|" },
		{ "app:operator/(V, V):x", "app|operator/(V, V)|-|+0|/0|x" },
		{ "app:operator/:x", "app|operator/|-|+0|/0|x" },
		/* two readings: a last access is ACCESS ... */
		{ "app:x", "-|app|-|+0|/0|x" },
		{ "app:w", "-|app|-|+0|/0|w" },
		{ "app:rw", "-|app|-|+0|/0|rw" },
		{ "a.out:x", "-|a.out|-|+0|/0|x" },
		{ "app:x:w", "app|x|-|+0|/0|w" },
		{ "app:x:x", "app|x|-|+0|/0|x" },
		{ "app:x/4:w", "app|x|-|+0|/4|w" },
		{ "app:x/4", "app|x|-|+0|/4|" },
		{ "x:x", "-|x|-|+0|/0|x" },
		/* ... but a path is no symbol ... */
		{ "./app:x", "./app|x|-|+0|/0|" },
		{ "./app:w", "./app|w|-|+0|/0|" },
		{ "./app:x:w", "./app|x|-|+0|/0|w" },
		{ "./app/4:x", "./app/4|x|-|+0|/0|" },
		/* ... and a number behind '/' is LEN. */
		{ "dir/8:w", "-|dir|-|+0|/8|w" },
		{ "dir/8:w:w", "dir/8|w|-|+0|/0|w" },
		{ "dir/8:counter", "dir/8|counter|-|+0|/0|" },
		/* a file whose name begins as an address */
		{ "./0xfile:counter:w", "./0xfile|counter|-|+0|/0|w" },
		/* not an access: upper case, or more than one word */
		{ "app:X", "app|X|-|+0|/0|" },
		{ "app:rx", "app|rx|-|+0|/0|" },
	};

	(void)state;
	check_readings(PROBE_BREAKPOINT, cases, COUNT(cases));
}

static void test_breakpoint_errors(void **state)
{
	static const char no_access[] =
		"what follows the last ':' is not an access (r, w, rw or x)";
	static const char no_length[] = "the length behind '/' is not 1, 2, 4 or 8";
	static const char no_symbol[] = "a path needs ':' and a symbol behind it";
	static const char no_place[] = "there is no address or symbol";
	static const char no_address[] = "what follows 0x is not a hexadecimal address";
	static const char executed[] = "a breakpoint on execution has no length: leave it out";
	static const char in_file[] =
		"an address is one of the target's memory: leave the file out";
	const struct error cases[] = {
		{ "", no_place },
		{ ":w", no_place },
		{ "/4", no_place },
		{ "/4:w", no_place },
		{ "+8:w", "there is no name before '+'" },
		{ ":counter", "there is no file before ':'" },
		{ "app:", "there is no name behind ':'" },
		{ "app:/4", "there is no name behind ':'" },
		{ "app:/4:w", "there is no name behind ':'" },
		{ "0x", no_address },
		{ "0xyz", no_address },
		{ "0x10000000000000000:w", no_address },
		{ "0x1234:q", no_access },
		{ "0x1234/4:", no_access },
		{ "0x1234:counter:w", no_access },
		{ "app:counter:q", no_access },
		{ "app:counter:wx", no_access },
		{ "app:counter:", no_access },
		{ "counter/3", no_length },
		{ "counter/0:w", no_length },
		{ "counter/16:w", no_length },
		{ "counter/18446744073709551620:w", no_length },
		{ "app:counter/0x4:w", no_length },
		{ "app:counter/four", no_length },
		{ "0x1234/3:w", no_length },
		{ "counter/4:x", executed },
		{ "0x1234/1:x", executed },
		{ "./app", no_symbol },
		{ "/usr/bin/app", no_symbol },
		{ "./app/8", no_symbol },
		{ "counter/", no_symbol },
		{ "counter/four", no_symbol },
		{ "app:0x4010", in_file },
		{ "./app:0x4010:w", in_file },
		{ "app:counter+8x:w", "what follows '+' is not an offset (say +16 or +0x10)" },
	};

	(void)state;
	check_errors(PROBE_BREAKPOINT, cases, COUNT(cases));
}

/* Every text over the characters that mean something: no crash, no part that is not in the text. */
static void test_all_short_texts(void **state)
{
	static const char alphabet[] = ":/+0x4w.";
	const size_t letters = sizeof(alphabet) - 1;

	(void)state;
	for (size_t number = 0; number < 8 * 8 * 8 * 8 * 8; number++) {
		struct probe_option probe;
		const char *why;
		char text[6] = "";
		size_t rest = number;

		for (size_t i = 0; i < 5; i++, rest /= letters)
			text[i] = alphabet[rest % letters];
		for (int kind = PROBE_UPROBE; kind <= PROBE_BREAKPOINT; kind++) {
			if (probe_spec_parse((enum probe_kind)kind, text, &probe, &why)) {
				assert_non_null(why);
				continue;
			}
			/* exactly one of the three */
			assert_int_equal(probe.has_address + !!probe.symbol + !!probe.source_file,
					 1);
			assert_true(!probe.binary || (*probe.binary && strstr(text, probe.binary)));
			assert_true(!probe.symbol || (*probe.symbol && strstr(text, probe.symbol)));
			probe_option_free(&probe);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probes),		cmocka_unit_test(test_return_probes),
		cmocka_unit_test(test_probe_errors),	cmocka_unit_test(test_usdt),
		cmocka_unit_test(test_breakpoints),	cmocka_unit_test(test_breakpoint_errors),
		cmocka_unit_test(test_all_short_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
