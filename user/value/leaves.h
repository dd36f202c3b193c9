/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of an event, ready to be written: a flat list, in which a struct is a row for each member ("p.x"). The same
 * for every format, and what a recording keeps of them.
 */
#ifndef TRACER_VALUE_LEAVES_H
#define TRACER_VALUE_LEAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum leaf_kind {
	LEAF_NUMBER = 1, /* decimal */
	LEAF_CHARACTER,	 /* the number of one, decimal */
	LEAF_ADDRESS,	 /* hexadecimal */
	LEAF_WORD,	 /* an enumerator, true, false */
	LEAF_STRING,	 /* what a program wrote, of any bytes but 0 */
	LEAF_CUT_STRING, /* one that goes on */
	LEAF_MISSING,	 /* there is no value: why */
	LEAF_KINDS,
};

struct leaf {
	const char *path; /* "fd", "p.x", "list[2].name" */
	const char *text;
	enum leaf_kind kind;
};

/* Zero is none. The strings are the list's, until it is cleared. */
struct leaves {
	char *bytes;
	size_t used, room;
	size_t count;
	bool no_memory; /* some are missing for that */
};

/* For an event; what was there before is gone. */
void leaves_clear(struct leaves *leaves);
/* Appends a row; text has so many bytes, of which none but the last may be 0. */
void leaves_add(struct leaves *leaves, const char *path, enum leaf_kind kind, const char *text,
		size_t bytes);
/* The row behind *at, which begins at 0. False: there is none. */
bool leaves_next(const struct leaves *leaves, size_t *at, struct leaf *leaf);
/* The row of that path. False: there is none. */
bool leaves_find(const struct leaves *leaves, const char *path, struct leaf *leaf);
/*
 * As one block of bytes, which is what a recording keeps: whole rows, up to `most` bytes. And back: false when the
 * bytes are none of ours, or without memory.
 */
size_t leaves_encoded(const struct leaves *leaves, size_t most, const void **bytes);
bool leaves_decode(struct leaves *leaves, const void *bytes, size_t size);
void leaves_free(struct leaves *leaves);

#endif
