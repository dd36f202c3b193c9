/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* (object, offset) to source lines, where there is debug information: read when the first one is asked for. */
#ifndef TRACER_SOURCE_LINES_H
#define TRACER_SOURCE_LINES_H

#include <stdbool.h>

#include "../process/tasks.h"

struct source_lines;

struct source_line {
	const char *file; /* the last part of its path; not escaped */
	unsigned int number;
};

struct source_lines *source_lines_new(void); /* NULL without memory */
void source_lines_free(struct source_lines *lines);
/*
 * The line of the instruction at the frame, or with is_after of the one that ends there. The string lives as long as
 * the lines. False: it is not known.
 */
bool source_lines_of(struct source_lines *lines, const struct frame *frame, bool is_after,
		     struct source_line *line);

#endif
