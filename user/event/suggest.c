// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "suggest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int suggestions_refuse(const struct suggestions *near, const struct event_text *text,
		       struct span where, const char *more, const char *format, ...)
{
	struct growing reason = {};
	char *written = NULL;
	va_list arguments;
	int length, err;

	va_start(arguments, format);
	length = vasprintf(&written, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	growing_append(&reason, "%s", written);
	free(written);
	for (size_t i = 0; i < near->count; i++)
		growing_append(&reason, "%s%s", i ? " or " : "; near it: ", near->best[i].name);
	growing_append(&reason, "; %s", more ? more : "--list events shows all");
	written = growing_take(&reason);
	err = written ? event_refuse(text, where, "%s", written) : -ENOMEM;
	free(written);
	return err;
}
