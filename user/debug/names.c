// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Hash tables of entries, and which of those with the last part of a name have the others too. */
#include "names.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "grow.h"
#include "name_path.h"
#include "state.h"

/* The parts of a name that an entry may have; a circle has no end. */
#define MAX_PARTS 64

static void table_free(struct name_table *table)
{
	free(table->heads);
	free(table->next);
}

void debug_names_free(struct names *names)
{
	table_free(&names->by_name);
	table_free(&names->by_linkage_name);
}

/* FNV-1a */
static uint32_t hash_of(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash;
}

static int read_all(struct debug_info *info)
{
	int err = 0;

	for (size_t i = 0; i < info->units.count && !err; i++)
		err = debug_entries_read(info, &info->units.list[i]);
	if (!err)
		info->names.has_all = true;
	return err;
}

static int table_new(struct name_table *table, size_t entries)
{
	size_t size = 256;

	while (size < entries)
		size *= 2;
	table->heads = malloc(size * sizeof(*table->heads));
	table->next = malloc((entries ? entries : 1) * sizeof(*table->next));
	if (!table->heads || !table->next) {
		table_free(table);
		*table = (struct name_table){ 0 };
		return -ENOMEM;
	}
	table->mask = size - 1;
	for (size_t i = 0; i < size; i++)
		table->heads[i] = NO_ENTRY;
	return 0;
}

static void table_add(struct name_table *table, const char *name, size_t length, uint32_t entry)
{
	uint32_t *head = &table->heads[hash_of(name, length) & table->mask];

	table->next[entry] = *head;
	*head = entry;
}

/* All units have been read before, so that no entry is added after. */
static int fill_by_name(struct debug_info *info)
{
	struct name_table *table = &info->names.by_name;
	int err = table_new(table, info->entries.count);

	for (size_t i = info->entries.count; !err && i-- > 0;) {
		const char *name = info->entries.list[i].name;

		if (name)
			table_add(table, name, name_path_plain_length(name, strlen(name)),
				  (uint32_t)i);
	}
	return err;
}

static int fill_by_linkage_name(struct debug_info *info)
{
	struct name_table *table = &info->names.by_linkage_name;
	int err = table_new(table, info->entries.count);

	for (size_t i = info->entries.count; !err && i-- > 0;) {
		const char *name;
		Dwarf_Die die;

		if (!(info->entries.list[i].kind & (ENTRY_FUNCTION | ENTRY_VARIABLE)) ||
		    !debug_entries_die(info, (uint32_t)i, &die))
			continue;
		name = die_linkage_name(&die);
		if (name)
			table_add(table, name, strlen(name), (uint32_t)i);
	}
	return err;
}

