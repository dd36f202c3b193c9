// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two arrays: what is mapped now, by address, which answers nearly every question by a binary
 * search; and what has ended, by the time it ended, which is read from the newest back and only as
 * far as the question's time. A fork copies nothing: the child refers to its parent's space, which
 * keeps its history, at the time of the fork.
 */
#include "address_space.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

void address_space_free(struct address_space *space)
{
	free(space->current);
	free(space->past);
	memset(space, 0, sizeof(*space));
}

static int make_room(struct mapping **array, size_t *room, size_t wanted)
{
	size_t size = *room ? *room : 8;
	struct mapping *grown;

	while (size < wanted)
		size *= 2;
	if (size == *room)
		return 0;
	grown = reallocarray(*array, size, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = size;
	return 0;
}

/* Index of the first current mapping that ends above address. */
static size_t first_above(const struct address_space *space, uint64_t address)
{
	size_t low = 0, high = space->current_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->current[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Room must be there. */
static void add_past(struct address_space *space, const struct mapping *mapping)
{
	size_t at = space->past_count++;

	for (; at > 0 && space->past[at - 1].until > mapping->until; at--)
		space->past[at] = space->past[at - 1];
	space->past[at] = *mapping;
}

/* The part of a mapping that lies in [start, end). */
static struct mapping part_of(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	struct mapping part = *mapping;

	if (start > part.start) {
		part.file_offset += start - part.start;
		part.start = start;
	}
	if (end < part.end)
		part.end = end;
	return part;
}

static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->object == b->object &&
	       a->file_offset == b->file_offset;
}

/* What of current[from, to) lies outside mapping stays, at most a piece on either side. */
static size_t pieces_outside(const struct address_space *space, size_t from, size_t to,
			     const struct mapping *mapping, struct mapping piece[2])
{
	size_t count = 0;

	if (from == to)
		return 0;
	if (space->current[from].start < mapping->start)
		piece[count++] = part_of(&space->current[from], 0, mapping->start);
	if (space->current[to - 1].end > mapping->end)
		piece[count++] = part_of(&space->current[to - 1], mapping->end, UINT64_MAX);
	return count;
}

/* Puts mapping in place of current[from, to), whose overlapped parts become the past. */
static void replace(struct address_space *space, size_t from, size_t to,
		    const struct mapping *mapping)
{
	struct mapping put[3];
	size_t count = pieces_outside(space, from, to, mapping, put);

	for (size_t i = from; i < to; i++) {
		struct mapping ended = part_of(&space->current[i], mapping->start, mapping->end);

		ended.until = mapping->since;
		if (ended.until > ended.since)
			add_past(space, &ended);
	}
	/*
	 * The pieces are the left one, the right one, or both: mapping belongs after the left one.
	 */
	if (count && put[count - 1].start >= mapping->end) {
		put[count] = put[count - 1];
		put[count - 1] = *mapping;
	} else {
		put[count] = *mapping;
	}
	count++;
	memmove(space->current + from + count, space->current + to,
		(space->current_count - to) * sizeof(*space->current));
	memcpy(space->current + from, put, count * sizeof(*put));
	space->current_count = space->current_count - (to - from) + count;
}

int address_space_map(struct address_space *space, const struct mapping *mapping)
{
	size_t from = first_above(space, mapping->start), to = from;
	struct mapping added = *mapping;
	uint64_t newer = UINT64_MAX;

	if (mapping->end <= mapping->start)
		return 0;
	for (; to < space->current_count && space->current[to].start < mapping->end; to++) {
		if (space->current[to].since > mapping->since && space->current[to].since < newer)
			newer = space->current[to].since;
	}
	if (to - from == 1 && newer == UINT64_MAX && is_same(&space->current[from], mapping))
		return 0;
	if (make_room(&space->current, &space->current_room, space->current_count + 3) ||
	    make_room(&space->past, &space->past_room, space->past_count + (to - from) + 1))
		return -ENOMEM;
	added.until = newer;
	if (newer == UINT64_MAX)
		replace(space, from, to, &added);
	else
		add_past(space, &added);
	return 0;
}

int address_space_clear(struct address_space *space, uint64_t time)
{
	size_t kept = 0;

	if (make_room(&space->past, &space->past_room, space->past_count + space->current_count))
		return -ENOMEM;
	for (size_t i = 0; i < space->current_count; i++) {
		struct mapping mapping = space->current[i];

		if (mapping.since > time) { /* newer than this: it came late */
			space->current[kept++] = mapping;
			continue;
		}
		mapping.until = time;
		if (mapping.since < time)
			add_past(space, &mapping);
	}
	space->current_count = kept;
	if (space->base_until > time)
		space->base_until = time;
	return 0;
}

static bool covers(const struct mapping *mapping, uint64_t address, uint64_t time)
{
	return address >= mapping->start && address < mapping->end && time >= mapping->since &&
	       time < mapping->until;
}

static const struct mapping *find_own(const struct address_space *space, uint64_t address,
				      uint64_t time)
{
	size_t at = first_above(space, address);

	if (at < space->current_count && covers(&space->current[at], address, time))
		return &space->current[at];
	for (at = space->past_count; at-- > 0 && space->past[at].until > time;) {
		if (covers(&space->past[at], address, time))
			return &space->past[at];
	}
	return NULL;
}

const struct mapping *address_space_find(const struct address_space *space, uint64_t address,
					 uint64_t time)
{
	const struct mapping *mapping;

	for (;;) {
		mapping = find_own(space, address, time);
		if (mapping || !space->base || time >= space->base_until)
			return mapping;
		if (time > space->base_time)
			time = space->base_time;
		space = space->base;
	}
}

static void take_nearer(const struct mapping *mapping, uint64_t address, uint64_t time,
			const struct mapping *around[2])
{
	const struct mapping **side = &around[mapping->start > address];

	if (!mapping->object || mapping->object->kind != OBJECT_FILE || time < mapping->since ||
	    time >= mapping->until)
		return;
	if (!*side || (mapping->start > address ? mapping->start < (*side)->start :
						  mapping->start > (*side)->start))
		*side = mapping;
}

void address_space_around(const struct address_space *space, uint64_t address, uint64_t time,
			  const struct mapping *around[2])
{
	around[0] = around[1] = NULL;
	for (;;) {
		for (size_t i = 0; i < space->current_count; i++)
			take_nearer(&space->current[i], address, time, around);
		for (size_t i = space->past_count; i-- > 0 && space->past[i].until > time;)
			take_nearer(&space->past[i], address, time, around);
		if (!space->base || time >= space->base_until)
			return;
		if (time > space->base_time)
			time = space->base_time;
		space = space->base;
	}
}

/* The object's offset that is visible at mapping->start. */
static uint64_t first_offset(const struct mapping *mapping, const struct object *object)
{
	return object->kind == OBJECT_FILE ? mapping->file_offset : 0;
}

static bool holds(const struct mapping *mapping, const struct object *object, uint64_t offset,
		  uint64_t time)
{
	uint64_t first = first_offset(mapping, object);

	return mapping->object == object && offset >= first &&
	       offset - first < mapping->end - mapping->start && time >= mapping->since &&
	       time < mapping->until;
}

static const struct mapping *find_own_offset(const struct address_space *space,
					     const struct object *object, uint64_t offset,
					     uint64_t time)
{
	for (size_t at = 0; at < space->current_count; at++) {
		if (holds(&space->current[at], object, offset, time))
			return &space->current[at];
	}
	for (size_t at = space->past_count; at-- > 0 && space->past[at].until > time;) {
		if (holds(&space->past[at], object, offset, time))
			return &space->past[at];
	}
	return NULL;
}

const struct mapping *address_space_find_offset(const struct address_space *space,
						const struct object *object, uint64_t offset,
						uint64_t time)
{
	const struct address_space *whole = space;
	const struct mapping *mapping;
	uint64_t now = time, address;

	for (;;) {
		mapping = find_own_offset(space, object, offset, now);
		address = mapping ? mapping->start + offset - first_offset(mapping, object) : 0;
		/* what a forked child has mapped since hides what was its parent's */
		if (mapping && address_space_find(whole, address, time) == mapping)
			return mapping;
		if (!space->base || now >= space->base_until)
			return NULL;
		if (now > space->base_time)
			now = space->base_time;
		space = space->base;
	}
}
