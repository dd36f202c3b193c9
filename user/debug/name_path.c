// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Taking names apart. */
#include "name_path.h"

#include <string.h>

#define OPERATOR "operator"

static bool is_operator(const char *text, size_t length)
{
	return length >= sizeof(OPERATOR) - 1 && !strncmp(text, OPERATOR, sizeof(OPERATOR) - 1);
}

/* Where the last part of a name begins: after the last "::" outside of any bracket. */
static size_t last_part(const char *name, size_t length)
{
	size_t start = 0;
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		if (is_operator(name + start, length - start))
			break;
		if (name[i] == '<' || name[i] == '(' || name[i] == '{')
			depth++;
		else if (name[i] == '>' || name[i] == ')' || name[i] == '}')
			depth--;
		else if (depth <= 0 && name[i] == ':' && i + 1 < length && name[i + 1] == ':')
			start = ++i + 1;
	}
	return start;
}

bool name_path_pop(const char *name, size_t *length, struct name_part *part)
{
	size_t start;

	if (!*length)
		return false;
	start = last_part(name, *length);
	*part = (struct name_part){ name + start, *length - start };
	*length = start >= 2 ? start - 2 : 0;
	return true;
}

size_t name_path_plain_length(const char *text, size_t length)
{
	const char *bracket = is_operator(text, length) ? NULL : memchr(text, '<', length);

	/* What begins with a bracket is not a template: Rust's "<impl T>". */
	return bracket && bracket != text ? (size_t)(bracket - text) : length;
}

bool name_path_part_is(const struct name_part *wanted, const char *name)
{
	size_t length = strlen(name);

	if (length != wanted->length && name_path_plain_length(name, length) != wanted->length)
		return false;
	return !strncmp(name, wanted->text, wanted->length);
}
