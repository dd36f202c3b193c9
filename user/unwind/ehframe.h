/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an ELF file says about unwinding its code: .eh_frame and .debug_frame, walked from end to end
 * (.eh_frame_hdr is only an index, and may be missing or wrong), as one sorted list of rows. One bad
 * entry costs that entry; time and memory are proportional to the sections.
 */
#ifndef TRACER_EHFRAME_H
#define TRACER_EHFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../bpf/unwind.h"

struct elf_file;

/* From vaddr on, up to the next row, the rule holds; UNWIND_RULE_GAP where nothing is known. */
struct cfi_row {
	uint64_t vaddr; /* the file's, before load bias */
	struct unwind_rule rule;
};

/* The last row is a gap, unless there are no rows at all. */
struct cfi_rows {
	enum unwind_machine machine;
	struct cfi_row *rows;
	size_t count;
	size_t functions; /* FDEs that made rows */
	size_t bad;	  /* CIEs and FDEs that could not be read */
};

/* One section, for tests and for images that are no files. */
struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;
	bool debug_frame; /* entries as in .debug_frame */
};

/* Executable ranges; what an FDE says of other addresses is dropped. */
struct code_range {
	uint64_t start, end;
};

/*
 * 0; -ENOTSUP for a machine that we do not unwind; -ENOMEM. Where there is
 * no CFI, PLTs and signal trampolines have rows all the same: they are known by section and code.
 */
int ehframe_read(struct elf_file *file, struct cfi_rows *rows);
/*
 * The same over sections; where entries overlap, those of the earlier section count, and of one
 * section the one that begins later.
 */
int ehframe_read_sections(enum unwind_machine machine, const struct cfi_section *sections,
			  size_t section_count, const struct code_range *code, size_t code_count,
			  struct cfi_rows *rows);
void cfi_rows_free(struct cfi_rows *rows);
/* The rule at vaddr; a gap's when there is none. */
const struct unwind_rule *cfi_rows_at(const struct cfi_rows *rows, uint64_t vaddr);

#endif
