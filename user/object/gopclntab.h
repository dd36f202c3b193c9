/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go's own table of functions, .gopclntab, which no stripping removes: what it says of each function,
 * as Go 1.16 and later write it.
 */
#ifndef TRACER_GOPCLNTAB_H
#define TRACER_GOPCLNTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "elf_file.h"
#include "reader.h"

struct gopclntab {
	struct elf_section section;
	uint32_t magic;
	unsigned quantum;		/* of pcs */
	uint64_t count;			/* of functions */
	uint64_t text;			/* entries count from here */
	uint64_t names, pctab, functab; /* offsets */
};

struct go_function {
	uint64_t start, end; /* end: where the next one begins */
	const char *name;    /* the file's */
	uint32_t pcsp;	     /* of the table of frame sizes; 0 when there is none */
	uint8_t flag;	     /* abi.FuncFlag */
};

/* false when the file has no such table, or one that is not understood. */
bool gopclntab_open(struct elf_file *file, struct gopclntab *table);
/* The index-th function; false when what is said of it is damaged. */
bool gopclntab_function(const struct gopclntab *table, uint64_t index,
			struct go_function *function);
/* The function's table of frame sizes: changes of the size, each with how many quanta it lasts. */
struct reader gopclntab_frame_sizes(const struct gopclntab *table,
				    const struct go_function *function);

#endif
