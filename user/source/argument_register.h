/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which register a parameter comes in, by the C ABI, where DWARF tells only where it is put later. */
#ifndef TRACER_ARGUMENT_REGISTER_H
#define TRACER_ARGUMENT_REGISTER_H

#include <stddef.h>

struct debug_function;
struct debug_signature;

/*
 * The general register (DWARF's number) of the index-th parameter at the function's entry; -1 when it is in none,
 * or when that depends on more than DWARF tells (structs by value before it).
 */
int argument_register(const struct debug_signature *signature,
		      const struct debug_function *function, size_t index);

#endif
