/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Versions of the symbols that a library offers (.gnu.version and .gnu.version_d): a library may have
 * several functions of one name, for programs linked with it at different times.
 */
#ifndef TRACER_SYMBOL_VERSIONS_H
#define TRACER_SYMBOL_VERSIONS_H

#include <gelf.h>
#include <stddef.h>

struct elf_symbol;

struct symbol_versions {
	Elf_Data *indexes;  /* by the symbol's number; NULL: there are no versions */
	const char **names; /* by index; the file's */
};

/* 0 or -ENOMEM; what is malformed is left out. */
int symbol_versions_load(Elf *elf, struct symbol_versions *versions);
void symbol_versions_free(struct symbol_versions *versions);
/* Says in symbol, which is the number-th of .dynsym, what version it has. */
void symbol_versions_tell(const struct symbol_versions *versions, size_t number,
			  struct elf_symbol *symbol);

#endif
