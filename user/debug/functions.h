/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions by name and by address: where their own code is, and everywhere they are inlined.
 * Functions local to functions (lambdas, GNU C's nested ones) are found by address only.
 */
#ifndef TRACER_DEBUG_FUNCTIONS_H
#define TRACER_DEBUG_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_info;

/* Code of a function: its own, or a copy in another. Strings are the info's, NULL when not told. */
struct debug_function {
	const char *name;	  /* with its scopes; without parameters */
	const char *linkage_name; /* mangled */
	uint64_t entry;		  /* vaddr */
	bool is_inlined;
	const char *file; /* where it is declared */
	unsigned int line;
	/* Of an inlined one: the function whose own code it is in, and the call that it stands for. */
	const char *host;
	uint64_t host_entry;
	const char *call_file;
	unsigned int call_line;
	/* For signature.h: where libdw has it. */
	const void *die;
	const void *host_die;
};

struct debug_functions {
	struct debug_function *list;
	size_t count;
};

/*
 * All code of the functions of that name, by address: "f", "ns::T::f", or a linkage name. Template
 * arguments, anonymous and inline namespaces may be left out, and so may the first scopes where no
 * function has just that name. 0, -ENOENT or -ENOMEM. To be freed.
 */
int debug_functions_named(struct debug_info *info, const char *name,
			  struct debug_functions *functions);
/*
 * The functions at an address: first the innermost inlined one, last the one whose own code it is.
 * 0, -ENOENT or -ENOMEM. To be freed.
 */
int debug_functions_at(struct debug_info *info, uint64_t vaddr, struct debug_functions *functions);
void debug_functions_free(struct debug_functions *functions);

#endif
