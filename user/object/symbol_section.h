/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The symbols of a section of an ELF file. */
#ifndef TRACER_SYMBOL_SECTION_H
#define TRACER_SYMBOL_SECTION_H

#include <gelf.h>
#include <stdint.h>

struct symbol_table;

/*
 * Adds those of every section of a type, SHT_SYMTAB or SHT_DYNSYM, that have a name and an address.
 * Names point into elf, which must outlive the table. 0 or -ENOMEM; what is malformed is left out.
 */
int symbol_section_add(Elf *elf, uint32_t type, struct symbol_table *table);

#endif
