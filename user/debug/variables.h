/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables that are there all the time: global, of a file, of a thread, static in a function or class. */
#ifndef TRACER_DEBUG_VARIABLES_H
#define TRACER_DEBUG_VARIABLES_H

#include <stddef.h>

#include "location.h"

struct debug_info;
struct debug_type;

struct debug_variable {
	const char *name;	 /* with its scopes */
	const char *function;	 /* that it is static in; NULL: none */
	struct debug_type *type; /* NULL without memory */
	/*
	 * DEBUG_PLACE_MEMORY, DEBUG_PLACE_TLS or DEBUG_PLACE_CONSTANT; another, or unknown, of what the
	 * compiler moved.
	 */
	struct debug_location location;
	const char *file; /* where it is declared; NULL when it is not told */
	unsigned int line;
};

struct debug_variables {
	struct debug_variable *list;
	size_t count;
};

/*
 * All variables of that name, in any file: "v", "ns::v", "T::v", or a linkage name. One that is static
 * in a function is "function::v"; also "v", where nothing outside of functions is called so. Of several
 * declarations of one variable, one. 0, -ENOENT or -ENOMEM. To be freed.
 */
int debug_variables_named(struct debug_info *info, const char *name,
			  struct debug_variables *variables);
void debug_variables_free(struct debug_variables *variables);

#endif
