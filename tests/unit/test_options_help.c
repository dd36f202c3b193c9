// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --help: it names every option, keeps to its layout, and its examples are accepted. */
#include "options_fixture.h"

static void read_help(char *help, size_t size)
{
	struct caught capture;

	capture_begin(&capture, STDOUT_FILENO);
	options_print_help();
	capture_end(&capture, help, size);
}

/* --help is complete: every "--word" in it is an option, and every option is in it. */
static void test_help_text(void **state)
{
	static const char *const names[] = {
		"profile",     "off-cpu",    "wall",	    "uprobe",	     "uretprobe",
		"breakpoint",  "pid",	     "tid",	    "all-cpus",	     "cpu",
		"no-inherit",  "duration",   "max-events",  "call-graph",    "max-stack",
		"unwind-mem",  "user-only",  "kernel-only", "stacks",	     "output",
		"format",      "count",	     "by",	    "engine",	     "buffer",
		"buffer-size", "check",	     "list",	    "verbose",	     "help",
		"version",     "event",	     "period",	    "freq",	     "stat",
		"cgroup",      "per-thread", "interval",    "replay",	     "overwrite",
		"dump-on",     "aux-size",   "snapshot",    "exact-address", "latency",
		"if",	       "args",	     "max-string",  "usdt",
	};
	char help[16384];
	size_t words = 0;

	(void)state;
	read_help(help, sizeof(help));

	for (size_t i = 0; i < COUNT(names); i++) {
		char word[32];
		char *at;

		snprintf(word, sizeof(word), " --%s", names[i]);
		at = strstr(help, word);
		while (at && strchr("abcdefghijklmnopqrstuvwxyz-", at[strlen(word)]))
			at = strstr(at + 1, word); /* a longer option's beginning */
		if (!at)
			fail_msg("--%s is not in --help", names[i]);
	}
	for (char *at = strstr(help, " --"); at; at = strstr(at + 1, " --")) {
		size_t length = strspn(at + 3, "abcdefghijklmnopqrstuvwxyz-");
		size_t i = 0;

		if (length == 0)
			continue; /* "--" itself */
		while (i < COUNT(names) &&
		       (strlen(names[i]) != length || memcmp(names[i], at + 3, length)))
			i++;
		if (i == COUNT(names))
			fail_msg("--%.*s of --help is no option", (int)length, at + 3);
		words++;
	}
	assert_true(words >= COUNT(names));
}

static void test_help_layout(void **state)
{
	char help[16384];
	char *rest;

	(void)state;
	read_help(help, sizeof(help));

	assert_null(strchr(help, '\t'));
	assert_int_equal(help[strlen(help) - 1], '\n');
	for (char *line = strtok_r(help, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		assert_in_range(strlen(line), 1, 100);
		assert_int_not_equal(line[strlen(line) - 1], ' ');
	}
}

/* Every example of --help is accepted. */
static void test_help_examples(void **state)
{
	char help[16384];
	char *rest, *line;
	size_t examples = 0;

	(void)state;
	read_help(help, sizeof(help));

	line = strstr(help, "\n  tracer ");
	assert_non_null(line);
	for (line = strtok_r(line, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct command_line words;
		struct options options;

		line += strlen("  tracer ");
		*strstr(line, "  ") = '\0'; /* what it is for */
		parse_good(line, &words, &options);
		options_free(&options);
		examples++;
	}
	assert_true(examples >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help_text),
		cmocka_unit_test(test_help_layout),
		cmocka_unit_test(test_help_examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
