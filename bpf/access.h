/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arm64 reports a watched access before it is made. What the variable will hold after it follows from
 * the instruction, the registers and what it holds now. Pure functions without loops, compiled for BPF
 * and for unit tests. Whoever includes this says first how a general register of the access is read
 * (31 is the stack pointer); 0, or anything else when it cannot be:
 *
 *   ACCESS_REGISTER(context, number, value)
 */
#ifndef TRACER_ACCESS_H
#define TRACER_ACCESS_H

#ifndef ACCESS_REGISTER
#error "define ACCESS_REGISTER first"
#endif

#include "variable.h"

ACCESS_INLINE __u64 access_bits(__u32 instruction, unsigned from, unsigned count)
{
	return (instruction >> from) & ((1u << count) - 1);
}

ACCESS_INLINE __s64 access_signed_bits(__u32 instruction, unsigned from, unsigned count)
{
	return (__s64)(access_bits(instruction, from, count) << (64 - count)) >> (64 - count);
}

/* The operand of a store or of an atomic operation: here, 31 is the register that is always 0. */
ACCESS_INLINE int access_operand(void *context, __u32 number, __u64 *value)
{
	*value = 0;
	return number == 31 ? 0 : ACCESS_REGISTER(context, number, value);
}

/* The number of bytes is 1 << size. */
ACCESS_INLINE int access_store(void *context, struct access_variable *variable, __u32 instruction,
			       __u64 address, __u32 size)
{
	__u64 data;

	if (access_operand(context, (__u32)access_bits(instruction, 0, 5), &data))
		return -1;
	access_put(variable, address, 1u << size, data);
	return 0;
}

/* What is at address now, of which only the variable is known: the operand must be all of it. */
ACCESS_INLINE int access_is_all(const struct access_variable *variable, __u64 address, __u32 size)
{
	return address == variable->address && 1u << size == variable->length;
}

/* LDADD and its family, SWP, LDAPR */
ACCESS_INLINE int access_atomic(void *context, struct access_variable *variable, __u32 instruction,
				__u64 address, __u32 size)
{
	__u64 operand, old = variable->value;

	if (access_bits(instruction, 12, 4) == 12) /* LDAPR, a load */
		return 0;
	if (access_operand(context, (__u32)access_bits(instruction, 16, 5), &operand))
		return -1;
	if (access_bits(instruction, 12, 4) == 8) { /* SWP */
		access_put(variable, address, 1u << size, operand);
		return 0;
	}
	if (!access_is_all(variable, address, size))
		return -1;
	switch (access_bits(instruction, 12, 4)) {
	case 0:
		operand = old + operand;
		break;
	case 1:
		operand = old & ~operand;
		break;
	case 2:
		operand = old ^ operand;
		break;
	case 3:
		operand = old | operand;
		break;
	default: /* minimum and maximum */
		return -1;
	}
	access_put(variable, address, 1u << size, operand);
	return 0;
}

/* A register: of an offset that is constant or in a register, with and without writing the sum back */
ACCESS_INLINE int access_register(void *context, struct access_variable *variable,
				  __u32 instruction, __u64 base)
{
	__u32 size = instruction >> 30, mode = (__u32)access_bits(instruction, 10, 2);
	int is_vector = (int)access_bits(instruction, 26, 1);
	__u64 index;

	if (access_bits(instruction, 24, 1)) {
		base += access_bits(instruction, 10, 12) << size;
	} else if (!access_bits(instruction, 21, 1)) {
		if (mode != 1) /* 1: the sum is formed after the access */
			base += (__u64)access_signed_bits(instruction, 12, 9);
	} else if (mode == 0 && !is_vector) {
		return access_atomic(context, variable, instruction, base, size);
	} else if (mode == 2) {
		if (access_operand(context, (__u32)access_bits(instruction, 16, 5), &index))
			return -1;
		if (access_bits(instruction, 13, 3) == 2) /* a 32-bit register, without */
			index = (__u32)index;
		else if (access_bits(instruction, 13, 3) == 6) /* and with its sign */
			index = (__u64)(__s64)(__s32)index;
		base += access_bits(instruction, 12, 1) ? index << size : index;
	} else {
		return 0; /* a load through a signed pointer */
	}
	if (is_vector)
		return access_bits(instruction, 22, 1) ? 0 : -1;
	if (access_bits(instruction, 22, 2)) /* a load */
		return 0;
	return access_store(context, variable, instruction, base, size);
}

ACCESS_INLINE int access_pair(void *context, struct access_variable *variable, __u32 instruction,
			      __u64 base)
{
	__u32 size = instruction >> 31 ? 3 : 2;
	__u64 second;

	if (access_bits(instruction, 22, 1)) /* a load */
		return 0;
	/* a vector, or with a memory tag */
	if (access_bits(instruction, 26, 1) || access_bits(instruction, 30, 1))
		return -1;
	if (access_bits(instruction, 23, 2) != 1)
		base += (__u64)access_signed_bits(instruction, 15, 7) << size;
	if (access_operand(context, (__u32)access_bits(instruction, 10, 5), &second) ||
	    access_store(context, variable, instruction, base, size))
		return -1;
	access_put(variable, base + (1u << size), 1u << size, second);
	return 0;
}

/* Exclusive and ordered ones, and CAS */
ACCESS_INLINE int access_ordered(void *context, struct access_variable *variable, __u32 instruction,
				 __u64 base)
{
	__u32 size = instruction >> 30;
	int is_load = (int)access_bits(instruction, 22, 1);
	__u64 expected;

	switch (access_bits(instruction, 23, 1) << 1 | access_bits(instruction, 21, 1)) {
	case 2: /* LDAR, STLR */
		return is_load ? 0 : access_store(context, variable, instruction, base, size);
	case 3: /* CAS */
		if (!access_is_all(variable, base, size) ||
		    access_operand(context, (__u32)access_bits(instruction, 16, 5), &expected))
			return -1;
		if ((expected & access_mask(variable->length)) != variable->value)
			return 0;
		return access_store(context, variable, instruction, base, size);
	case 1: /* CASP, or two registers */
		return is_load && size >= 2 ? 0 : -1;
	default: /* STXR stores only if nobody else did since LDXR */
		return is_load ? 0 : -1;
	}
}

/* Changes variable to what it will be after the instruction; not 0: that is not known. */
ACCESS_INLINE int access_made(void *context, struct access_variable *variable, __u32 instruction)
{
	__u64 base;

	if ((instruction & ~0x1fu) == 0xd50b7420) { /* DC ZVA: some aligned bytes, at least 16 */
		variable->value = 0;
		return 0;
	}
	if ((instruction & 0x3b000000) == 0x18000000) /* a load of a constant */
		return 0;
	if (ACCESS_REGISTER(context, (__u32)access_bits(instruction, 5, 5), &base))
		return -1;
	if ((instruction & 0x3a000000) == 0x38000000)
		return access_register(context, variable, instruction, base);
	if ((instruction & 0x3a000000) == 0x28000000)
		return access_pair(context, variable, instruction, base);
	if ((instruction & 0x3f000000) == 0x08000000)
		return access_ordered(context, variable, instruction, base);
	return -1;
}

#endif
