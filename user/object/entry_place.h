/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a probe on a function's entry can be put, and costs least. */
#ifndef TRACER_ENTRY_PLACE_H
#define TRACER_ENTRY_PLACE_H

enum entry_moves {
	ENTRY_EXACT, /* never */
	ENTRY_IF_NEEDED,
	ENTRY_CHEAPEST,
};

struct elf_file;
struct elf_symbol;

/*
 * *moved gets how many bytes behind the first instruction of a function a probe sees the same calls, with the
 * same general registers and memory: 0 where it begins. It is moved if it must be, behind AVX instructions,
 * which kernels refuse or even take for others, and in Go behind the look at the stack's limit, after which a
 * function may begin again; or to save time, behind an endbr64 if what follows is emulated
 * by the kernel, which single-steps that, several times slower. 0; -ENOTSUP when no probe can be put there.
 */
int entry_place(const struct elf_file *file, const struct elf_symbol *function,
		enum entry_moves moves, unsigned *moved);

#endif
