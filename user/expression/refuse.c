// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "refuse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

static int refuse(struct expression_error *error, struct extent where,
		  const struct suggestions *near, const char *format, va_list arguments)
{
	char *message = NULL, *reason = NULL;

	if (error->message)
		return -EINVAL;
	if (vasprintf(&reason, format, arguments) < 0)
		return -ENOMEM;
	if (!near || !near->count) {
		message = reason;
		reason = NULL;
	} else if (asprintf(&message, "%s (did you mean \"%s\"?)", reason, near->best[0].name) <
		   0) {
		message = NULL;
	}
	free(reason);
	if (!message)
		return -ENOMEM;
	error->message = message;
	error->from = where.from;
	error->to = where.to;
	return -EINVAL;
}

int expression_refuse(struct expression_error *error, struct extent where, const char *format, ...)
{
	va_list arguments;
	int err;

	va_start(arguments, format);
	err = refuse(error, where, NULL, format, arguments);
	va_end(arguments);
	return err;
}

int expression_refuse_near(struct expression_error *error, struct extent where,
			   const struct suggestions *near, const char *format, ...)
{
	va_list arguments;
	int err;

	va_start(arguments, format);
	err = refuse(error, where, near, format, arguments);
	va_end(arguments);
	return err;
}

void expression_error_free(struct expression_error *error)
{
	free(error->message);
	*error = (struct expression_error){};
}
