/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The second half of options_parse(): what concerns several options together. */
#ifndef TRACER_OPTIONS_SETTLE_H
#define TRACER_OPTIONS_SETTLE_H

#include "options.h"

/* What the parser knows beyond the options themselves. */
struct option_parse {
	struct options *options;
	char spelling[32];		 /* of the option at hand: "-m" or "--buffer-size" */
	const struct output_ops *format; /* --format; NULL: not given */
	bool wants_command;		 /* "--" was given */
	bool count;			 /* --count */
	bool by_given;			 /* --by */
	bool frequency_given;		 /* -F */
	bool source_is_probe;		 /* the last source that was given */
};

/*
 * Refuses contradictions, chooses the format and fills in the defaults. rest is what follows the
 * options: COMMAND, or what --list is about; the options keep a pointer into it.
 * 0, -ENOMEM, or -EINVAL after a message.
 */
int options_settle(struct option_parse *parse, char **rest);

#endif
