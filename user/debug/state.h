/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of debug/ share of an open file. */
#ifndef TRACER_DEBUG_STATE_H
#define TRACER_DEBUG_STATE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_info.h"
#include "entries.h"
#include "names.h"
#include "units.h"

struct address_range {
	uint64_t start, end;
};

struct kept_text;
struct debug_type;

struct debug_info {
	int fd;
	bool owns_fd;
	Elf *elf;
	Dwarf *dwarf;
	struct address_range *code; /* the executable segments */
	size_t code_count;
	struct units units;
	struct entries entries;
	struct names names;
	struct kept_text *qualified; /* by DIE */
	struct debug_type *types;    /* by DIE */
};

/* Is the address in code that was linked? What a linker dropped is still described, at 0 or so. */
bool debug_info_is_code(const struct debug_info *info, uint64_t vaddr);

#endif
