/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a variable is, as far as it can be said in one step: what a probe can fetch without a machine
 * for DWARF expressions. Registers have DWARF's numbers.
 */
#ifndef TRACER_DEBUG_LOCATION_H
#define TRACER_DEBUG_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum debug_place {
	DEBUG_PLACE_UNKNOWN, /* reason says why */
	/* The variable is there: */
	DEBUG_PLACE_REGISTER,	     /* in the register */
	DEBUG_PLACE_MEMORY_REGISTER, /* in memory at register + offset */
	DEBUG_PLACE_MEMORY_CFA,	     /* in memory at the canonical frame address + offset */
	DEBUG_PLACE_MEMORY,	     /* in memory at vaddr offset, before load bias */
	DEBUG_PLACE_TLS,	     /* at offset in the module's thread-local block */
	/* The variable is nowhere, but its value is known: */
	DEBUG_PLACE_CONSTANT,	    /* offset, or bytes if it has them */
	DEBUG_PLACE_VALUE_REGISTER, /* register + offset */
	DEBUG_PLACE_VALUE_CFA,	    /* the canonical frame address + offset */
	DEBUG_PLACE_VALUE_ADDRESS,  /* vaddr offset, before load bias */
	DEBUG_PLACE_VALUE_ENTRY, /* what the register held when the function was entered, + offset */
	DEBUG_PLACE_PIECES,	 /* one after the other */
};

enum debug_reason {
	DEBUG_REASON_NONE,
	DEBUG_REASON_OPTIMIZED_OUT, /* nowhere in the function */
	DEBUG_REASON_NOT_HERE,	    /* not at this address */
	DEBUG_REASON_NOT_SIMPLE,    /* it takes more than the kinds above */
	DEBUG_REASON_DAMAGED,
};

struct debug_location {
	enum debug_place place;
	enum debug_reason reason;
	unsigned int reg;
	int64_t offset;
	uint64_t size;	      /* bytes, of a piece; else 0 */
	const uint8_t *bytes; /* a constant's; the info's */
	size_t byte_count;
	struct debug_location *pieces;
	size_t piece_count;
	/*
	 * Told by a list, for this address. Else it is said of the whole function, and does not hold before
	 * its prologue is done.
	 */
	bool is_of_address;
};

/* Frees the pieces. */
void debug_location_free(struct debug_location *location);

#endif
