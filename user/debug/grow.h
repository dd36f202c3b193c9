/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrays that grow. */
#ifndef TRACER_DEBUG_GROW_H
#define TRACER_DEBUG_GROW_H

#include <stddef.h>
#include <stdlib.h>

/*
 * An array of count elements, of that size each and with room for *room, made to have room for one
 * more: where it is now, or NULL without memory; then the old one is as it was.
 */
static inline void *grown(void *array, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? 2 * *room : 16;
	void *moved;

	if (array && count < *room)
		return array;
	moved = reallocarray(array, wanted, size);
	if (moved)
		*room = wanted;
	return moved;
}

#endif
