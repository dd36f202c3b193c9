/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* TERM[=VALUE],...: what stands between an event's slashes. */
#ifndef TRACER_EVENT_TERMS_H
#define TRACER_EVENT_TERMS_H

#include "parser.h"

struct event_term {
	struct span where; /* for messages: in the user's text */
	struct span name;
	struct span value; /* without quotes; NULL if there is no '=' */
};

/*
 * Takes the first term off *rest. 1, 0 if there is none left, -EINVAL with the message set. where: what a
 * message shall point at; NULL: the term itself.
 */
int event_term_next(const struct event_text *text, struct span *rest, const struct span *where,
		    struct event_term *term);

/* The value as a number, or 1 without one. 0 or -EINVAL, message set. */
int event_term_number(const struct event_text *text, const struct event_term *term,
		      uint64_t *value);

/*
 * Applies a term that every event can have: config, name, period, call-graph, ... 0; -ENOENT if it is
 * none of these; -ENOMEM; -EINVAL, message set.
 */
int event_apply_general(const struct event_text *text, const struct event_term *term,
			struct event_spec *spec);
/* All terms of an event that has no PMU's fields. */
int event_apply_terms(const struct event_text *text, struct span terms, struct event_spec *spec);

/* Their names, for messages. */
extern const char event_general_terms[];

#endif
