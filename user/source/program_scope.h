/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What names mean to an expression at a place in a program: parameters and variables, by its DWARF. */
#ifndef TRACER_PROGRAM_SCOPE_H
#define TRACER_PROGRAM_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "../debug/functions.h"
#include "../debug/signature.h"
#include "../expression/expression.h"

struct debug_info;
struct usdt_program;

struct program_scope {
	struct expression_scope scope; /* for expression.h */
	struct debug_info *info;
	uint64_t vaddr;
	bool at_entry;
	struct debug_functions functions;
	const struct debug_function
		*function; /* one of them, whose names are meant; NULL: none is known */
	struct debug_signature signature;
	struct usdt_program *arguments; /* usdt_scope.h */
	size_t argument_count;
	char why[128];
};

/* Where a program is, and whose names are meant there: a function may be inlined at another's first instruction. */
struct program_place {
	uint64_t vaddr;
	bool at_entry;	  /* before anything of the function has been done */
	bool of_function; /* the function whose own code it is; else the innermost */
	const void *copy; /* the one whose copy is inlined there: debug_function.die; NULL: none */
};

/*
 * At a place of the program that info (NULL: none) is about. 0 or -ENOMEM; to be closed in any case, and not to be moved meanwhile.
 */
int program_scope_open(struct program_scope *program, struct debug_info *info,
		       enum expression_source source, const struct program_place *place);
/* For a watched variable, by the name it was given by; of a length in bytes. As program_scope_open(). */
int program_scope_watch(struct program_scope *program, struct debug_info *info, const char *name,
			uint32_t length);
/*
 * Where parameter number index of the function at the place is; as expression_scope.find(), whose -ENODATA it has too.
 */
int program_scope_parameter(struct program_scope *program, size_t index,
			    struct expression_place *place, const char **why);
/*
 * Is it the calling convention that tells where a parameter is, because DWARF's place is filled only by the prologue,
 * or it has none here of a function that strangers may call?
 */
bool program_scope_by_convention(const struct program_scope *program,
				 const struct debug_location *location);
void program_scope_close(struct program_scope *program);

#endif
