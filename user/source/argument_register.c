// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * System V x86-64 psABI 3.2.3 and AAPCS64 6.8.2, as far as integers, pointers and floating point go: each of the
 * first two takes the next general register, floating point takes vector registers. Where a struct is passed
 * or returned by value, C++ decides by its constructors, of which a caller cannot be sure.
 */
#include "argument_register.h"

#include <stdbool.h>

#include "../debug/functions.h"
#include "../debug/signature.h"
#include "../debug/type.h"

#if defined(__x86_64__)
/* rdi, rsi, rdx, rcx, r8, r9 */
static const int registers[] = { 5, 4, 1, 2, 8, 9 };
#elif defined(__aarch64__)
static const int registers[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
#endif

#define REGISTERS (int)(sizeof(registers) / sizeof(registers[0]))

enum class { CLASS_GENERAL, CLASS_VECTOR, CLASS_UNKNOWN };

static enum class class_of(struct debug_type *type) {
	switch (type ? debug_type_kind(type) : DEBUG_KIND_OTHER){
		case DEBUG_KIND_SIGNED : case DEBUG_KIND_UNSIGNED : case DEBUG_KIND_BOOL : case
				DEBUG_KIND_CHAR : case DEBUG_KIND_ENUM : case
				DEBUG_KIND_POINTER : case
				DEBUG_KIND_REFERENCE : return debug_type_size(type) <= 8 ?
			CLASS_GENERAL :
			CLASS_UNKNOWN;
		case DEBUG_KIND_FLOAT : return debug_type_size(type) <= 8 ? CLASS_VECTOR :
									    CLASS_UNKNOWN;
		default : return CLASS_UNKNOWN;
	}
}

/* Registers that what is returned takes up: the address of a large struct, in the first one. -1: not known. */
static int taken_by_result(const struct debug_signature *signature,
			   const struct debug_function *function)
{
	struct debug_type *type = signature->returns;

	if (!type || debug_type_kind(type) == DEBUG_KIND_VOID || class_of(type) != CLASS_UNKNOWN)
		return 0;
	if (function->linkage_name)
		return -1;
#if defined(__aarch64__)
	return 0; /* it has a register of its own, x8 */
#else
	return debug_type_kind(type) == DEBUG_KIND_FLOAT || debug_type_size(type) <= 16 ? 0 : 1;
#endif
}

int argument_register(const struct debug_signature *signature,
		      const struct debug_function *function, size_t index)
{
	int taken = taken_by_result(signature, function);

	for (size_t i = 0; taken >= 0 && i < index; i++) {
		enum class class = class_of(signature->parameters[i].type);

		if (class == CLASS_UNKNOWN)
			return -1;
		taken += class == CLASS_GENERAL;
	}
	if (taken < 0 || taken >= REGISTERS ||
	    class_of(signature->parameters[index].type) != CLASS_GENERAL)
		return -1;
	return registers[taken];
}
