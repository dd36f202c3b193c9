/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files about types share. */
#ifndef TRACER_DEBUG_TYPE_STATE_H
#define TRACER_DEBUG_TYPE_STATE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "type.h"

struct debug_info;

struct type_key {
	void *die; /* NULL: void */
	/* Of an array, how many of its dimensions are taken off: int[2][3] is one DIE for two types. */
	uint64_t dimension;
};

struct debug_type {
	struct type_key key;
	struct debug_info *info;
	Dwarf_Die die;	/* as it is used */
	Dwarf_Die bare; /* without typedefs and qualifiers; addr is NULL for void */
	enum debug_kind kind;
	bool is_settled; /* bare is the definition, if there is one */
	char *name;	 /* NULL until it is asked for */
	UT_hash_handle hh;
};

/* The type of a DIE. void when it is NULL; NULL without memory. */
struct debug_type *type_get(struct debug_info *info, Dwarf_Die *die);
/* The type that the DIE says it has; void when it says none. */
struct debug_type *type_of(struct debug_info *info, Dwarf_Die *die);
struct debug_type *type_get_dimension(struct debug_info *info, Dwarf_Die *die, uint64_t dimension);
void debug_types_free(struct debug_info *info);

/* false for void, and for a circle of typedefs. */
bool type_strip(Dwarf_Die *die, Dwarf_Die *bare);
/* Makes bare the definition of what is only declared. */
void type_settle(struct debug_type *type);
/* A new string, or NULL without memory. */
char *type_write_name(struct debug_info *info, Dwarf_Die *die, uint64_t dimension);

/* The dimensions of an array's DIE, and how many elements the index-th has; 0 when it is not known. */
size_t type_dimensions(Dwarf_Die *array);
uint64_t type_dimension_count(Dwarf_Die *array, uint64_t index);

#endif
