// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * .dynsym has what a library offers, and is always read. Of the other sources, each of which has all functions,
 * the first that has any is enough: the further ones cost more and say less.
 */
#include "symbol_sources.h"

#include <stddef.h>

#include "debug_file.h"
#include "elf_file_state.h"
#include "gopclntab.h"
#include "mini_debug.h"
#include "symbol_section.h"
#include "symbol_table.h"

typedef int (*source_fn)(struct elf_file *file, struct symbol_table *table);

static int add_own(struct elf_file *file, struct symbol_table *table)
{
	return symbol_section_add(file->elf, SHT_SYMTAB, table);
}

static int add_debug_file(struct elf_file *file, struct symbol_table *table)
{
	struct elf_file *debug = elf_file_debug(file);

	return debug ? symbol_section_add(debug->elf, SHT_SYMTAB, table) : 0;
}

static int add_mini_debug(struct elf_file *file, struct symbol_table *table)
{
	int err = file->mini.file ? 0 : mini_debug_open(file, &file->mini);

	if (!err && file->mini.file)
		err = symbol_section_add(file->mini.file->elf, SHT_SYMTAB, table);
	return err;
}

/* Go has all its functions in a table that no stripping removes. */
static int add_go(struct elf_file *file, struct symbol_table *table)
{
	struct gopclntab functions;
	struct go_function function;
	int err = 0;

	if (!gopclntab_open(file, &functions))
		return 0;
	for (uint64_t i = 0; i < functions.count && !err; i++) {
		if (gopclntab_function(&functions, i, &function))
			err = symbol_table_add(table, &(struct elf_symbol){
							      .name = function.name,
							      .vaddr = function.start,
							      .size = function.end - function.start,
							      .type = STT_FUNC,
							      .bind = STB_LOCAL,
						      });
	}
	return err;
}

static int add_sources(struct elf_file *file, struct symbol_table *table)
{
	static const source_fn sources[] = { add_own, add_debug_file, add_mini_debug, add_go };
	size_t before;
	int err = symbol_section_add(file->elf, SHT_DYNSYM, table);

	before = symbol_table_function_count(table);
	for (size_t i = 0; !err && i < sizeof(sources) / sizeof(*sources); i++) {
		if (symbol_table_function_count(table) == before)
			err = sources[i](file, table);
	}
	return err;
}

int symbol_sources_load(struct elf_file *file, struct symbol_table **table)
{
	int err = symbol_table_new(file->elf, table);

	/* In a relocatable file a symbol's value is no address: there are none to tell. */
	if (!err && file->header.e_type != ET_REL)
		err = add_sources(file, *table);
	if (!err)
		err = symbol_table_finish(*table);
	if (err) {
		symbol_table_free(*table);
		*table = NULL;
	}
	return err;
}
