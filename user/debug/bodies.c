// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Going into functions, a unit at a time, and only when it is asked for. */
#include "bodies.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "die.h"
#include "grow.h"
#include "state.h"

#define MAX_RANGES 65536

/* NOLINTNEXTLINE(misc-no-recursion) as deep as DIE_MAX_DEPTH */
static int walk_children(Dwarf_Die *parent, struct die_walk *walk, body_visit_fn visit, void *data,
			 int depth)
{
	Dwarf_Die die;
	int err = 0;

	if (depth > DIE_MAX_DEPTH || dwarf_child(parent, &die))
		return 0;
	do {
		if (!die_walk_on(walk, &die))
			break;
		err = visit(data, &die);
		if (!err)
			err = walk_children(&die, walk, visit, data, depth + 1);
	} while (!err && !dwarf_siblingof(&die, &die));
	return err;
}

int body_walk(Dwarf_Die *function, body_visit_fn visit, void *data)
{
	struct die_walk walk = { NULL };

	return walk_children(function, &walk, visit, data, 0);
}

/* ---- inlined sites ---- */

struct inline_scan {
	struct unit *unit;
	size_t room;
	uint32_t host;
};

static int visit_inlined(void *data, Dwarf_Die *die)
{
	struct inline_scan *scan = data;
	struct unit *unit = scan->unit;
	struct inline_site *sites;
	Dwarf_Die origin;

	if (dwarf_tag(die) != DW_TAG_inlined_subroutine ||
	    !die_reference(die, DW_AT_abstract_origin, &origin))
		return 0;
	sites = grown(unit->inlines, unit->inline_count, &scan->room, sizeof(*sites));
	if (!sites)
		return -ENOMEM;
	unit->inlines = sites;
	sites[unit->inline_count++] = (struct inline_site){
		.origin = origin.addr,
		.die = die->addr,
		.host = scan->host,
	};
	return 0;
}

static int read_inlines_of(struct debug_info *info, struct inline_scan *scan, uint32_t entry)
{
	Dwarf_Die die;

	if (info->entries.list[entry].kind != ENTRY_FUNCTION ||
	    !debug_entries_die(info, entry, &die))
		return 0;
	scan->host = entry;
	return body_walk(&die, visit_inlined, scan);
}

int bodies_read_inlines(struct debug_info *info, struct unit *unit)
{
	struct inline_scan scan = { .unit = unit };
	int err = unit->has_inlines ? 0 : debug_entries_read(info, unit);

	if (err || unit->has_inlines)
		return err;
	for (uint32_t i = 0; i < unit->entry_count && !err; i++)
		err = read_inlines_of(info, &scan, unit->first_entry + i);
	if (err) {
		free(unit->inlines);
		unit->inlines = NULL;
		unit->inline_count = 0;
		return err;
	}
	unit->has_inlines = true;
	return 0;
}

static bool abbreviation_refers_elsewhere(Dwarf_Abbrev *abbreviation)
{
	size_t count;

	if (dwarf_getabbrevtag(abbreviation) != DW_TAG_inlined_subroutine ||
	    dwarf_getattrcnt(abbreviation, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		unsigned int name, form;
		Dwarf_Off offset;

		if (dwarf_getabbrevattr(abbreviation, i, &name, &form, &offset))
			return false;
		if (name == DW_AT_abstract_origin && form != DW_FORM_ref1 && form != DW_FORM_ref2 &&
		    form != DW_FORM_ref4 && form != DW_FORM_ref8 && form != DW_FORM_ref_udata)
			return true;
	}
	return false;
}

/* Told by the unit's abbreviations, which are much less than its DIEs. */
bool bodies_refer_elsewhere(struct unit *unit)
{
	Dwarf_Off offset = 0;
	size_t length;
	Dwarf_Abbrev *abbreviation;

	while ((abbreviation = dwarf_getabbrev(&unit->die, offset, &length)) &&
	       abbreviation != DWARF_END_ABBREV) {
		if (abbreviation_refers_elsewhere(abbreviation))
			return true;
		offset += length;
	}
	return false;
}

/* ---- functions by address ---- */

static int add_code(struct debug_info *info, struct unit *unit, size_t *room, uint32_t entry)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	Dwarf_Die die;

	if (info->entries.list[entry].kind != ENTRY_FUNCTION ||
	    !debug_entries_die(info, entry, &die))
		return 0;
	for (int i = 0; i < MAX_RANGES; i++) {
		struct code_of_entry *code;

		offset = dwarf_ranges(&die, offset, &base, &start, &end);
		if (offset <= 0)
			break;
		if (start >= end || !debug_info_is_code(info, start))
			continue;
		code = grown(unit->code, unit->code_count, room, sizeof(*code));
		if (!code)
			return -ENOMEM;
		unit->code = code;
		code[unit->code_count++] = (struct code_of_entry){ start, end, entry };
	}
	return 0;
}

static int compare_code(const void *a, const void *b)
{
	const struct code_of_entry *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

static int read_code(struct debug_info *info, struct unit *unit)
{
	int err = debug_entries_read(info, unit);
	size_t room = 0;

	for (uint32_t i = 0; i < unit->entry_count && !err; i++)
		err = add_code(info, unit, &room, unit->first_entry + i);
	if (err) {
		free(unit->code);
		unit->code = NULL;
		unit->code_count = 0;
		return err;
	}
	if (unit->code_count)
		qsort(unit->code, unit->code_count, sizeof(*unit->code), compare_code);
	unit->has_code = true;
	return 0;
}

int bodies_function_at(struct debug_info *info, struct unit *unit, uint64_t vaddr, uint32_t *entry)
{
	size_t low = 0, high;
	int err = unit->has_code ? 0 : read_code(info, unit);

	if (err)
		return err;
	high = unit->code_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->code[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || vaddr >= unit->code[low - 1].end)
		return -ENOENT;
	*entry = unit->code[low - 1].entry;
	return 0;
}
