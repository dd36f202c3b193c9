/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading one debugging information entry (DIE). A damaged file can make them refer to each other in
 * circles, and siblings overlap: what follows references here gives up after a few, and die_walk is
 * for going through a tree.
 */
#ifndef TRACER_DEBUG_DIE_H
#define TRACER_DEBUG_DIE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* No program has references, blocks or types as deep as this; a circle has. */
#define DIE_MAX_DEPTH 100

/* An unsigned number; also where it is the attribute of the DIE that this one completes. */
bool die_number(Dwarf_Die *die, unsigned int name, uint64_t *value);
/* A constant, signed if its form says so. */
bool die_constant(Dwarf_Die *die, unsigned int name, int64_t *value);
bool die_flag(Dwarf_Die *die, unsigned int name);
bool die_has(Dwarf_Die *die, unsigned int name);
/* The DIE that the attribute refers to; not that of another that this one completes. */
bool die_reference(Dwarf_Die *die, unsigned int name, Dwarf_Die *to);
/* The type, also of the DIE that this one completes. */
bool die_type(Dwarf_Die *die, Dwarf_Die *type);
/* The linkage name, or NULL. */
const char *die_linkage_name(Dwarf_Die *die);
/* What the DIE completes, by abstract origin and specification, to the end: the DIE itself if nothing. */
Dwarf_Die die_root(const Dwarf_Die *die);

/*
 * Where a function, inlined or not, is entered: DW_AT_entry_pc, else its low pc, else the start of the
 * first of its ranges that is not empty. (DWARF 5, 2.18: the first, and not the lowest: cold code, which
 * comes last, may be linked lowest.)
 */
bool die_entry(Dwarf_Die *die, uint64_t *vaddr);

/*
 * DIEs lie in their file in the order in which a tree is gone through, so whoever keeps to it sees
 * each once. Begin with { NULL }.
 */
struct die_walk {
	const void *last;
};

/* false when the DIE has been passed: the file is damaged, and the walk has to end. */
static inline bool die_walk_on(struct die_walk *walk, const Dwarf_Die *die)
{
	if ((uintptr_t)die->addr <= (uintptr_t)walk->last)
		return false;
	walk->last = die->addr;
	return true;
}

#endif
