// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of units, sorted so that a DIE's is found fast; and the code of each. */
#include "units.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "grow.h"
#include "state.h"

#define MAX_RANGES 65536

static enum unit_language language_of(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case -1: /* one of dwz's, or assembly */
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_ObjC:
	case DW_LANG_Mips_Assembler:
	case 0x2c: /* DW_LANG_C17 */
		return UNIT_C;
	default:
		return UNIT_OTHER;
	}
}

static int list_units_of(Dwarf *dwarf, struct units *units, size_t *room)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	Dwarf_Half version;
	uint8_t type;

	while (!dwarf_get_units(dwarf, cu, &cu, &version, &type, &die, &split)) {
		struct unit *unit = grown(units->list, units->count, room, sizeof(*unit));

		if (!unit)
			return -ENOMEM;
		units->list = unit;
		unit += units->count++;
		*unit = (struct unit){ .die = die, .outer = die };
		if (type == DW_UT_skeleton && split.addr)
			unit->die = split;
		unit->language = language_of(&unit->die);
		unit->has_lines = type == DW_UT_compile || type == DW_UT_skeleton;
	}
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t)((const struct unit *)a)->die.addr;
	uintptr_t right = (uintptr_t)((const struct unit *)b)->die.addr;

	return left < right ? -1 : left > right;
}

int debug_units_list(struct debug_info *info)
{
	/* Asked for first, since references into it fail without it. */
	Dwarf *alternate = dwarf_getalt(info->dwarf);
	size_t room = 0;
	int err = list_units_of(info->dwarf, &info->units, &room);

	if (!err && alternate)
		err = list_units_of(alternate, &info->units, &room);
	if (!err && info->units.count)
		qsort(info->units.list, info->units.count, sizeof(*info->units.list),
		      compare_places);
	return err;
}

void debug_units_free(struct units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		free(units->list[i].inlines);
		free(units->list[i].code);
	}
	free(units->list);
	free(units->code);
}

static struct unit *unit_by_place(struct units *units, void *place)
{
	const struct unit wanted = { .die.addr = place };

	return units->count ?
		       bsearch(&wanted, units->list, units->count, sizeof(wanted), compare_places) :
		       NULL;
}

struct unit *unit_of(struct debug_info *info, Dwarf_Die *die)
{
	Dwarf_Die root;

	if (!dwarf_diecu(die, &root, NULL, NULL))
		return NULL;
	return unit_by_place(&info->units, root.addr);
}

static struct unit *unit_by_outer(struct units *units, const Dwarf_Die *outer)
{
	struct unit *unit = unit_by_place(units, outer->addr);

	for (size_t i = 0; !unit && i < units->count; i++) {
		if (units->list[i].outer.addr == outer->addr)
			unit = &units->list[i];
	}
	return unit;
}

static int add_code_of(struct units *units, uint32_t index, size_t *room)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	for (int i = 0; i < MAX_RANGES; i++) {
		struct code_of_unit *code;

		offset = dwarf_ranges(&units->list[index].outer, offset, &base, &start, &end);
		if (offset <= 0)
			break;
		if (start >= end)
			continue;
		code = grown(units->code, units->code_count, room, sizeof(*code));
		if (!code)
			return -ENOMEM;
		units->code = code;
		code[units->code_count++] = (struct code_of_unit){ start, end, index };
	}
	return 0;
}

static int compare_code(const void *a, const void *b)
{
	const struct code_of_unit *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

static int read_code(struct units *units)
{
	size_t room = 0;
	int err = 0;

	for (size_t i = 0; i < units->count && !err; i++)
		err = add_code_of(units, (uint32_t)i, &room);
	if (err) {
		free(units->code);
		units->code = NULL;
		units->code_count = 0;
		return err;
	}
	if (units->code_count)
		qsort(units->code, units->code_count, sizeof(*units->code), compare_code);
	units->has_code = true;
	return 0;
}

/* .debug_aranges may be there for some of the units only: gcc writes it, clang does not. */
static int unit_by_ranges(struct units *units, uint64_t vaddr, struct unit **unit)
{
	size_t low = 0, high;
	int err = units->has_code ? 0 : read_code(units);

	if (err)
		return err;
	high = units->code_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (units->code[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || vaddr >= units->code[low - 1].end)
		return -ENOENT;
	*unit = &units->list[units->code[low - 1].unit];
	return 0;
}

int unit_at(struct debug_info *info, uint64_t vaddr, struct unit **unit)
{
	Dwarf_Die outer;

	if (dwarf_addrdie(info->dwarf, vaddr, &outer)) {
		*unit = unit_by_outer(&info->units, &outer);
		if (*unit)
			return 0;
	}
	return unit_by_ranges(&info->units, vaddr, unit);
}
