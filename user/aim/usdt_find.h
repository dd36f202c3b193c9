/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From PROVIDER:NAME as a person writes it to the notes of a file. */
#ifndef TRACER_USDT_FIND_H
#define TRACER_USDT_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "../object/usdt_notes.h"

struct elf_file;

/* Is it more than one name? */
bool usdt_name_is_pattern(const char *name);
/*
 * The file's notes, by provider, name and address. 0; or -errno after a message that begins with option and says
 * what to do. To be freed in any case; path is for the message.
 */
int usdt_find_all(const char *option, struct elf_file *file, const char *path,
		  struct usdt_notes *notes);
/*
 * Likewise, but only those that match: provider and name are names or globs; provider NULL: whichever, if it is
 * one only.
 */
int usdt_find(const char *option, struct elf_file *file, const char *path, const char *provider,
	      const char *name, struct usdt_notes *notes);
/* Are both of one probe? */
bool usdt_is_same(const struct usdt_note *left, const struct usdt_note *right);

#endif
