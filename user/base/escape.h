/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text from traced programs (comm, paths, symbols) is only data. One function for each place that
 * gives some bytes a meaning of their own. All write a NUL-terminated string of at most size bytes
 * to dst, cutting at a character's edge when it does not fit, and return dst.
 */
#ifndef TRACER_ESCAPE_H
#define TRACER_ESCAPE_H

#include <stddef.h>

/* Control characters, DEL, C1 controls and invalid UTF-8 become \n, \t, \xNN. */
char *escape_terminal(char *dst, size_t size, const char *src);
/* The inside of a JSON string: quotes, backslash and controls escaped, invalid UTF-8 becomes U+FFFD. */
char *escape_json(char *dst, size_t size, const char *src);
/* A folded frame: ';' becomes ':', spaces in comm are the caller's choice, the rest as escape_terminal. */
char *escape_folded(char *dst, size_t size, const char *src);
/* XML text and attribute values; characters XML 1.0 forbids become U+FFFD. */
char *escape_xml(char *dst, size_t size, const char *src);

#endif
