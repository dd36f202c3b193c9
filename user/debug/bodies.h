/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in functions: which of a unit covers an address, and the inlined sites of a unit. */
#ifndef TRACER_DEBUG_BODIES_H
#define TRACER_DEBUG_BODIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct debug_info;
struct unit;

/* Called for each DIE of a body; an error ends the walk and is returned. */
typedef int (*body_visit_fn)(void *data, Dwarf_Die *die);
/* All that is in a function, at any depth. */
int body_walk(Dwarf_Die *function, body_visit_fn visit, void *data);

/* Fills unit->inlines, unless it has been done. 0 or -ENOMEM. */
int bodies_read_inlines(struct debug_info *info, struct unit *unit);
/* Can functions of other units be inlined in this one (link-time optimization, dwz)? */
bool bodies_refer_elsewhere(struct unit *unit);
/* The unit's function at an address: 0, -ENOENT or -ENOMEM. */
int bodies_function_at(struct debug_info *info, struct unit *unit, uint64_t vaddr, uint32_t *entry);

#endif
