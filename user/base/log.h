/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages for people, on stderr, one line each, prefixed "tracer: ". The finished message passes
 * through escape_terminal(), so names of traced programs can be printed with %s as they are.
 */
#ifndef TRACER_LOG_H
#define TRACER_LOG_H

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
