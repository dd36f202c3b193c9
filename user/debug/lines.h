/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sites of source lines: what "file.c:42" means in the code. */
#ifndef TRACER_DEBUG_LINES_H
#define TRACER_DEBUG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_info;

/* Strings are the info's, NULL when not told. */
struct debug_line_site {
	uint64_t vaddr;
	const char *file;     /* as the line table has it */
	const char *function; /* the line's */
	bool is_inlined;      /* this is a copy of it in another function: */
	const char *host;     /* whose own code it is in; else the same as function */
	uint64_t host_entry;
};

struct debug_lines {
	struct debug_line_site *sites; /* by address */
	size_t count;
	/* When there is none: the nearest lines that have code, 0 when none has. */
	unsigned int line_before, line_after;
	/* When there is no such file: some whose name ends the same; the list is to be freed. */
	const char **files;
	size_t file_count;
};

/* As many near file names are told. */
#define DEBUG_MAX_NEAR_FILES 8

/*
 * The sites of a line: in each function, and in each copy that is inlined somewhere, the first address
 * where a statement of it begins, as a debugger would break there; prologues are not skipped. The file
 * is named by as many of the last parts of its path as one likes: "file.c", "dir/file.c".
 *
 * 0; -ENOENT when the line has no code; -ENXIO when there is no such file; -ENOMEM. To be freed in any
 * case.
 */
int debug_lines_find(struct debug_info *info, const char *file, unsigned int line,
		     struct debug_lines *lines);
void debug_lines_free(struct debug_lines *lines);

#endif
