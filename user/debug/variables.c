// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Variables by name: first outside of functions, then in them. */
#include "variables.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"
#include "die.h"
#include "grow.h"
#include "locate.h"
#include "name_path.h"
#include "qualify.h"
#include "source_file.h"
#include "state.h"
#include "tls_symbol.h"
#include "type_state.h"

void debug_variables_free(struct debug_variables *variables)
{
	for (size_t i = 0; i < variables->count; i++)
		debug_location_free(&variables->list[i].location);
	free(variables->list);
	*variables = (struct debug_variables){ 0 };
}

struct search {
	struct debug_info *info;
	struct debug_variables *found;
	size_t room;
	/* Of those in functions: */
	struct name_part name;
	const char *function;
};

static bool is_fixed(const struct debug_location *location)
{
	return location->place == DEBUG_PLACE_MEMORY || location->place == DEBUG_PLACE_TLS;
}

/* As of an inline variable, which every unit that uses it describes. */
static bool is_known(const struct debug_variables *found, const struct debug_location *location)
{
	for (size_t i = 0; i < found->count && is_fixed(location); i++) {
		const struct debug_location *other = &found->list[i].location;

		if (other->place == location->place && other->offset == location->offset)
			return true;
	}
	return false;
}

/* Takes the location over. */
static int add(struct search *search, Dwarf_Die *die, struct debug_location *location)
{
	struct debug_variables *found = search->found;
	struct debug_variable *list;

	if (is_known(found, location)) {
		debug_location_free(location);
		return 0;
	}
	list = grown(found->list, found->count, &search->room, sizeof(*list));
	if (!list) {
		debug_location_free(location);
		return -ENOMEM;
	}
	found->list = list;
	list += found->count++;
	*list = (struct debug_variable){
		.name = qualified_name(search->info, die),
		.function = search->function,
		.type = type_of(search->info, die),
		.location = *location,
		.file = source_file(die, DW_AT_decl_file),
		.line = source_line(die, DW_AT_decl_line),
	};
	return 0;
}

static int add_outside(struct search *search, uint32_t entry)
{
	struct debug_location location;
	Dwarf_Die die;
	int err;

	if (!debug_entries_die(search->info, entry, &die))
		return 0;
	err = locate(&die, NULL, 0, &location);
	if (err)
		return err;
	if (location.place == DEBUG_PLACE_UNKNOWN && !dwarf_hasattr(&die, DW_AT_location) &&
	    tls_symbol(search->info->dwarf, &die, &location.offset))
		location.place = DEBUG_PLACE_TLS;
	return add(search, &die, &location);
}

static int find_outside(struct search *search, const char *name)
{
	struct found_entries found;
	int err = debug_names_find(search->info, name, ENTRY_VARIABLE, &found);

	for (size_t i = 0; i < found.count && !err; i++)
		err = add_outside(search, found.list[i]);
	free(found.list);
	return err;
}

static int visit_variable(void *data, Dwarf_Die *die)
{
	struct search *search = data;
	struct debug_location location;
	const char *name;
	int err;

	if (dwarf_tag(die) != DW_TAG_variable || !dwarf_hasattr(die, DW_AT_location))
		return 0;
	name = dwarf_diename(die);
	if (!name || !name_path_part_is(&search->name, name))
		return 0;
	err = locate(die, NULL, 0, &location);
	if (err)
		return err;
	if (is_fixed(&location) && !location.is_of_address)
		return add(search, die, &location);
	debug_location_free(&location);
	return 0;
}

static int find_in_function(struct search *search, uint32_t entry)
{
	Dwarf_Die die;

	if (search->info->entries.list[entry].kind != ENTRY_FUNCTION ||
	    !debug_entries_die(search->info, entry, &die))
		return 0;
	search->function = qualified_name(search->info, &die);
	return body_walk(&die, visit_variable, search);
}

/* In the functions of a name. */
static int find_in_named(struct search *search, const char *function)
{
	struct found_entries found;
	int err = debug_names_find(search->info, function, ENTRY_FUNCTION, &found);

	for (size_t i = 0; i < found.count && !err; i++)
		err = find_in_function(search, found.list[i]);
	free(found.list);
	return err;
}

static int find_in_all(struct search *search)
{
	int err = 0;

	/* All have been read, when they were looked through for it outside of functions. */
	for (size_t i = 0; i < search->info->entries.count && !err; i++)
		err = find_in_function(search, (uint32_t)i);
	return err;
}

static int find_inside(struct search *search, const char *name)
{
	size_t length = strlen(name);
	char *function;
	int err;

	if (!name_path_pop(name, &length, &search->name))
		return 0;
	if (!length)
		return find_in_all(search);
	function = strndup(name, length);
	if (!function)
		return -ENOMEM;
	err = find_in_named(search, function);
	free(function);
	return err;
}

static bool is_declared_alike(const struct debug_variable *a, const struct debug_variable *b)
{
	return a->line == b->line && a->file && b->file && !strcmp(a->file, b->file);
}

/* With link-time optimization, a variable is described where it was written, and again with its place. */
static bool is_placed_elsewhere(const struct debug_variables *found,
				const struct debug_variable *variable)
{
	for (size_t i = 0; i < found->count; i++) {
		if (found->list[i].location.place != DEBUG_PLACE_UNKNOWN &&
		    is_declared_alike(&found->list[i], variable))
			return true;
	}
	return false;
}

static void drop_placeless(struct debug_variables *found)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		struct debug_variable variable = found->list[i];

		if (variable.location.place != DEBUG_PLACE_UNKNOWN ||
		    !is_placed_elsewhere(found, &variable))
			found->list[kept++] = variable;
	}
	found->count = kept;
}

int debug_variables_named(struct debug_info *info, const char *name,
			  struct debug_variables *variables)
{
	struct search search = { .info = info, .found = variables };
	int err;

	*variables = (struct debug_variables){ 0 };
	err = find_outside(&search, name);
	if (!err && !variables->count)
		err = find_inside(&search, name);
	if (!err && !variables->count)
		err = -ENOENT;
	if (err)
		debug_variables_free(variables);
	else
		drop_placeless(variables);
	return err;
}
