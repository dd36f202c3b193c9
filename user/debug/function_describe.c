// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From a DIE to a struct debug_function. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "die.h"
#include "function_state.h"
#include "grow.h"
#include "qualify.h"
#include "source_file.h"
#include "state.h"

int function_list_add(struct function_list *list, const struct debug_function *function)
{
	struct debug_functions *functions = &list->functions;
	struct debug_function *array =
		grown(functions->list, functions->count, &list->room, sizeof(*array));

	if (!array)
		return -ENOMEM;
	functions->list = array;
	array[functions->count++] = *function;
	return 0;
}

bool function_describe(struct debug_info *info, Dwarf_Die *die, Dwarf_Die *host,
		       struct debug_function *function)
{
	*function = (struct debug_function){ .die = die->addr };
	if (!die_entry(die, &function->entry) || !debug_info_is_code(info, function->entry))
		return false;
	function->name = qualified_name(info, die);
	function->linkage_name = die_linkage_name(die);
	function->file = source_file(die, DW_AT_decl_file);
	function->line = source_line(die, DW_AT_decl_line);
	if (!host)
		return true;
	function->is_inlined = true;
	function->host_die = host->addr;
	function->host = qualified_name(info, host);
	die_entry(host, &function->host_entry);
	function->call_file = source_file(die, DW_AT_call_file);
	function->call_line = source_line(die, DW_AT_call_line);
	return true;
}
