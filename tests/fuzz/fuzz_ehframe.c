// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libFuzzer target: CFI sections and whole ELF files to rows, rows to a table, and steps by what is
 * found in it. Run by `make fuzz`.
 *
 * The first byte of the input says what the rest is. Seeds: that byte and an ELF file, or the
 * contents of its .eh_frame.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "object/elf_file.h"
#include "unwind/ehframe.h"
#include "unwind/table.h"
#include "unwind/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	INPUT_FILE = 1 << 0,
	INPUT_ARM64 = 1 << 1,
	INPUT_DEBUG_FRAME = 1 << 2,
};

struct fuzzed {
	const struct unwind_table *table;
	uint64_t seed;
};

static int find(void *data, uint64_t ip, const struct unwind_table **table, uint64_t *bias)
{
	const struct fuzzed *fuzzed = data;

	(void)ip;
	*table = fuzzed->table;
	*bias = 0;
	return 0;
}

/* Memory that holds anything, mostly addresses of the code. */
static int read_memory(void *data, uint64_t address, uint64_t *value)
{
	struct fuzzed *fuzzed = data;

	fuzzed->seed = (fuzzed->seed ^ address) * 0x9e3779b97f4a7c15;
	*value = fuzzed->seed >> 63 ? fuzzed->seed :
				      fuzzed->table->first_vaddr + (fuzzed->seed >> 40) % 65536;
	return 0;
}

static void check(int truth)
{
	if (!truth)
		abort();
}

static void check_rows(const struct cfi_rows *rows, const struct unwind_table *table)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct unwind_rule *found = unwind_table_find(table, rows->rows[i].vaddr);

		check(!i || rows->rows[i].vaddr > rows->rows[i - 1].vaddr);
		check(rows->rows[i].rule.cfa < UNWIND_CFA_MAX);
		check(table->rules_dropped || found->cfa == rows->rows[i].rule.cfa);
	}
}

static void use(struct cfi_rows *rows)
{
	struct unwind_start start = { .sp = 0x10000, .fp = 0x10100 };
	struct unwind_table *table;
	uint64_t ip[64];

	if (!unwind_table_new(rows, &table)) {
		struct fuzzed fuzzed = { .table = table };
		struct unwind_target target = {
			.machine = rows->machine,
			.find = find,
			.read = read_memory,
			.data = &fuzzed,
			.guess = 1,
		};

		check_rows(rows, table);
		for (size_t i = 0; i < rows->count; i += 1 + rows->count / 64) {
			struct unwind_result result;

			start.ip = rows->rows[i].vaddr;
			result = unwind_walk(&target, &start, ip, 64);
			check(result.depth >= 1 && result.depth <= 64);
			check(result.end != UNWIND_STEPPED && result.end < UNWIND_END_MAX);
		}
		unwind_table_free(table);
	}
	cfi_rows_free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct code_range code = { 0x1000, 0x400000 };
	struct cfi_section section;
	struct elf_file *file;
	struct cfi_rows rows;
	uint8_t kind;

	if (!size)
		return 0;
	kind = *data++;
	size--;
	if (kind & INPUT_FILE) {
		if (elf_file_open_memory(data, size, &file))
			return 0;
		if (!ehframe_read(file, &rows))
			use(&rows);
		elf_file_close(file);
		return 0;
	}
	section = (struct cfi_section){ data, size, 0x200000, kind & INPUT_DEBUG_FRAME };
	if (!ehframe_read_sections(kind & INPUT_ARM64 ? UNWIND_ARM64 : UNWIND_X86_64, &section, 1,
				   &code, 1, &rows))
		use(&rows);
	return 0;
}
