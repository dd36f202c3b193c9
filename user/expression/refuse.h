/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages about a part of an expression's text. */
#ifndef TRACER_EXPRESSION_REFUSE_H
#define TRACER_EXPRESSION_REFUSE_H

#include "../base/suggestions.h"
#include "expression.h"

/* [from, to) of the text, in bytes */
struct extent {
	size_t from, to;
};

/* Sets the error, unless one is set already. -EINVAL or -ENOMEM. */
int expression_refuse(struct expression_error *error, struct extent where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, with what may have been meant behind it. */
int expression_refuse_near(struct expression_error *error, struct extent where,
			   const struct suggestions *near, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
