/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What perf prints, for tests that compare it: skipped where there is no perf; line by line. */
#ifndef TRACER_PERF_OUTPUT_H
#define TRACER_PERF_OUTPUT_H

#include "test_folder.h"

#include <ctype.h>

static inline void need_perf(void)
{
	if (system("perf --version >/dev/null 2>&1"))
		skip();
}

/* One space for many, none at either end. */
static inline void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = 0;
}

/* The next line of an output that says something, with its spaces squeezed. Freed by the caller. */
static inline char *next_line(FILE *output)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, output) > 0) {
		squeeze(line);
		if (*line)
			return line;
	}
	free(line);
	return NULL;
}

static inline void expect_line(FILE *output, const char *wanted)
{
	char *line = next_line(output);

	assert_non_null(line);
	assert_string_equal(line, wanted);
	free(line);
}

/* Of qsort(), for an array of strings. */
static inline int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

#endif
