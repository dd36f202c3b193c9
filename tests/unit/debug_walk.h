/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All that user/debug/ offers, asked of a file that may be damaged; bounded, and without expectations. */
#ifndef TRACER_DEBUG_WALK_H
#define TRACER_DEBUG_WALK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "debug/debug_info.h"
#include "debug/functions.h"
#include "debug/lines.h"
#include "debug/signature.h"
#include "debug/type.h"
#include "debug/variables.h"

static inline void walk_type(struct debug_type *type, int depth)
{
	struct debug_member member;
	const char *name;
	int64_t value;

	for (; type && depth < 6; depth++) {
		debug_type_name(type);
		debug_type_size(type);
		debug_type_is_signed(type);
		debug_type_is_incomplete(type);
		debug_type_count(type);
		debug_type_member_named(type, "a", &member);
		for (size_t i = 0; i < 8 && !debug_type_member(type, i, &member); i++) {
			if (member.type && depth < 3)
				walk_type(member.type, depth + 2);
		}
		for (size_t i = 0; i < 8 && !debug_type_enumerator(type, i, &name, &value); i++)
			debug_type_enumerator_of(type, value);
		debug_type_stripped(type);
		type = debug_type_target(type);
	}
}

static inline void walk_function(struct debug_info *info, const struct debug_function *function)
{
	struct debug_signature signature;
	struct debug_functions chain;

	for (uint64_t offset = 0; offset <= 16; offset += 8) {
		if (debug_signature_read(info, function, function->entry + offset, &signature))
			continue;
		walk_type(signature.returns, 0);
		for (size_t i = 0; i < signature.count && i < 16; i++)
			walk_type(signature.parameters[i].type, 0);
		debug_signature_free(&signature);
	}
	if (!debug_functions_at(info, function->entry, &chain))
		debug_functions_free(&chain);
}

static inline void walk_line(struct debug_info *info, const char *file, unsigned int line)
{
	struct debug_lines lines;

	debug_lines_find(info, file, line, &lines);
	debug_lines_free(&lines);
}

static inline void walk_debug_info(struct debug_info *info, const char *const *functions,
				   const char *const *variables, const char *const *files)
{
	struct debug_functions found;
	struct debug_variables placed;

	for (; *functions; functions++) {
		if (debug_functions_named(info, *functions, &found))
			continue;
		for (size_t i = 0; i < found.count && i < 16; i++)
			walk_function(info, &found.list[i]);
		debug_functions_free(&found);
	}
	for (; *variables; variables++) {
		if (debug_variables_named(info, *variables, &placed))
			continue;
		for (size_t i = 0; i < placed.count && i < 16; i++)
			walk_type(placed.list[i].type, 0);
		debug_variables_free(&placed);
	}
	for (; *files; files++) {
		for (unsigned int line = 1; line < 16; line += 3)
			walk_line(info, *files, line);
	}
}

#endif
