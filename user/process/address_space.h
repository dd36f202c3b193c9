/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The executable mappings of one process over time. Each is valid from a time until a time; at any
 * time at most one covers an address. Times are ns, CLOCK_MONOTONIC.
 */
#ifndef TRACER_ADDRESS_SPACE_H
#define TRACER_ADDRESS_SPACE_H

#include <stddef.h>
#include <stdint.h>

struct object;

struct mapping {
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t since, until;
	struct object *object; /* NULL: known to hold no code */
};

struct address_space {
	struct mapping *current; /* by address, disjoint; until is UINT64_MAX */
	size_t current_count, current_room;
	struct mapping *past; /* by until */
	size_t past_count, past_room;
	/* What was there before: a forked child sees its parent's space as it was at base_time. */
	const struct address_space *base;
	uint64_t base_time;
	uint64_t base_until; /* exec ends it */
};

void address_space_free(struct address_space *space);
/*
 * A mapping that begins at mapping->since (until is not read); it ends what it overlaps, in part or
 * whole, from then on. Where something newer is known already, it is valid only until then.
 * 0 or -ENOMEM.
 */
int address_space_map(struct address_space *space, const struct mapping *mapping);
/* Ends everything at time (exec). 0 or -ENOMEM. */
int address_space_clear(struct address_space *space, uint64_t time);
/* The mapping that covers address at time, or NULL. Valid until the space is changed. */
const struct mapping *address_space_find(const struct address_space *space, uint64_t address,
					 uint64_t time);
/*
 * The nearest mappings of files around an address at time, itself included: [0] at or below it, [1] above. NULL: none.
 */
void address_space_around(const struct address_space *space, uint64_t address, uint64_t time,
			  const struct mapping *around[2]);
/*
 * The reverse: a mapping that object's offset (of the file; of a VDSO from its start) was visible in at
 * time, or NULL.
 */
const struct mapping *address_space_find_offset(const struct address_space *space,
						const struct object *object, uint64_t offset,
						uint64_t time);

#endif
