// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The layout is that of Go's src/runtime/symtab.go and src/debug/gosym/pclntab.go. */
#include "gopclntab.h"

#include <elf.h>
#include <string.h>

#define MAGIC_1_16 0xfffffffa
#define MAGIC_1_18 0xfffffff0
#define MAGIC_1_20 0xfffffff1

static struct reader reader_at(const struct gopclntab *t, uint64_t offset)
{
	if (offset > t->section.size)
		offset = t->section.size;
	return reader_of(t->section.bytes + offset, t->section.size - offset);
}

/* A position-independent file has the start of its code in a relocation. */
static uint64_t relocated(struct elf_file *file, uint64_t place)
{
	struct elf_section section;

	if (elf_file_section(file, ".rela.dyn", &section))
		return 0;
	for (size_t at = 0; at + sizeof(Elf64_Rela) <= section.size; at += sizeof(Elf64_Rela)) {
		Elf64_Rela rela;

		memcpy(&rela, section.bytes + at, sizeof(rela));
		if (rela.r_offset == place)
			return (uint64_t)rela.r_addend;
	}
	return 0;
}

static bool read_header(struct gopclntab *t, struct elf_file *file)
{
	struct reader reader = reader_at(t, 0);
	unsigned pointer;

	t->magic = (uint32_t)reader_fixed(&reader, 4);
	reader_fixed(&reader, 2);
	t->quantum = (unsigned)reader_fixed(&reader, 1);
	pointer = (unsigned)reader_fixed(&reader, 1);
	t->count = reader_fixed(&reader, 8);
	reader_fixed(&reader, 8); /* files */
	if (t->magic == MAGIC_1_18 || t->magic == MAGIC_1_20)
		t->text = reader_fixed(&reader, 8);
	else if (t->magic != MAGIC_1_16)
		return false;
	t->names = reader_fixed(&reader, 8);
	reader_fixed(&reader, 8); /* compilation units */
	reader_fixed(&reader, 8); /* file names */
	t->pctab = reader_fixed(&reader, 8);
	t->functab = reader_fixed(&reader, 8);
	if (t->magic != MAGIC_1_16 && !t->text)
		t->text = relocated(file, t->section.vaddr + 24);
	return !reader.bad && pointer == 8 && (t->quantum == 1 || t->quantum == 4) &&
	       t->count < t->section.size && (t->text || t->magic == MAGIC_1_16);
}

bool gopclntab_open(struct elf_file *file, struct gopclntab *table)
{
	memset(table, 0, sizeof(*table));
	if (elf_file_section(file, ".gopclntab", &table->section) &&
	    elf_file_section(file, ".data.rel.ro.gopclntab", &table->section))
		return false;
	return read_header(table, file);
}

static unsigned entry_size(const struct gopclntab *t)
{
	return t->magic == MAGIC_1_16 ? 8 : 4;
}

bool gopclntab_function(const struct gopclntab *t, uint64_t index, struct go_function *function)
{
	unsigned size = entry_size(t);
	struct reader reader = reader_at(t, t->functab + 2 * size * index);
	uint64_t at;
	uint32_t name;

	function->start = t->text + reader_fixed(&reader, size);
	at = reader_fixed(&reader, size);
	function->end = t->text + reader_fixed(&reader, size);
	if (reader.bad || function->start >= function->end)
		return false;
	reader = reader_at(t, t->functab + at);
	reader_fixed(&reader, size); /* entry */
	name = (uint32_t)reader_fixed(&reader, 4);
	reader_fixed(&reader, 8); /* args, deferreturn */
	function->pcsp = (uint32_t)reader_fixed(&reader, 4);
	reader_fixed(&reader, 8); /* pcfile, pcln */
	reader_fixed(&reader, 8); /* npcdata, cuOffset */
	if (t->magic == MAGIC_1_20)
		reader_fixed(&reader, 4); /* startLine */
	reader_fixed(&reader, 1);	  /* funcID */
	function->flag = (uint8_t)reader_fixed(&reader, 1);
	if (reader.bad)
		return false;
	reader = reader_at(t, t->names + name);
	function->name = reader_string(&reader);
	return function->name != NULL;
}

struct reader gopclntab_frame_sizes(const struct gopclntab *table,
				    const struct go_function *function)
{
	return reader_at(table, table->pctab + function->pcsp);
}
