/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a function is called with: its parameters, where they are at an address, and what it returns. */
#ifndef TRACER_DEBUG_SIGNATURE_H
#define TRACER_DEBUG_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "location.h"

struct debug_function;
struct debug_info;
struct debug_type;

struct debug_parameter {
	const char *name;	 /* NULL when it has none; the info's */
	struct debug_type *type; /* the info's; NULL when it is not told */
	bool is_artificial;	 /* made by the compiler: "this" */
	bool is_result;		 /* of Go's, which are told among the parameters */
	struct debug_location location;
};

struct debug_signature {
	struct debug_parameter *parameters;
	size_t count;
	struct debug_type *returns; /* void, too; the info's */
	bool is_external;
	bool is_prototyped;
	bool has_varargs;
	bool is_c; /* of a C unit: what it passes by value has no constructors */
	bool knows_types; /* false of units with lines only (-g1), which leave out parameters and results */
	unsigned int calling_convention; /* DW_CC_*; 0 when it is not told, DW_CC_normal then */
};

/*
 * The parameters, in order, of a function that functions.h has told of, with their locations when the
 * program is at pc in it; also those of which the code has nothing left. 0, -ENOENT when there is no
 * such function, or -ENOMEM. To be freed.
 */
int debug_signature_read(struct debug_info *info, const struct debug_function *function,
			 uint64_t pc, struct debug_signature *signature);
void debug_signature_free(struct debug_signature *signature);

#endif
