// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --list usdt: a line for each probe, with its arguments as its first place has them. */
#include "list_usdt.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aim/usdt_find.h"
#include "base/escape.h"
#include "base/log.h"
#include "object/elf_file.h"
#include "object/usdt_args.h"
#include "options.h"

#define SHOWN 512

/* Of the whole, or of the name alone; a pattern without wildcards may stand anywhere. */
static bool is_listed(const struct usdt_note *note, const char *full, const char *pattern)
{
	if (!pattern)
		return true;
	if (usdt_name_is_pattern(pattern))
		return !fnmatch(pattern, full, 0) || !fnmatch(pattern, note->name, 0);
	return strstr(full, pattern) != NULL;
}

/* " s32 u64 f64": sign and bits; what cannot be read in parentheses. */
static void print_arguments(struct elf_file *file, const struct usdt_note *note)
{
	struct usdt_arguments arguments;

	usdt_arguments_parse(elf_file_machine(file), note->arguments, &arguments);
	usdt_arguments_resolve(&arguments, file, note->vaddr);
	if (!arguments.count)
		fputs(" none", stdout);
	for (size_t i = 0; i < arguments.count; i++) {
		const struct usdt_argument *argument = &arguments.list[i];
		char kind = argument->is_float ? 'f' : argument->is_signed ? 's' : 'u';

		printf(argument->unreadable ? " (%c%u)" : " %c%u", kind, 8 * argument->size);
	}
}

static void print_probe(struct elf_file *file, const struct usdt_note *note, const char *full,
			size_t places)
{
	char shown[SHOWN];

	printf("%-40s %5zu  %-9s", escape_terminal(shown, sizeof(shown), full), places,
	       note->semaphore ? "yes" : "no");
	print_arguments(file, note);
	putchar('\n');
}

/* How many of the notes from there on are of one probe. */
static size_t count_places(const struct usdt_notes *notes, size_t first)
{
	size_t count = 1;

	while (first + count < notes->count &&
	       usdt_is_same(&notes->list[first], &notes->list[first + count]))
		count++;
	return count;
}

static size_t print_all(struct elf_file *file, const struct usdt_notes *notes, const char *pattern)
{
	size_t listed = 0, places;

	printf("#%-39s %5s  %-9s %s\n", " PROVIDER:NAME", "SITES", "SEMAPHORE", "ARGUMENTS");
	for (size_t i = 0; i < notes->count; i += places) {
		char full[SHOWN / 4];

		places = count_places(notes, i);
		snprintf(full, sizeof(full), "%s:%s", notes->list[i].provider, notes->list[i].name);
		if (!is_listed(&notes->list[i], full, pattern))
			continue;
		print_probe(file, &notes->list[i], full, places);
		listed++;
	}
	return listed;
}

int list_usdt(const struct options *options, struct elf_file *file, const char *path)
{
	struct usdt_notes notes;
	int status = EXIT_FAILURE;

	if (!usdt_find_all("--list", file, path, &notes)) {
		if (print_all(file, &notes, options->list_pattern))
			status = EXIT_SUCCESS;
		else
			log_error("--list: %s has no USDT probes that match %s",
				  options->list_binary, options->list_pattern);
	}
	usdt_notes_free(&notes);
	return status;
}
