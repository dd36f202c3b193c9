/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a switch goes, when it is written as compilers for x86-64 write it. */
#ifndef TRACER_JUMP_TABLE_H
#define TRACER_JUMP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/* Offsets of 4 bytes, relative to the table. */
struct jump_table {
	uint64_t vaddr;
	uint32_t count; /* 0: there is none */
};

/* The table that the indirect jump at vaddr jumps by. */
struct jump_table jump_table_at(const struct elf_file *file, uint64_t vaddr);
bool jump_table_target(const struct elf_file *file, const struct jump_table *table, uint32_t index,
		       uint64_t *target);

#endif
