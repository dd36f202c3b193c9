// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Near names by edit distance, in which neighbours that changed places are one edit. */
#include "suggest.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Of two texts shorter than SUGGESTION_SIZE, by the rows of the matrix, of which three are needed. */
static size_t distance(struct span from, const char *to)
{
	size_t rows[3][SUGGESTION_SIZE];
	size_t *above = rows[0], *row = rows[1], *before = rows[2];
	size_t width = strlen(to), height = span_length(from);

	for (size_t j = 0; j <= width; j++)
		above[j] = j;
	for (size_t i = 1; i <= height; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			char a = from.begin[i - 1], b = to[j - 1];

			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same(a, b));
			if (i > 1 && j > 1 && same(a, to[j - 2]) && same(from.begin[i - 2], b))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[width];
}

void suggest(struct suggestions *near, struct span written, const char *name)
{
	size_t apart, at;

	if (span_length(written) >= SUGGESTION_SIZE || strlen(name) >= SUGGESTION_SIZE)
		return;
	/* as many edits are needed as they differ in length */
	if (strlen(name) > span_length(written) + (span_length(written) + 2) / 3 ||
	    span_length(written) > strlen(name) + (span_length(written) + 2) / 3)
		return;
	apart = distance(written, name);
	/* what a third of the letters were changed in is another name */
	if (apart > (span_length(written) + 2) / 3)
		return;
	for (at = 0; at < near->count && near->best[at].distance <= apart; at++)
		if (strcmp(near->best[at].name, name) == 0)
			return;
	if (at == SUGGESTIONS)
		return;
	near->count += near->count < SUGGESTIONS;
	memmove(&near->best[at + 1], &near->best[at],
		(near->count - at - 1) * sizeof(near->best[0]));
	snprintf(near->best[at].name, sizeof(near->best[at].name), "%s", name);
	near->best[at].distance = apart;
}

int suggestions_refuse(const struct suggestions *near, const struct event_text *text,
		       struct span where, const char *more, const char *format, ...)
{
	struct growing reason = {};
	char *written = NULL;
	va_list arguments;
	int length, err;

	va_start(arguments, format);
	length = vasprintf(&written, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	growing_append(&reason, "%s", written);
	free(written);
	for (size_t i = 0; i < near->count; i++)
		growing_append(&reason, "%s%s", i ? " or " : "; near it: ", near->best[i].name);
	growing_append(&reason, "; %s", more ? more : "--list events shows all");
	written = growing_take(&reason);
	err = written ? event_refuse(text, where, "%s", written) : -ENOMEM;
	free(written);
	return err;
}
