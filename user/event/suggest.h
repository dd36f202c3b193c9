/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that someone may have meant. */
#ifndef TRACER_EVENT_SUGGEST_H
#define TRACER_EVENT_SUGGEST_H

#include "text.h"

#define SUGGESTIONS	3
#define SUGGESTION_SIZE 96

struct suggestions {
	struct {
		char name[SUGGESTION_SIZE];
		size_t distance;
	} best[SUGGESTIONS]; /* the nearest first */
	size_t count;
};

/* Takes a name among the suggestions if it is near to what was written. */
void suggest(struct suggestions *near, struct span written, const char *name);
/* event_refuse() with the suggestions behind the reason, and then more (NULL: where all is shown). */
int suggestions_refuse(const struct suggestions *near, const struct event_text *text,
		       struct span where, const char *more, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
