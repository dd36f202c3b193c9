/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The units of a file, of its dwz file and of its .dwo files; which of them an address or a DIE is in. */
#ifndef TRACER_DEBUG_UNITS_H
#define TRACER_DEBUG_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_info;

/* How names are made and written. */
enum unit_language {
	UNIT_C,	    /* "struct point"; there are no scopes */
	UNIT_OTHER, /* "ns::point" */
};

struct inline_site {
	const void *origin; /* the DIE of the function, as it is referred to */
	const void *die;
	uint32_t host; /* the entry of the function that it is in */
};

struct code_of_entry {
	uint64_t start, end;
	uint32_t entry;
};

struct unit {
	Dwarf_Die die;	 /* the tree's root; of split DWARF, in the .dwo */
	Dwarf_Die outer; /* has addresses and lines; of split DWARF, in the file itself */
	enum unit_language language;
	bool has_lines;
	/* What entries.h reads. */
	bool is_scanned;
	uint32_t first_entry, entry_count;
	/* What bodies.h reads. */
	bool has_inlines, has_code;
	struct inline_site *inlines;
	size_t inline_count;
	struct code_of_entry *code; /* by start */
	size_t code_count;
};

struct code_of_unit {
	uint64_t start, end;
	uint32_t unit;
};

struct units {
	struct unit *list; /* by their DIE's place in memory */
	size_t count;
	bool has_code;		   /* read, once it is needed */
	struct code_of_unit *code; /* by start */
	size_t code_count;
};

/* 0 or -ENOMEM; of a damaged file, the units before the damage. */
int debug_units_list(struct debug_info *info);
void debug_units_free(struct units *units);
/* The unit that a DIE is in; NULL when it is in none of the list. */
struct unit *unit_of(struct debug_info *info, Dwarf_Die *die);
/* 0, -ENOENT or -ENOMEM. */
int unit_at(struct debug_info *info, uint64_t vaddr, struct unit **unit);

#endif
