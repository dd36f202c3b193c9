/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a unit declares outside of functions: functions, variables, types, and the scopes around them.
 * libdw knows no parent of a DIE; these do.
 */
#ifndef TRACER_DEBUG_ENTRIES_H
#define TRACER_DEBUG_ENTRIES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct debug_info;
struct unit;

#define NO_ENTRY UINT32_MAX

/* Bits, for names.h. */
enum entry_kind {
	ENTRY_FUNCTION = 1 << 0,
	ENTRY_VARIABLE = 1 << 1, /* and static data members */
	ENTRY_TYPE = 1 << 2,
	ENTRY_SCOPE = 1 << 3, /* a namespace */
};

struct entry {
	void *die;
	const char *name; /* the last part of it; NULL when it has none; libdw's */
	uint32_t unit;
	uint32_t parent; /* NO_ENTRY: the unit */
	uint8_t kind;
};

struct entries {
	struct entry *list; /* those of a unit together, in the order of the file */
	size_t count, room;
};

void debug_entries_free(struct entries *entries);
/* Reads those of the unit, unless it has been done. 0 or -ENOMEM. */
int debug_entries_read(struct debug_info *info, struct unit *unit);
/* The entry of a DIE; NO_ENTRY when it has none, or without memory. */
uint32_t debug_entries_find(struct debug_info *info, Dwarf_Die *die);
/* The DIE of an entry; false when libdw denies it. */
bool debug_entries_die(struct debug_info *info, uint32_t entry, Dwarf_Die *die);

#endif
