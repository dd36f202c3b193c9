/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Entries by name. The first question reads the entries of all units. */
#ifndef TRACER_DEBUG_NAMES_H
#define TRACER_DEBUG_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_info;

/* Chains of entries whose names have the same hash. */
struct name_table {
	uint32_t *heads; /* by hash; NULL until it is needed */
	uint32_t *next;	 /* by entry */
	size_t mask;
};

struct names {
	bool has_all; /* all units have been read */
	struct name_table by_name, by_linkage_name;
};

struct found_entries {
	uint32_t *list;
	size_t count, room;
};

void debug_names_free(struct names *names);

/*
 * The entries of the kinds (bits of enum entry_kind) that a name means, as it is in the source: "f",
 * "ns::T::f", or a linkage name. Template arguments, anonymous and inline namespaces may be left out.
 * What is only declared is left out. If none has all of that name, those whose name ends in it: "f" is ns::f where there is no other f.
 *
 * 0, with nothing found too, or -ENOMEM. The list is to be freed.
 */
int debug_names_find(struct debug_info *info, const char *name, unsigned int kinds,
		     struct found_entries *found);
/* The same without the second choice. */
int debug_names_find_whole(struct debug_info *info, const char *name, unsigned int kinds,
			   struct found_entries *found);

#endif
