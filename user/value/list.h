/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values that are recorded at a probe: what each is called, and which of the captures of its plan it is. */
#ifndef TRACER_VALUE_LIST_H
#define TRACER_VALUE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "leaves.h"
#include "type.h"

/* Captures that a value is made of, at most. */
#define VALUE_PARTS 4

enum value_form {
	VALUE_IN_NUMBER, /* one capture, a number */
	VALUE_IN_BYTES,	 /* captures that are, one behind the other, its bytes */
	VALUE_IN_STRING, /* one capture: CAPTURE_STRING */
	VALUE_IN_TEXT,	 /* two captures: a length, and CAPTURE_TEXT */
	VALUE_NOWHERE,	 /* why says why */
};

struct value_item {
	char *name;
	enum value_form form;
	struct value_type *type;	  /* of numbers and bytes */
	uint32_t first, count;		  /* captures */
	uint16_t part_bytes[VALUE_PARTS]; /* so many of each are its bytes */
	uint32_t most;			  /* characters of a string that are shown */
	char *why;
};

struct value_list {
	struct value_item *items;
	size_t count;
};

/* A new item, zero but for its name. NULL without memory. */
struct value_item *value_list_add(struct value_list *list, const char *name);
void value_list_free(struct value_list *list);
/* Up to size bytes at the address, which are surely what was there; the number of bytes. */
typedef size_t (*value_read_fn)(void *context, uint64_t address, void *buffer, size_t size);

/*
 * Appends the rows of what was recorded: what follows an event on the ring behind its rec_captured. read (NULL: nobody)
 * is asked for strings that the kernel could not read. False: it is not what such a probe records.
 */
bool value_list_render(const struct value_list *list, const void *captured, size_t size,
		       value_read_fn read, void *context, struct leaves *leaves);

#endif
