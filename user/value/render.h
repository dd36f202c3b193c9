/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From bytes of a traced program, and what they mean, to text. The bytes are only data. */
#ifndef TRACER_VALUE_RENDER_H
#define TRACER_VALUE_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "leaves.h"
#include "type.h"

/* Rows of one value: what is beyond is one that says "...". */
#define RENDER_ROWS 40

/*
 * Appends a value's rows below that path: one for a number, one for each member and element. Of the value `size` bytes
 * are there, which may be fewer than the type has.
 */
void value_render(struct leaves *leaves, const char *path, const struct value_type *type,
		  const void *bytes, size_t size);
/* A number that was fetched to a register, whatever its type's size is. */
void value_render_number(struct leaves *leaves, const char *path, const struct value_type *type,
			 uint64_t number);

#endif
