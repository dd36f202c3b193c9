/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where arguments and results are by the C calling convention alone: DWARF is of no help before the prologue is done. */
#ifndef TRACER_ARGUMENT_REGISTER_H
#define TRACER_ARGUMENT_REGISTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_signature;

/* By DWARF's numbers, those from here on are no general ones; arm64's last is the stack pointer. */
#if defined(__aarch64__)
#define GENERAL_REGISTERS 32
#else
#define GENERAL_REGISTERS 16
#endif

/* Registers that a value is passed in at most, one for each 8 bytes of it; and that of a result, by DWARF's numbers. */
#define VALUE_REGISTERS 2
#define RESULT_REGISTER 0
#define RESULT_SECOND	1

/*
 * The general registers, by DWARF's numbers, that hold parameter number index at the function's first instruction: how
 * many they are; 0 when it is, or some of it is, elsewhere, or cannot be told.
 */
size_t argument_registers(const struct debug_signature *signature, size_t index,
			  int registers[VALUE_REGISTERS]);
/* Is that parameter somewhere else, and its address in a register? -1 or the register, by DWARF's number. */
int argument_address_register(const struct debug_signature *signature, size_t index);
/*
 * Is that parameter on the stack then? If so *offset is where, from the canonical frame address.
 */
bool argument_on_stack(const struct debug_signature *signature, size_t index, int64_t *offset);
/*
 * The same of what the function returns, when it has. *in_memory: it is large, and the first result register has its
 * address.
 */
size_t result_registers(const struct debug_signature *signature, int registers[VALUE_REGISTERS],
			int *in_memory);

#endif
