/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a file's symbols come from. */
#ifndef TRACER_SYMBOL_SOURCES_H
#define TRACER_SYMBOL_SOURCES_H

struct elf_file;
struct symbol_table;

/*
 * All that can be had; names point into file and what belongs to it. 0 or -ENOMEM; what is malformed is
 * left out.
 */
int symbol_sources_load(struct elf_file *file, struct symbol_table **table);

#endif
