/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A part of a variable, as C writes it: "config", "config.limit", "table[3].name", "ns::state.flags". */
#ifndef TRACER_VARIABLE_PATH_H
#define TRACER_VARIABLE_PATH_H

#include <stdbool.h>
#include <stdint.h>

struct debug_info;
struct debug_type;

struct variable_part {
	uint64_t vaddr;
	uint64_t size;		 /* bytes */
	struct debug_type *type; /* the info's */
};

/* Is it more than a name? */
bool variable_path_has_parts(const char *path);
/*
 * By the program's DWARF. 0; -ENOENT when there is no such variable; -ENOTUNIQ when there are several; -EINVAL with
 * why saying what is wrong with the rest.
 */
int variable_path_find(struct debug_info *info, const char *path, struct variable_part *part,
		       char why[128]);

#endif
