/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a name as a person writes it to the symbols of a file. Messages are said here; option begins them. */
#ifndef TRACER_SYMBOL_FIND_H
#define TRACER_SYMBOL_FIND_H

#include <stdbool.h>
#include <stddef.h>

struct elf_file;
struct elf_symbol;

/* Symbols at different addresses. The array is owned, the symbols are the file's. */
struct symbol_matches {
	const struct elf_symbol **symbols;
	size_t count;
};

void symbol_matches_free(struct symbol_matches *matches);

/* Is it a glob or a /regex/, and not the name of one thing? As far as the text tells: C++ has operator*. */
bool symbol_name_is_pattern(const char *name);
/*
 * The one function, or variable, of that name: as it stands in the file, or demangled, with or without its
 * parameters. Says what is wrong: none, with those near it, or several. 0 or -errno.
 */
int symbol_find(const char *option, struct elf_file *file, const char *name, bool is_function,
		const struct elf_symbol **symbol);
/*
 * The function of that name; when there is none and it is a pattern, all that match it, by their mangled
 * names, or demangled with or without parameters. 0; -ENOENT, of which nothing is said yet; or -errno, with a
 * message.
 */
int symbol_find_functions(const char *option, struct elf_file *file, const char *name,
			  struct symbol_matches *matches);

/* There is none: says so, with those that are near. */
void symbol_report_none(const char *option, struct elf_file *file, const char *name);

/* As it is shown: demangled, where it can be. A malloc'ed string; NULL without memory. */
char *symbol_readable(const struct elf_symbol *symbol);

#endif
