/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages on stderr. Each is composed whole, escaped, and written by one call, so that lines of
 * several processes do not mix. errno is left as it was: callers often report and then return it.
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

/* The longest escape of one byte: \xNN. */
#define ESCAPE_GROWTH 4

static void log_line(const char *prefix, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

static void log_line(const char *prefix, const char *format, va_list arguments)
{
	int saved_errno = errno;
	char *message = NULL, *line = NULL;
	size_t size;

	if (vasprintf(&message, format, arguments) < 0) {
		message = NULL; /* vasprintf leaves it undefined */
		goto cleanup;
	}
	size = strlen(message) * ESCAPE_GROWTH + 1;
	line = malloc(size);
	if (!line)
		goto cleanup;
	fprintf(stderr, "%s%s\n", prefix, escape_terminal(line, size, message));
cleanup:
	if (!line)
		fputs("tracer: out of memory while reporting\n", stderr);
	free(line);
	free(message);
	errno = saved_errno;
}

void log_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("tracer: ", format, arguments);
	va_end(arguments);
}

void log_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("tracer: warning: ", format, arguments);
	va_end(arguments);
}

void log_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("tracer: ", format, arguments);
	va_end(arguments);
}
