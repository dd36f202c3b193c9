// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scope by scope to the outermost; kept by DIE. */
#include "qualify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "die.h"
#include "state.h"

#define MAX_SCOPES 64

struct kept_text {
	const void *die;
	char *text;
	UT_hash_handle hh;
};

/* The scopes of an entry, innermost first. */
static size_t scopes_of(const struct entries *entries, uint32_t entry,
			const char *scopes[static MAX_SCOPES])
{
	size_t count = 0;

	while (entry != NO_ENTRY && count < MAX_SCOPES) {
		const struct entry *scope = &entries->list[entry];

		if (scope->name)
			scopes[count++] = scope->name;
		else
			scopes[count++] = scope->kind == ENTRY_SCOPE ? "(anonymous namespace)" :
								       "(anonymous)";
		entry = scope->parent;
	}
	return count;
}

static char *write_name(struct debug_info *info, Dwarf_Die *root, const char *name)
{
	uint32_t entry = debug_entries_find(info, root);
	const char *scopes[MAX_SCOPES];
	char *text = NULL;
	size_t size, count;
	FILE *stream;

	count = entry == NO_ENTRY ?
			0 :
			scopes_of(&info->entries, info->entries.list[entry].parent, scopes);
	stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	while (count-- > 0)
		fprintf(stream, "%s::", scopes[count]);
	fputs(name, stream);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

static const char *keep(struct debug_info *info, const void *die, char *text)
{
	struct kept_text *kept = text ? calloc(1, sizeof(*kept)) : NULL;

	if (!kept) {
		free(text);
		return NULL;
	}
	kept->die = die;
	kept->text = text;
	HASH_ADD_PTR(info->qualified, die, kept);
	if (!kept->hh.tbl) {
		free(kept->text);
		free(kept);
		return NULL;
	}
	return kept->text;
}

const char *qualified_name(struct debug_info *info, Dwarf_Die *die)
{
	const struct unit *unit = unit_of(info, die);
	const char *name = dwarf_diename(die);
	Dwarf_Die root = die_root(die);
	struct kept_text *kept;
	const void *key = root.addr;

	if (!name || !unit || unit->language == UNIT_C)
		return name;
	HASH_FIND_PTR(info->qualified, &key, kept);
	return kept ? kept->text : keep(info, key, write_name(info, &root, name));
}

void qualified_free(struct debug_info *info)
{
	struct kept_text *kept, *next;

	HASH_ITER(hh, info->qualified, kept, next) {
		HASH_DEL(info->qualified, kept);
		free(kept->text);
		free(kept);
	}
}
