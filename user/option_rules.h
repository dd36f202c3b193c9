/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of options: how each is written, and the function that takes its value. */
#ifndef TRACER_OPTION_RULES_H
#define TRACER_OPTION_RULES_H

#include "options_settle.h"

/* set() gets NULL where no value was given; it returns 0, -ENOMEM or -EINVAL after a message. */
struct option_rule {
	const char *name;
	int id; /* the short option's letter, or one of ID_ */
	int has_arg;
	const char *argument; /* the value's name in messages */
	int (*set)(struct option_parse *parse, const char *value);
};

/* Rows of the table, which does not compile with another number of them. */
#define OPTION_RULES 49

extern const struct option_rule option_rules[];

/* What holds where nothing is given. */
void option_rules_defaults(struct options *options);

#endif
