// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions by address: from the one whose own code it is inwards. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "bodies.h"
#include "die.h"
#include "function_state.h"
#include "state.h"

/* The child that covers the address and is code: a block, or a function inlined or nested. */
static bool child_at(Dwarf_Die *parent, uint64_t vaddr, Dwarf_Die *child)
{
	struct die_walk walk = { parent->addr };

	if (dwarf_child(parent, child))
		return false;
	do {
		if (!die_walk_on(&walk, child))
			return false;
		switch (dwarf_tag(child)) {
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_subprogram:
			if (dwarf_haspc(child, vaddr) > 0)
				return true;
		}
	} while (!dwarf_siblingof(child, child));
	return false;
}

static void reverse(struct debug_functions *functions)
{
	for (size_t i = 0; i < functions->count / 2; i++) {
		struct debug_function *a = &functions->list[i];
		struct debug_function *b = &functions->list[functions->count - 1 - i];
		struct debug_function kept = *a;

		*a = *b;
		*b = kept;
	}
}

/* Outermost first. */
static int list_inwards(struct debug_info *info, Dwarf_Die *function, uint64_t vaddr,
			struct function_list *list)
{
	Dwarf_Die at = *function, host = *function;
	struct debug_function described;
	int err = 0;

	for (int depth = 0; depth < DIE_MAX_DEPTH && !err; depth++) {
		bool inlined = dwarf_tag(&at) == DW_TAG_inlined_subroutine;

		if (dwarf_tag(&at) == DW_TAG_subprogram)
			host = at;
		if ((inlined || host.addr == at.addr) &&
		    function_describe(info, &at, inlined ? &host : NULL, &described))
			err = function_list_add(list, &described);
		if (!child_at(&at, vaddr, &at))
			break;
	}
	return err;
}

int debug_functions_at(struct debug_info *info, uint64_t vaddr, struct debug_functions *functions)
{
	struct function_list list = { 0 };
	Dwarf_Die function;
	struct unit *unit;
	uint32_t entry;
	int err = unit_at(info, vaddr, &unit);

	*functions = (struct debug_functions){ 0 };
	if (!err)
		err = bodies_function_at(info, unit, vaddr, &entry);
	if (!err && !debug_entries_die(info, entry, &function))
		err = -ENOENT;
	if (!err)
		err = list_inwards(info, &function, vaddr, &list);
	if (!err && !list.functions.count)
		err = -ENOENT;
	if (err) {
		debug_functions_free(&list.functions);
		return err;
	}
	reverse(&list.functions);
	*functions = list.functions;
	return 0;
}
