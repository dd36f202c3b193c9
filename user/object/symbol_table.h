/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The symbols of one ELF file, wherever they come from, sorted, and the search for the function at an
 * address. First symbols are added, then it is finished, then it is asked.
 */
#ifndef TRACER_SYMBOL_TABLE_H
#define TRACER_SYMBOL_TABLE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf_file.h"

struct symbol_table;

/* An empty table, which knows where code is in elf. 0 or -ENOMEM. */
int symbol_table_new(Elf *elf, struct symbol_table **table);
void symbol_table_free(struct symbol_table *table);

/* The name and version must outlive the table. 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, const struct elf_symbol *symbol);
/* How many functions were added: what is called one, not mere labels. */
size_t symbol_table_function_count(const struct symbol_table *table);
/* A string that lives as long as the table; NULL when there is no room for it. */
const char *symbol_table_keep_name(struct symbol_table *table, const char *name, size_t length);
/* Is vaddr in a section of code? */
bool symbol_table_is_code(const struct symbol_table *table, uint64_t vaddr);
/* 0 or -ENOMEM. */
int symbol_table_finish(struct symbol_table *table);

/* As elf_file_symbols() and elf_file_function_at(). */
const struct elf_symbol *symbol_table_all(const struct symbol_table *table, size_t *count);
const struct elf_symbol *symbol_table_function_at(const struct symbol_table *table, uint64_t vaddr);

#endif
