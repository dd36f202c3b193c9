/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user-space twin of the BPF walk: the same step over the same tables, for a first hit that was
 * sent with a copy of its stack, for replay, and for tests.
 */
#ifndef TRACER_WALK_H
#define TRACER_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "../../bpf/unwind.h"

struct unwind_table;

/* Where a walk stands: as frame 0 says, then moved from caller to caller. */
struct unwind_start {
	uint64_t ip, sp, fp;
	uint64_t link; /* arm64 */
	int at_entry; /* ip is a function's first instruction: its caller is known without a table */
};

/* What is walked. data is handed to every function. */
struct unwind_target {
	enum unwind_machine machine;
	/*
	 * The table of the code at ip, and the load bias it has there. 0; -ENOENT when the code has
	 * none; -EFAULT when ip is in no executable mapping.
	 */
	int (*find)(void *data, uint64_t ip, const struct unwind_table **table, uint64_t *bias);
	/* 8 bytes of memory. 0 or -EFAULT. */
	int (*read)(void *data, uint64_t address, uint64_t *value);
	/* A general register of frame 0 by DWARF's number; may be NULL. 0 or -ENOENT. */
	int (*general)(void *data, unsigned number, uint64_t *value);
	/*
	 * What a return probe has replaced *ip by, if it has: slot is where x86-64 has the return address,
	 * and the CFA on arm64. May be NULL. 0, or -ENOENT when it has, but the address is not known.
	 */
	int (*original_return)(void *data, uint64_t slot, uint64_t *ip);
	void *data;
	/* Follow the frame pointer where there is no table. */
	int guess;
	/* See unwind_own_address_mask(); 0: all bits. */
	uint64_t address_mask;
	/* Set in the addresses of frames after the first in which execution stands: a signal came there. */
	uint64_t exact_mark;
};

/* Of this machine's programs. */
static inline enum unwind_machine unwind_own_machine(void)
{
#if defined(__aarch64__)
	return UNWIND_ARM64;
#else
	return UNWIND_X86_64;
#endif
}

/*
 * The bits of a return address of this machine's programs that are no pointer authentication code. The CPU knows how
 * many an address has: 48 or 52, whatever the kernel was set up for.
 */
static inline uint64_t unwind_own_address_mask(void)
{
#if defined(__aarch64__)
	/* bit 55 tells user from kernel addresses */
	register uint64_t address __asm__("x30") = (1ull << 55) - 1;

	__asm__("hint #7" : "+r"(address)); /* xpaclri: strips the code, where there are such */
	return address;
#else
	return UINT64_MAX;
#endif
}

struct unwind_result {
	size_t depth;
	enum unwind_end end;
	size_t guesses; /* steps made by frame pointer alone */
};

/*
 * Writes at most max addresses to ip, frame 0's first: that of each frame as it stands, return
 * addresses unchanged.
 */
struct unwind_result unwind_walk(const struct unwind_target *target,
				 const struct unwind_start *start, uint64_t *ip, size_t max);

#endif
