/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that someone may have meant, in messages about events. */
#ifndef TRACER_EVENT_SUGGEST_H
#define TRACER_EVENT_SUGGEST_H

#include "../base/suggestions.h"
#include "text.h"

static inline void suggest(struct suggestions *near, struct span written, const char *name)
{
	suggestions_take(near, written.begin, span_length(written), name);
}

/* event_refuse() with the suggestions behind the reason, and then more (NULL: where all is shown). */
int suggestions_refuse(const struct suggestions *near, const struct event_text *text,
		       struct span where, const char *more, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
