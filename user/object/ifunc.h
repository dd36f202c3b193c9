/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a function that is chosen at run time (STT_GNU_IFUNC) may be. */
#ifndef TRACER_IFUNC_H
#define TRACER_IFUNC_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_symbol;

#define IFUNC_MOST 48

struct ifunc_implementations {
	uint64_t vaddr[IFUNC_MOST]; /* first instructions, ascending */
	size_t count;
};

/*
 * Follows the code of the resolver, which no process needs to run for that, to every address it may return.
 * 0; -ENODATA when it may return one that its code does not tell, such as the vDSO's; -E2BIG, -ENOEXEC
 * (code that cannot be decoded), -ENOTSUP (no machine of ours) or -ENOMEM.
 */
int ifunc_implementations(const struct elf_file *file, const struct elf_symbol *resolver,
			  struct ifunc_implementations *found);

#endif
