// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions by name, with their inlined sites. */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"
#include "die.h"
#include "function_state.h"
#include "grow.h"
#include "state.h"

void debug_functions_free(struct debug_functions *functions)
{
	free(functions->list);
	*functions = (struct debug_functions){ 0 };
}

/* ---- functions that have code ---- */

static int add_own_code(struct debug_info *info, uint32_t entry, struct function_list *list)
{
	struct debug_function function;
	Dwarf_Die die;

	if (!debug_entries_die(info, entry, &die) ||
	    !function_describe(info, &die, NULL, &function))
		return 0;
	return function_list_add(list, &function);
}

/* ---- inlined sites ---- */

static int compare_pointers(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t) * (const void *const *)a;
	uintptr_t right = (uintptr_t) * (const void *const *)b;

	return left < right ? -1 : left > right;
}

/* The DIEs of the functions of a name, sorted, and the units that can have them inlined. */
struct wanted {
	const void **dies;
	size_t count;
	bool *units; /* those that have one of the DIEs */
};

static void wanted_free(struct wanted *wanted)
{
	free(wanted->dies);
	free(wanted->units);
}

static int wanted_new(struct debug_info *info, const struct found_entries *found,
		      struct wanted *wanted)
{
	*wanted = (struct wanted){
		.dies = calloc(found->count, sizeof(*wanted->dies)),
		.units = calloc(info->units.count, sizeof(*wanted->units)),
		.count = found->count,
	};
	if (!wanted->dies || !wanted->units) {
		wanted_free(wanted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < found->count; i++) {
		const struct entry *entry = &info->entries.list[found->list[i]];

		wanted->dies[i] = entry->die;
		wanted->units[entry->unit] = true;
	}
	qsort(wanted->dies, wanted->count, sizeof(*wanted->dies), compare_pointers);
	return 0;
}

static int add_inlined(struct debug_info *info, const struct unit *unit,
		       const struct inline_site *site, struct function_list *list)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->die.cu);
	struct debug_function function;
	Dwarf_Die die, host;

	if (!dwarf_die_addr_die(dwarf, (void *)site->die, &die) ||
	    !debug_entries_die(info, site->host, &host) ||
	    !function_describe(info, &die, &host, &function))
		return 0;
	return function_list_add(list, &function);
}

static int add_inlined_of_unit(struct debug_info *info, struct unit *unit,
			       const struct wanted *wanted, struct function_list *list)
{
	int err = bodies_read_inlines(info, unit);

	for (size_t i = 0; i < unit->inline_count && !err; i++) {
		if (bsearch(&unit->inlines[i].origin, wanted->dies, wanted->count,
			    sizeof(*wanted->dies), compare_pointers))
			err = add_inlined(info, unit, &unit->inlines[i], list);
	}
	return err;
}

static int add_all_inlined(struct debug_info *info, const struct found_entries *found,
			   struct function_list *list)
{
	struct wanted wanted;
	int err = wanted_new(info, found, &wanted);

	if (err)
		return err;
	for (size_t i = 0; i < info->units.count && !err; i++) {
		struct unit *unit = &info->units.list[i];

		if (wanted.units[i] || bodies_refer_elsewhere(unit))
			err = add_inlined_of_unit(info, unit, &wanted, list);
	}
	wanted_free(&wanted);
	return err;
}

static int compare_entries(const void *a, const void *b)
{
	const struct debug_function *left = a, *right = b;

	if (left->entry != right->entry)
		return left->entry < right->entry ? -1 : 1;
	return (uintptr_t)left->die < (uintptr_t)right->die ? -1 : left->die != right->die;
}

int debug_functions_named(struct debug_info *info, const char *name,
			  struct debug_functions *functions)
{
	struct function_list list = { 0 };
	struct found_entries found;
	int err = debug_names_find(info, name, ENTRY_FUNCTION, &found);

	*functions = (struct debug_functions){ 0 };
	if (err)
		return err;
	for (size_t i = 0; i < found.count && !err; i++)
		err = add_own_code(info, found.list[i], &list);
	if (!err && found.count)
		err = add_all_inlined(info, &found, &list);
	if (!err && !list.functions.count)
		err = -ENOENT;
	free(found.list);
	if (err) {
		debug_functions_free(&list.functions);
		return err;
	}
	qsort(list.functions.list, list.functions.count, sizeof(*list.functions.list),
	      compare_entries);
	*functions = list.functions;
	return 0;
}
