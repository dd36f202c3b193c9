// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Arguments take registers in their order. */
#include "argument_register.h"

#include <dwarf.h>

#include "../debug/signature.h"
#include "../debug/type.h"
#include "passing.h"

#if defined(__x86_64__)
/* rdi, rsi, rdx, rcx, r8, r9 */
static const int general_registers[] = { 5, 4, 1, 2, 8, 9 };
#elif defined(__aarch64__)
static const int general_registers[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
#endif

#define ARGUMENT_REGISTERS (unsigned)(sizeof(general_registers) / sizeof(general_registers[0]))
#define VECTOR_REGISTERS   8

/* What is taken by what comes before. */
struct taken {
	unsigned general, vector;
	uint64_t stack; /* bytes */
	bool is_unknown;
};

/*
 * Of another convention than C's nothing is known; nor of what C++ passes besides what was written, such as a virtual
 * base's table, behind "this".
 */
static bool is_known_convention(const struct debug_signature *signature, size_t index)
{
	if (signature->calling_convention > DW_CC_normal)
		return false;
	for (size_t i = 1; index && i < signature->count; i++)
		if (signature->parameters[i].is_artificial)
			return false;
	return true;
}

/* A large result's address is an argument before the first; on arm64 it has a register of its own, x8. */
static void take_result(struct taken *taken, const struct debug_signature *signature)
{
	struct debug_type *type = signature->returns;
	struct passing passing;

	if (!type || debug_type_kind(type) == DEBUG_KIND_VOID)
		return;
	passing = passing_of(type, signature->is_c);
	if (passing.kind == PASSED_UNKNOWN && debug_type_kind(type) != DEBUG_KIND_FLOAT)
		taken->is_unknown = true;
#if defined(__x86_64__)
	taken->general += passing.kind == PASSED_IN_MEMORY;
#endif
}

/* Does it go into registers? What does not fit as a whole is on the stack. */
static bool is_in_registers(const struct taken *taken, const struct passing *passing)
{
	if (passing->kind == PASSED_BY_ADDRESS)
		return taken->general < ARGUMENT_REGISTERS;
	return passing->kind == PASSED_IN_REGISTERS &&
	       taken->general + passing->general <= ARGUMENT_REGISTERS &&
	       taken->vector + passing->vector <= VECTOR_REGISTERS;
}

static void take_stack(struct taken *taken, const struct passing *passing, struct debug_type *type)
{
	uint64_t size = passing->kind == PASSED_BY_ADDRESS ? 8 : debug_type_size(type);

	taken->stack += (size + 7) & ~7ull;
#if defined(__aarch64__)
	/* nothing goes into the registers that are left */
	taken->general = passing->vector ? taken->general : ARGUMENT_REGISTERS;
	taken->vector = passing->vector ? VECTOR_REGISTERS : taken->vector;
#endif
}

static void take(struct taken *taken, const struct passing *passing, struct debug_type *type)
{
	if (passing->kind == PASSED_UNKNOWN) {
		taken->is_unknown = true;
	} else if (!is_in_registers(taken, passing)) {
		take_stack(taken, passing, type);
	} else if (passing->kind == PASSED_BY_ADDRESS) {
		taken->general++;
	} else {
		taken->general += passing->general;
		taken->vector += passing->vector;
	}
}

/* What is taken when parameter number index comes, which *passing is of. False: that cannot be told. */
static bool take_before(const struct debug_signature *signature, size_t index, struct taken *taken,
			struct passing *passing)
{
	if (!is_known_convention(signature, index))
		return false;
	take_result(taken, signature);
	for (size_t i = 0; i < index; i++) {
		*passing = passing_of(signature->parameters[i].type, signature->is_c);
		take(taken, passing, signature->parameters[i].type);
	}
	*passing = passing_of(signature->parameters[index].type, signature->is_c);
	return !taken->is_unknown && passing->kind != PASSED_UNKNOWN;
}

size_t argument_registers(const struct debug_signature *signature, size_t index,
			  int registers[VALUE_REGISTERS])
{
	struct taken taken = {};
	struct passing passing;

	if (!take_before(signature, index, &taken, &passing) ||
	    !is_in_registers(&taken, &passing) || passing.kind != PASSED_IN_REGISTERS ||
	    passing.vector || passing.general > VALUE_REGISTERS)
		return 0;
	for (unsigned i = 0; i < passing.general; i++)
		registers[i] = general_registers[taken.general + i];
	return passing.general;
}

int argument_address_register(const struct debug_signature *signature, size_t index)
{
	struct taken taken = {};
	struct passing passing;

	if (!take_before(signature, index, &taken, &passing) || passing.kind != PASSED_BY_ADDRESS ||
	    !is_in_registers(&taken, &passing))
		return -1;
	return general_registers[taken.general];
}

bool argument_on_stack(const struct debug_signature *signature, size_t index, int64_t *offset)
{
	struct taken taken = {};
	struct passing passing;

	if (!take_before(signature, index, &taken, &passing) || is_in_registers(&taken, &passing) ||
	    passing.kind == PASSED_BY_ADDRESS)
		return false;
	*offset = (int64_t)taken.stack;
	return true;
}

size_t result_registers(const struct debug_signature *signature, int registers[VALUE_REGISTERS],
			int *in_memory)
{
	struct passing passing = passing_of(signature->returns, signature->is_c);

	registers[0] = RESULT_REGISTER;
	registers[1] = RESULT_SECOND;
#if defined(__x86_64__)
	*in_memory = passing.kind == PASSED_IN_MEMORY;
#else
	*in_memory = 0; /* x8 need not be kept */
#endif
	if (passing.kind != PASSED_IN_REGISTERS || passing.vector ||
	    passing.general > VALUE_REGISTERS)
		return 0;
	return passing.general;
}
