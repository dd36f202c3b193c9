// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Near names by edit distance, in which neighbours that changed places are one edit. */
#include "suggestions.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Of two texts shorter than SUGGESTION_SIZE, by the rows of the matrix, of which three are needed. */
static size_t distance(const char *from, size_t height, const char *to)
{
	size_t rows[3][SUGGESTION_SIZE];
	size_t *above = rows[0], *row = rows[1], *before = rows[2];
	size_t width = strlen(to);

	for (size_t j = 0; j <= width; j++)
		above[j] = j;
	for (size_t i = 1; i <= height; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			char a = from[i - 1], b = to[j - 1];

			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same(a, b));
			if (i > 1 && j > 1 && same(a, to[j - 2]) && same(from[i - 2], b))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[width];
}

void suggestions_take(struct suggestions *near, const char *written, size_t length,
		      const char *name)
{
	size_t width = strlen(name), most = (length + 2) / 3;
	size_t apart, at;

	if (length >= SUGGESTION_SIZE || width >= SUGGESTION_SIZE)
		return;
	/* as many edits are needed as they differ in length */
	if (width > length + most || length > width + most)
		return;
	apart = distance(written, length, name);
	/* what a third of the letters were changed in is another name */
	if (apart > most)
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