static int found_add(struct found_entries *found, uint32_t entry)
{
	uint32_t *list = grown(found->list, found->count, &found->room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	found->list = list;
	list[found->count++] = entry;
	return 0;
}

/* ---- which of those with the last part of the name have the others too ---- */

/* The entry where the thing was declared, in its scope. */
static uint32_t declared_at(struct debug_info *info, uint32_t entry)
{
	Dwarf_Die die, root;
	uint32_t declared;

	if (!debug_entries_die(info, entry, &die))
		return entry;
	root = die_root(&die);
	if (root.addr == die.addr)
		return entry;
	declared = debug_entries_find(info, &root);
	return declared == NO_ENTRY ? entry : declared;
}

/* A scope that people leave out. */
static bool is_transparent(struct debug_info *info, uint32_t entry)
{
	const struct entry *scope = &info->entries.list[entry];
	Dwarf_Die die;

	if (scope->kind != ENTRY_SCOPE)
		return false;
	return !scope->name ||
	       (debug_entries_die(info, entry, &die) && die_flag(&die, DW_AT_export_symbols));
}

static bool scope_is(const struct entry *scope, const struct name_part *part)
{
	return name_path_part_is(part, scope->name ? scope->name : "(anonymous namespace)");
}

enum match { MATCH_NOT, MATCH_END, MATCH_WHOLE };

/* The rest of a name, of that length, against the scopes of what its last part is. */
static enum match match_scopes(struct debug_info *info, const char *name, size_t length,
			       uint32_t entry)
{
	uint32_t scope = info->entries.list[declared_at(info, entry)].parent;
	struct name_part part;
	bool wanted = name_path_pop(name, &length, &part);

	for (int i = 0; i < MAX_PARTS && scope != NO_ENTRY; i++) {
		const struct entry *at = &info->entries.list[scope];

		if (wanted && scope_is(at, &part))
			wanted = name_path_pop(name, &length, &part);
		else if (!is_transparent(info, scope))
			return wanted ? MATCH_NOT : MATCH_END;
		scope = at->parent;
	}
	return wanted || scope != NO_ENTRY ? MATCH_NOT : MATCH_WHOLE;
}

/* Not what is only declared there; but a constant in a class is defined by its declaration. */
static bool is_wanted(struct debug_info *info, uint32_t entry, unsigned int kinds)
{
	Dwarf_Die die;

	return (info->entries.list[entry].kind & kinds) && debug_entries_die(info, entry, &die) &&
	       (!dwarf_hasattr(&die, DW_AT_declaration) || dwarf_hasattr(&die, DW_AT_const_value));
}

static int find_by_name(struct debug_info *info, const char *name, unsigned int kinds,
			enum match wanted, struct found_entries *found)
{
	const struct name_table *table = &info->names.by_name;
	size_t length = strlen(name);
	struct name_part part;
	uint32_t entry;
	int err = 0;

	if (!name_path_pop(name, &length, &part))
		return 0;
	entry = table->heads[hash_of(part.text, name_path_plain_length(part.text, part.length)) &
			     table->mask];
	for (; entry != NO_ENTRY && !err; entry = table->next[entry]) {
		if (name_path_part_is(&part, info->entries.list[entry].name) &&
		    is_wanted(info, entry, kinds) &&
		    match_scopes(info, name, length, entry) == wanted)
			err = found_add(found, entry);
	}
	return err;
}

static int find_by_linkage_name(struct debug_info *info, const char *name, unsigned int kinds,
				struct found_entries *found)
{
	const struct name_table *table = &info->names.by_linkage_name;
	int err = table->heads ? 0 : fill_by_linkage_name(info);
	uint32_t entry;

	if (err)
		return err;
	entry = table->heads[hash_of(name, strlen(name)) & table->mask];
	for (; entry != NO_ENTRY && !err; entry = table->next[entry]) {
		const char *own;
		Dwarf_Die die;

		if (!(info->entries.list[entry].kind & kinds) ||
		    !debug_entries_die(info, entry, &die))
			continue;
		own = die_linkage_name(&die);
		if (own && !strcmp(own, name))
			err = found_add(found, entry);
	}
	return err;
}

static int prepare(struct debug_info *info)
{
	int err = info->names.has_all ? 0 : read_all(info);

	if (!err && !info->names.by_name.heads)
		err = fill_by_name(info);
	return err;
}

int debug_names_find_whole(struct debug_info *info, const char *name, unsigned int kinds,
			   struct found_entries *found)
{
	int err = prepare(info);

	*found = (struct found_entries){ 0 };
	if (!strncmp(name, "::", 2))
		name += 2;
	if (!err)
		err = find_by_name(info, name, kinds, MATCH_WHOLE, found);
	if (err) {
		free(found->list);
		*found = (struct found_entries){ 0 };
	}
	return err;
}

int debug_names_find(struct debug_info *info, const char *name, unsigned int kinds,
		     struct found_entries *found)
{
	int err = debug_names_find_whole(info, name, kinds, found);

	if (!err && !found->count && strncmp(name, "::", 2) != 0)
		err = find_by_name(info, name, kinds, MATCH_END, found);
	if (!err && !found->count)
		err = find_by_linkage_name(info, name, kinds, found);
	if (err) {
		free(found->list);
		*found = (struct found_entries){ 0 };
	}
	return err;
}
