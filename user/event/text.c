// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Spans of a text, and messages about them. */
#include "text.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/values.h"

bool span_is(struct span span, const char *text)
{
	return span_length(span) == strlen(text) && memcmp(span.begin, text, strlen(text)) == 0;
}

bool span_starts(struct span span, const char *prefix)
{
	return span_length(span) >= strlen(prefix) &&
	       memcmp(span.begin, prefix, strlen(prefix)) == 0;
}

bool span_has(struct span span, char wanted)
{
	return memchr(span.begin, wanted, span_length(span)) != NULL;
}

bool span_is_glob(struct span span)
{
	return span_has(span, '*') || span_has(span, '?') || span_has(span, '[');
}

static bool is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\n';
}

struct span span_trim(struct span span)
{
	while (span.begin < span.end && is_blank(*span.begin))
		span.begin++;
	while (span.begin < span.end && is_blank(span.end[-1]))
		span.end--;
	return span;
}

int span_number(struct span span, uint64_t *value)
{
	if (span_starts(span, "0x") || span_starts(span, "0X"))
		return digits_parse(span.begin + 2, span_length(span) - 2, 16, value);
	return digits_parse(span.begin, span_length(span), 10, value);
}

char *span_copy(struct span span)
{
	return strndup(span.begin, span_length(span));
}

bool span_matches(struct span pattern, const char *name)
{
	char *copy = span_copy(pattern);
	bool matches = copy && fnmatch(copy, name, 0) == 0;

	free(copy);
	return matches;
}

int event_refuse(const struct event_text *text, struct span where, const char *format, ...)
{
	struct growing message = {};
	char *reason = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&reason, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	if (where.begin == text->whole && *where.end == '\0')
		growing_append(&message, "%s: %s", text->whole, reason);
	else if (span_length(where) == 0)
		growing_append(&message, "%s: at character %zu: %s", text->whole,
			       (size_t)(where.begin - text->whole) + 1, reason);
	else
		growing_append(&message, "%s: at character %zu, '%.*s': %s", text->whole,
			       (size_t)(where.begin - text->whole) + 1, SPAN_ARGUMENTS(where),
			       reason);
	free(reason);
	*text->message = growing_take(&message);
	return *text->message ? -EINVAL : -ENOMEM;
}

void growing_append(struct growing *growing, const char *format, ...)
{
	va_list arguments;
	char *grown, *piece = NULL;
	int length;

	va_start(arguments, format);
	length = vasprintf(&piece, format, arguments);
	va_end(arguments);
	if (length < 0) {
		growing->failed = true;
		return;
	}
	grown = realloc(growing->text, growing->length + (size_t)length + 1);
	if (grown) {
		memcpy(grown + growing->length, piece, (size_t)length + 1);
		growing->text = grown;
		growing->length += (size_t)length;
	} else {
		growing->failed = true;
	}
	free(piece);
}

char *growing_take(struct growing *growing)
{
	char *text = growing->text;

	if (growing->failed) {
		free(text);
		text = NULL;
	} else if (!text) {
		text = strdup("");
	}
	*growing = (struct growing){};
	return text;
}
