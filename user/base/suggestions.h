/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that someone may have meant. */
#ifndef TRACER_SUGGESTIONS_H
#define TRACER_SUGGESTIONS_H

#include <stddef.h>

#define SUGGESTIONS	3
#define SUGGESTION_SIZE 96

struct suggestions {
	struct {
		char name[SUGGESTION_SIZE];
		size_t distance;
	} best[SUGGESTIONS]; /* the nearest first */
	size_t count;
};

/* Takes a name among the suggestions if it is near to the length characters that were written. */
void suggestions_take(struct suggestions *near, const char *written, size_t length,
		      const char *name);

#endif
