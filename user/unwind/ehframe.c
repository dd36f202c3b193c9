// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Entries are collected from all sections and settled, so that they are sorted and disjoint; then
 * each FDE is run, which gives the rows in order.
 */
#include "ehframe.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../object/elf_file.h"
#include "../object/reader.h"
#include "cfi.h"
#include "entries.h"
#include "known_code.h"
#include "settle.h"

#define MAX_CODE_RANGES 64

static const struct unwind_rule gap = { .cfa = UNWIND_RULE_GAP };

struct builder {
	struct cfi_rows *rows;
	size_t room;
};

static int add_row(void *data, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct builder *b = data;
	struct cfi_rows *rows = b->rows;
	const struct unwind_rule *last = rows->count ? &rows->rows[rows->count - 1].rule : &gap;

	if (!memcmp(last, rule, sizeof(*rule)))
		return 0;
	if (rows->count >= b->room) {
		size_t room = b->room ? 2 * b->room : 256;
		struct cfi_row *grown = reallocarray(rows->rows, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		rows->rows = grown;
		b->room = room;
	}
	rows->rows[rows->count++] = (struct cfi_row){ .vaddr = vaddr, .rule = *rule };
	return 0;
}

static int run_entry(struct builder *b, const struct entries *entries, const struct fde_entry *fde)
{
	if (fde->cie == NO_CIE)
		return add_row(b, fde->start, &fde->rule);
	return cfi_run_fde(&entries->cies[fde->cie].cie, fde->instructions, fde->vaddr, fde->start,
			   fde->end, add_row, b);
}

static int build_rows(const struct entries *entries, struct cfi_rows *rows)
{
	struct builder b = { .rows = rows };
	uint64_t end = 0;
	int err = 0;

	for (size_t i = 0; i < entries->fde_count && !err; i++) {
		const struct fde_entry *fde = &entries->fdes[i];
		size_t before;

		if (fde->start > end)
			err = add_row(&b, end, &gap);
		if (err)
			break;
		before = rows->count;
		err = run_entry(&b, entries, fde);
		if (err == -EBADMSG) {
			/* Nothing of a function that is only half understood. */
			rows->count = before;
			rows->bad++;
			err = add_row(&b, fde->start, &gap);
		} else {
			rows->functions++;
		}
		end = fde->end;
	}
	return err ? err : add_row(&b, end, &gap);
}

static int finish(struct entries *entries, int err, struct cfi_rows *rows)
{
	if (!err) {
		rows->bad = entries->bad;
		err = build_rows(entries, rows);
	}
	entries_free(entries);
	if (err)
		cfi_rows_free(rows);
	return err;
}

int ehframe_read_sections(enum unwind_machine machine, const struct cfi_section *sections,
			  size_t section_count, const struct code_range *code, size_t code_count,
			  struct cfi_rows *rows)
{
	struct entries entries = {};
	int err = 0;

	*rows = (struct cfi_rows){ .machine = machine };
	for (size_t i = 0; i < section_count && !err; i++)
		err = entries_add(&entries, machine, &sections[i], (unsigned)i);
	if (!err)
		entries_settle(&entries, code, code_count);
	return finish(&entries, err, rows);
}

/* .eh_frame of an image without section headers: it begins where .eh_frame_hdr says. */
static int find_by_header(struct elf_file *file, uint8_t **copy, struct cfi_section *section)
{
	uint64_t header, at, limit = 1 << 20;
	uint8_t bytes[16];
	struct reader reader;

	if (!elf_file_eh_frame_header(file, &header))
		return 0;
	reader = reader_of(bytes, elf_file_read(file, header, bytes, sizeof(bytes)));
	if (reader_fixed(&reader, 1) != 1)
		return 0;
	at = reader_fixed(&reader, 3);
	at = reader_pointer(&reader, (uint8_t)at, header + 4);
	if (reader.bad)
		return 0;
	/* Its size is not said; the walk stops where entries make no sense. */
	*copy = malloc(limit);
	if (!*copy)
		return -ENOMEM;
	section->size = elf_file_read(file, at, *copy, limit);
	section->bytes = *copy;
	section->vaddr = at;
	return 0;
}

static int machine_of(const struct elf_file *file, enum unwind_machine *machine)
{
	if (!elf_file_is_64bit(file))
		return -ENOTSUP;
	switch (elf_file_machine(file)) {
	case EM_X86_64:
		*machine = UNWIND_X86_64;
		return 0;
	case EM_AARCH64:
		*machine = UNWIND_ARM64;
		return 0;
	default:
		return -ENOTSUP;
	}
}

static size_t find_code(const struct elf_file *file, struct code_range *code)
{
	size_t count = 0;
	uint64_t size;

	while (count < MAX_CODE_RANGES && elf_file_code(file, count, &code[count].start, &size)) {
		code[count].end = code[count].start + size;
		count++;
	}
	return count;
}

/* The sections there are, .eh_frame first. Another copy of it, if any, is the caller's. */
static int find_sections(struct elf_file *file, struct cfi_section *sections, uint8_t **copy)
{
	static const char *const names[] = { ".eh_frame", ".debug_frame" };
	struct elf_section found;
	int err;

	for (int i = 0; i < 2; i++) {
		sections[i] = (struct cfi_section){ .debug_frame = i };
		if (elf_file_section(file, names[i], &found))
			continue;
		sections[i].bytes = found.bytes;
		sections[i].size = found.size;
		sections[i].vaddr = found.vaddr;
	}
	err = sections[0].size ? 0 : find_by_header(file, copy, &sections[0]);
	return err;
}

int ehframe_read(struct elf_file *file, struct cfi_rows *rows)
{
	struct code_range code[MAX_CODE_RANGES];
	struct cfi_section sections[2];
	struct entries entries = {};
	size_t code_count = find_code(file, code);
	uint8_t *copy = NULL;
	int err;

	*rows = (struct cfi_rows){};
	err = machine_of(file, &rows->machine);
	if (err)
		return err;
	err = find_sections(file, sections, &copy);
	for (unsigned i = 0; i < 2 && !err; i++)
		err = entries_add(&entries, rows->machine, &sections[i], i);
	if (!err)
		err = known_code_add(file, rows->machine, code, code_count, &entries);
	err = finish(&entries, err, rows);
	free(copy);
	return err;
}

void cfi_rows_free(struct cfi_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

const struct unwind_rule *cfi_rows_at(const struct cfi_rows *rows, uint64_t vaddr)
{
	size_t low = 0, high = rows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows->rows[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &rows->rows[low - 1].rule : &gap;
}
