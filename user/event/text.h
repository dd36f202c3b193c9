/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Spans of a text that is being parsed, and messages that say where in it something is wrong. */
#ifndef TRACER_EVENT_TEXT_H
#define TRACER_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* [begin, end) */
struct span {
	const char *begin, *end;
};

struct event_text {
	const char *whole;
	char **message; /* of event_list_parse() */
};

/* For "%.*s". */
#define SPAN_ARGUMENTS(span) (int)((span).end - (span).begin), (span).begin

static inline struct span span_of(const char *text)
{
	return (struct span){ text, text + strlen(text) };
}

static inline size_t span_length(struct span span)
{
	return (size_t)(span.end - span.begin);
}

bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *prefix);
bool span_has(struct span span, char wanted);
bool span_is_glob(struct span span); /* has * or ? or [ */
/* Without blanks at both ends. */
struct span span_trim(struct span span);
/* Decimal, or hexadecimal behind 0x: all of it, or -EINVAL. */
int span_number(struct span span, uint64_t *value);
/* A string to be freed, or NULL without memory. */
char *span_copy(struct span span);
/* Does a whole name match a pattern with * ? [set]? */
bool span_matches(struct span pattern, const char *name);

/*
 * Sets the message: "TEXT: at character N, 'WHERE': FORMAT". -EINVAL, or -ENOMEM. where must be part of
 * text->whole.
 */
int event_refuse(const struct event_text *text, struct span where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A text that grows; NULL after an append that found no memory. */
struct growing {
	char *text;
	size_t length;
	bool failed;
};

void growing_append(struct growing *growing, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What was appended ("" if nothing), to be freed, or NULL without memory. */
char *growing_take(struct growing *growing);

#endif
