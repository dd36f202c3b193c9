/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of a CFI section: CIEs, read at once, and FDEs, still to be run. */
#ifndef TRACER_ENTRIES_H
#define TRACER_ENTRIES_H

#include "cfi.h"
#include "ehframe.h"

struct cie_entry {
	uint64_t offset; /* in its section */
	struct cfi_cie cie;
};

/* fde_entry.cie of code whose rule is known without CFI. */
#define NO_CIE SIZE_MAX

struct fde_entry {
	uint64_t start, end;
	uint64_t vaddr; /* of the instructions */
	struct reader instructions;
	size_t cie;		 /* index into cies, or NO_CIE */
	struct unwind_rule rule; /* with NO_CIE */
	unsigned section;	 /* its number; lower ones come first */
	bool debug_frame;	 /* of .debug_frame */
};

struct entries {
	struct cie_entry *cies; /* of a section, by offset */
	size_t cie_count, cie_room;
	struct fde_entry *fdes;
	size_t fde_count, fde_room;
	size_t bad;
};

/* Appends those of a section. 0 or -ENOMEM. */
int entries_add(struct entries *entries, enum unwind_machine machine,
		const struct cfi_section *section, unsigned number);
/* Code whose rule is known without CFI, to be taken where no section says better. 0 or -ENOMEM. */
int entries_add_known(struct entries *entries, uint64_t start, uint64_t end,
		      const struct unwind_rule *rule);
void entries_free(struct entries *entries);

#endif
