/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The symbols of one ELF file, sorted, and the search for the function at an address. */
#ifndef TRACER_SYMBOL_TABLE_H
#define TRACER_SYMBOL_TABLE_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#include "elf_file.h"

struct symbol_table;

/*
 * Names point into elf, which must outlive the table. 0 or -ENOMEM; what is malformed is left out.
 */
int symbol_table_load(Elf *elf, struct symbol_table **table);
void symbol_table_free(struct symbol_table *table);
/* As elf_file_symbols() and elf_file_function_at(). */
const struct elf_symbol *symbol_table_all(const struct symbol_table *table, size_t *count);
const struct elf_symbol *symbol_table_function_at(const struct symbol_table *table, uint64_t vaddr);

#endif
