// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Going through a unit, but not into functions. */
#include "entries.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "die.h"
#include "grow.h"
#include "state.h"

void debug_entries_free(struct entries *entries)
{
	free(entries->list);
}

static bool is_member_variable(Dwarf_Die *die)
{
	/* Before DWARF 5, a static data member is a member that is only declared. */
	return dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_external);
}

/* What an entry is made of; 0: nothing. */
static int kind_of(Dwarf_Die *die, enum unit_language language)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		return ENTRY_FUNCTION;
	case DW_TAG_variable:
		return ENTRY_VARIABLE;
	case DW_TAG_member:
		return language != UNIT_C && is_member_variable(die) ? ENTRY_VARIABLE : 0;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return ENTRY_TYPE;
	case DW_TAG_namespace:
	case DW_TAG_module:
		return ENTRY_SCOPE;
	default:
		return 0;
	}
}

/* Can it hold what others want by name? */
static bool is_scope(Dwarf_Die *die, enum unit_language language)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return language != UNIT_C;
	default:
		return false;
	}
}

struct scan {
	struct debug_info *info;
	const struct unit *unit;
	struct die_walk walk;
};

static int add(struct scan *scan, Dwarf_Die *die, int kind, uint32_t parent)
{
	struct entries *entries = &scan->info->entries;
	struct entry *list =
		grown(entries->list, entries->count, &entries->room, sizeof(*entries->list));

	if (!list || entries->count >= NO_ENTRY)
		return -ENOMEM;
	entries->list = list;
	list[entries->count++] = (struct entry){
		.die = die->addr,
		.name = dwarf_diename(die),
		.unit = (uint32_t)(scan->unit - scan->info->units.list),
		.parent = parent,
		.kind = (uint8_t)kind,
	};
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion) as deep as DIE_MAX_DEPTH */
static int scan_children(struct scan *scan, Dwarf_Die *parent, uint32_t parent_entry, int depth)
{
	enum unit_language language = scan->unit->language;
	Dwarf_Die die;
	int err = 0;

	if (depth > DIE_MAX_DEPTH || dwarf_child(parent, &die))
		return 0;
	do {
		int kind = kind_of(&die, language);

		if (!die_walk_on(&scan->walk, &die))
			break;
		if (!kind)
			continue;
		err = add(scan, &die, kind, parent_entry);
		if (!err && is_scope(&die, language))
			err = scan_children(scan, &die, (uint32_t)scan->info->entries.count - 1,
					    depth + 1);
	} while (!err && !dwarf_siblingof(&die, &die));
	return err;
}

int debug_entries_read(struct debug_info *info, struct unit *unit)
{
	struct scan scan = { .info = info, .unit = unit };
	size_t first = info->entries.count;
	int err;

	if (unit->is_scanned)
		return 0;
	err = scan_children(&scan, &unit->die, NO_ENTRY, 0);
	if (err) {
		info->entries.count = first;
		return err;
	}
	unit->first_entry = (uint32_t)first;
	unit->entry_count = (uint32_t)(info->entries.count - first);
	unit->is_scanned = true;
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t)((const struct entry *)a)->die;
	uintptr_t right = (uintptr_t)((const struct entry *)b)->die;

	return left < right ? -1 : left > right;
}

uint32_t debug_entries_find(struct debug_info *info, Dwarf_Die *die)
{
	const struct entry wanted = { .die = die->addr };
	struct unit *unit = unit_of(info, die);
	const struct entry *found;

	if (!unit || debug_entries_read(info, unit) || !unit->entry_count)
		return NO_ENTRY;
	found = bsearch(&wanted, info->entries.list + unit->first_entry, unit->entry_count,
			sizeof(wanted), compare_places);
	return found ? (uint32_t)(found - info->entries.list) : NO_ENTRY;
}

bool debug_entries_die(struct debug_info *info, uint32_t entry, Dwarf_Die *die)
{
	const struct entry *wanted = &info->entries.list[entry];
	Dwarf *dwarf = dwarf_cu_getdwarf(info->units.list[wanted->unit].die.cu);

	return dwarf_die_addr_die(dwarf, wanted->die, die) != NULL;
}
