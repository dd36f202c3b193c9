// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The constants of an enumeration. */
#include <dwarf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "die.h"
#include "type_state.h"

typedef bool (*wanted_fn)(const void *wanted, size_t index, const char *name, int64_t value);

static int find(struct debug_type *type, wanted_fn is_wanted, const void *wanted, const char **name,
		int64_t *value)
{
	struct die_walk walk = { NULL };
	size_t index = 0;
	Dwarf_Die die;

	type_settle(type);
	if (type->kind != DEBUG_KIND_ENUM || dwarf_child(&type->bare, &die))
		return -ENOENT;
	do {
		if (!die_walk_on(&walk, &die))
			break;
		if (dwarf_tag(&die) != DW_TAG_enumerator ||
		    !die_constant(&die, DW_AT_const_value, value))
			continue;
		*name = dwarf_diename(&die);
		if (*name && is_wanted(wanted, index++, *name, *value))
			return 0;
	} while (!dwarf_siblingof(&die, &die));
	return -ENOENT;
}

static bool has_index(const void *wanted, size_t index, const char *name, int64_t value)
{
	(void)name;
	(void)value;
	return index == *(const size_t *)wanted;
}

static bool has_value(const void *wanted, size_t index, const char *name, int64_t value)
{
	(void)index;
	(void)name;
	return value == *(const int64_t *)wanted;
}

static bool has_name(const void *wanted, size_t index, const char *name, int64_t value)
{
	(void)index;
	(void)value;
	return !strcmp(name, wanted);
}

int debug_type_enumerator(struct debug_type *type, size_t index, const char **name, int64_t *value)
{
	return find(type, has_index, &index, name, value);
}

const char *debug_type_enumerator_of(struct debug_type *type, int64_t value)
{
	const char *name;
	int64_t found;

	return find(type, has_value, &value, &name, &found) ? NULL : name;
}

int debug_type_enumerator_named(struct debug_type *type, const char *name, int64_t *value)
{
	const char *found;

	return find(type, has_name, name, &found, value);
}
