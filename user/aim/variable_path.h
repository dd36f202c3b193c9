/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A part of a variable, as C writes it: "config", "config.limit", "table[3].name", "ns::state.flags", and
 * what pointers lead to: "*next", "list->head[2].x", "*config.next".
 */
#ifndef TRACER_VARIABLE_PATH_H
#define TRACER_VARIABLE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_info;
struct debug_type;

#define VARIABLE_PATH_POINTERS 8

struct variable_part {
	bool is_thread_local;
	/* Where the part is, or else the first pointer to it; of a thread-local variable in the file's block. */
	uint64_t vaddr;
	/* What the i-th pointer holds, and offsets[i] on, is where the next one is; behind the last, the part. */
	size_t pointer_count;
	uint64_t offsets[VARIABLE_PATH_POINTERS];
	uint64_t size;		 /* bytes; 0 when the type has none (void) */
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
