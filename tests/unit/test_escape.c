/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nothing that a traced program calls itself may have a meaning for a terminal, JSON, XML or folded lines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"

typedef char *escape_function(char *dst, size_t size, const char *src);

static void expect(escape_function *escape, const char *src, const char *wanted)
{
	char dst[256];

	assert_ptr_equal(escape(dst, sizeof(dst), src), dst);
	assert_string_equal(dst, wanted);
}

static void test_terminal_plain(void **state)
{
	(void)state;
	expect(escape_terminal, "", "");
	expect(escape_terminal, "std::vector<int>::push_back(int&&)",
	       "std::vector<int>::push_back(int&&)");
	expect(escape_terminal, "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x94\xa5",
	       "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x94\xa5");
	expect(escape_terminal, "a\\n", "a\\n");
}

static void test_terminal_controls(void **state)
{
	(void)state;
	expect(escape_terminal, "\033[31mred", "\\x1b[31mred");
	expect(escape_terminal, "a\nb\tc\rd\x7f", "a\\nb\\tc\\x0dd\\x7f");
	expect(escape_terminal,
	       "\xc2\x9b"
	       "2J",
	       "\\xc2\\x9b2J"); /* C1: CSI in one character */
	expect(escape_terminal, "\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0");
	expect(escape_terminal,
	       "\x9b"
	       "2J",
	       "\\x9b2J");
}

static void test_terminal_bidi(void **state)
{
	(void)state;
	expect(escape_terminal,
	       "a\xe2\x80\xae"
	       "b",
	       "a\\xe2\\x80\\xaeb"); /* U+202E */
	expect(escape_terminal, "\xe2\x80\xaa\xe2\x81\xa6\xe2\x81\xa9",
	       "\\xe2\\x80\\xaa\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
	expect(escape_terminal, "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
	       "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"); /* neighbours */
}

static void test_terminal_invalid(void **state)
{
	(void)state;
	expect(escape_terminal, "\xc0\xaf", "\\xc0\\xaf");	    /* overlong '/' */
	expect(escape_terminal, "\xe0\x80\xaf", "\\xe0\\x80\\xaf"); /* overlong, three bytes */
	expect(escape_terminal, "\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf");
	expect(escape_terminal, "\xed\xa0\x80", "\\xed\\xa0\\x80");	     /* U+D800 */
	expect(escape_terminal, "\xed\xbf\xbf", "\\xed\\xbf\\xbf");	     /* U+DFFF */
	expect(escape_terminal, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* U+110000 */
	expect(escape_terminal, "\xf5\xff\xfe", "\\xf5\\xff\\xfe");
	expect(escape_terminal, "x\xe2\x82", "x\\xe2\\x82");	    /* cut at the end */
	expect(escape_terminal, "\xe2\x82\x1b", "\\xe2\\x82\\x1b"); /* cut by an escape */
	expect(escape_terminal, "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80",
	       "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80"); /* last valid ones */
}

static void test_json(void **state)
{
	(void)state;
	expect(escape_json, "a\"b\\c/d", "a\\\"b\\\\c/d");
	expect(escape_json, "\n\t\r\b\x01\x1f\x7f", "\\n\\t\\u000d\\u0008\\u0001\\u001f\\u007f");
	expect(escape_json, "\xc2\x9b\xe2\x80\xae", "\\u009b\\u202e");
	expect(escape_json,
	       "\xff"
	       "a\xed\xa0\x80",
	       "\xef\xbf\xbd"
	       "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect(escape_json, "\xe6\x97\xa5", "\xe6\x97\xa5");
}

static void test_folded(void **state)
{
	(void)state;
	expect(escape_folded, "a;b c", "a:b c");
	expect(escape_folded, "x;\n1 2", "x:\\n1 2");
	expect(escape_folded, "\xff;", "\\xff:");
}

static void test_xml(void **state)
{
	(void)state;
	expect(escape_xml, "<script>'&\"</script>",
	       "&lt;script&gt;&#39;&amp;&quot;&lt;/script&gt;");
	expect(escape_xml, "]]>", "]]&gt;");
	expect(escape_xml, "\x01\x1b\xff", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect(escape_xml, "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd",
	       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect(escape_xml, "a\nb\tc\r", "a&#xa;b&#x9;c&#xd;");
	expect(escape_xml, "\xc2\x9b", "&#x9b;");
}

/* For every size: terminated, within bounds, a prefix that ends at a character's edge. */
static void cut(escape_function *escape, const char *src, const size_t *edges)
{
	char whole[256], dst[256];
	size_t edge = 0;

	escape(whole, sizeof(whole), src);
	for (size_t size = 1; size <= strlen(whole) + 1; size++) {
		memset(dst, '#', sizeof(dst));
		escape(dst, size, src);
		while (edges[edge + 1] && edges[edge + 1] <= size - 1)
			edge++;
		assert_int_equal(strlen(dst), edges[edge]);
		assert_memory_equal(dst, whole, edges[edge]);
		assert_int_equal(dst[size], '#');
	}
}

static void test_cut(void **state)
{
	static const size_t terminal[] = { 0, 1, 3, 7, 10, 11, 0 };
	static const size_t xml[] = { 0, 5, 9, 12, 0 };
	static const size_t json[] = { 0, 2, 8, 11, 0 };
	char untouched = '#';

	(void)state;
	cut(escape_terminal,
	    "a\xc3\xbc\x1b\xe6\x97\xa5"
	    "b",
	    terminal);
	cut(escape_xml, "&<\xe6\x97\xa5", xml);
	cut(escape_json, "\"\x01\xff", json);
	escape_terminal(&untouched, 0, "abc");
	assert_int_equal(untouched, '#');
}

/* What log_error() writes to stderr. */
static void logged(char *line, size_t size, const char *name)
{
	int saved = dup(STDERR_FILENO), ends[2];
	ssize_t length;

	assert_return_code(pipe(ends), errno);
	fflush(stderr);
	assert_return_code(dup2(ends[1], STDERR_FILENO), errno);
	close(ends[1]);
	errno = ENOENT;
	log_error("cannot open %s: %d", name, 7);
	assert_int_equal(errno, ENOENT);
	log_warn("w");
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	length = read(ends[0], line, size - 1);
	close(ends[0]);
	assert_true(length > 0);
	line[length] = '\0';
}

static void test_log(void **state)
{
	char line[512];

	(void)state;
	logged(line, sizeof(line), "a\033]0;x\007\nb %s");
	assert_string_equal(line,
			    "tracer: cannot open a\\x1b]0;x\\x07\\nb %s: 7\ntracer: warning: w\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminal_plain),
		cmocka_unit_test(test_terminal_controls),
		cmocka_unit_test(test_terminal_bidi),
		cmocka_unit_test(test_terminal_invalid),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
