// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --list: what can be probed or watched in a binary, as it would be named on the command line. */
#include <elf.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "list.h"
#include "list_events.h"
#include "list_usdt.h"
#include "object/elf_file.h"
#include "aim/binary.h"
#include "symbol/demangle.h"

static bool is_wanted(const struct elf_symbol *symbol, bool variables)
{
	if (variables)
		return (symbol->type == STT_OBJECT || symbol->type == STT_TLS) && symbol->size;
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
}

/* A pattern without wildcards is one that may stand anywhere in the name. */
static bool matches(const char *name, const char *pattern)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, name, 0);
	return strstr(name, pattern) != NULL;
}

static const char *note_of(const struct elf_symbol *symbol)
{
	if (symbol->type == STT_GNU_IFUNC)
		return "  (IFUNC: chosen at run time)";
	if (symbol->type == STT_TLS)
		return "  (thread-local: a copy in each thread)";
	return "";
}

/*
 * Of a function for programs linked long ago the version is part of what it goes by; a variable with one is
 * mostly a program's copy of a library's, which is meant by its name alone.
 */
static const char *old_version_of(const struct elf_symbol *symbol)
{
	bool is_function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;

	return is_function && !symbol->is_default_version ? symbol->version : NULL;
}

static bool list_symbol(const struct elf_symbol *symbol, const char *pattern)
{
	char *readable = demangle(symbol->name);
	const char *name = readable ? readable : symbol->name, *version = old_version_of(symbol);
	bool listed = matches(name, pattern) || matches(symbol->name, pattern);
	char shown[4096], shown_version[256] = "";

	if (version)
		escape_terminal(shown_version, sizeof(shown_version), version);
	if (listed)
		printf("0x%08" PRIx64 " %8" PRIu64 "  %s%s%s%s\n", symbol->vaddr, symbol->size,
		       escape_terminal(shown, sizeof(shown), name), version ? "@" : "",
		       shown_version, note_of(symbol));
	free(readable);
	return listed;
}

static int list_file(const struct options *options, struct elf_file *file)
{
	size_t count, listed = 0;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	printf("#  ADDRESS     SIZE  NAME\n");
	for (size_t i = 0; i < count; i++)
		if (is_wanted(&symbols[i], options->list == LIST_VARIABLES))
			listed += list_symbol(&symbols[i], options->list_pattern);
	if (listed)
		return EXIT_SUCCESS;
	log_error("--list: %s has no %s%s%s", options->list_binary,
		  options->list == LIST_VARIABLES ? "variables" : "functions",
		  options->list_pattern ? " that match " : "",
		  options->list_pattern ? options->list_pattern : "");
	return EXIT_FAILURE;
}

static int list_symbols(const struct options *options)
{
	struct elf_file *file = NULL;
	char path[PATH_MAX];
	int status;

	if (binary_find(options->list_binary, NULL, 0, path)) {
		log_error("--list: there is no program or library %s", options->list_binary);
		return EXIT_FAILURE;
	}
	if (binary_open("--list", path, &file))
		return EXIT_FAILURE;
	status = options->list == LIST_USDT ? list_usdt(options, file, path) :
					      list_file(options, file);
	elf_file_close(file);
	return status;
}

int list_run(const struct options *options)
{
	if (options->list == LIST_EVENTS)
		return list_events(options);
	return list_symbols(options);
}
