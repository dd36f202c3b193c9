// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From a declaration to the definition: in a type unit by its signature, in another unit by its name. */
#include <dwarf.h>
#include <stdlib.h>

#include "die.h"
#include "qualify.h"
#include "state.h"
#include "type_state.h"

/* "class" may be declared as "struct". */
static int comparable(int tag)
{
	return tag == DW_TAG_class_type ? DW_TAG_structure_type : tag;
}

static bool is_definition_of(Dwarf_Die *die, Dwarf_Die *declaration)
{
	return comparable(dwarf_tag(die)) == comparable(dwarf_tag(declaration)) &&
	       !dwarf_hasattr(die, DW_AT_declaration);
}

static bool by_signature(Dwarf_Die *declaration, Dwarf_Die *definition)
{
	return die_reference(declaration, DW_AT_signature, definition) &&
	       is_definition_of(definition, declaration);
}

static bool by_name(struct debug_info *info, Dwarf_Die *declaration, Dwarf_Die *definition)
{
	const char *name = qualified_name(info, declaration);
	struct found_entries found;
	bool is_found = false;

	if (!name || debug_names_find_whole(info, name, ENTRY_TYPE, &found))
		return false;
	for (size_t i = 0; i < found.count && !is_found; i++)
		is_found = debug_entries_die(info, found.list[i], definition) &&
			   is_definition_of(definition, declaration);
	free(found.list);
	return is_found;
}

void type_settle(struct debug_type *type)
{
	Dwarf_Die definition;

	if (type->is_settled)
		return;
	type->is_settled = true;
	if (!type->bare.addr || !die_flag(&type->bare, DW_AT_declaration))
		return;
	if (by_signature(&type->bare, &definition) || by_name(type->info, &type->bare, &definition))
		type->bare = definition;
}
