/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Describing functions, for those that find them. */
#ifndef TRACER_DEBUG_FUNCTION_STATE_H
#define TRACER_DEBUG_FUNCTION_STATE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "functions.h"

struct function_list {
	struct debug_functions functions;
	size_t room;
};

/* 0 or -ENOMEM. */
int function_list_add(struct function_list *list, const struct debug_function *function);
/*
 * What is told of a DW_TAG_subprogram, or of a DW_TAG_inlined_subroutine in host. false when it has no
 * code.
 */
bool function_describe(struct debug_info *info, Dwarf_Die *die, Dwarf_Die *host,
		       struct debug_function *function);

#endif
