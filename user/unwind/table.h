/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An object's rows in the layout that the BPF walk searches (bpf/unwind.h): distinct rules once,
 * four bytes a row, cut into pages of code and chunks of rows.
 */
#ifndef TRACER_TABLE_H
#define TRACER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "../../bpf/unwind.h"

struct cfi_rows;

/* All arrays are the table's. Addresses are the file's. */
struct unwind_table {
	enum unwind_machine machine;
	struct unwind_rule *rules; /* begins with gap and unsupported */
	size_t rule_count;
	uint64_t first_vaddr; /* of the first page */
	struct unwind_page *pages;
	size_t page_count;
	/*
	 * Row r of chunk c is rows[c * UNWIND_CHUNK_ROWS + r]. Where a page's rows would cross a chunk's
	 * end they begin the next one, and the rows left over are zero.
	 */
	struct unwind_row *rows;
	size_t row_count;
	size_t rules_dropped; /* rows that became unsupported because the rules were too many */
};

/* 0; -ENOMEM; -E2BIG when pages or chunks are more than their numbers can count. */
int unwind_table_new(const struct cfi_rows *rows, struct unwind_table **table);
void unwind_table_free(struct unwind_table *table);
/* The rule at vaddr, found as the BPF walk finds it; a gap's where there is none. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t vaddr);

#endif
