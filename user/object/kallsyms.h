/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel symbols by /proc/kallsyms: the kernel, its modules and BPF programs. */
#ifndef TRACER_KALLSYMS_H
#define TRACER_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct kallsyms;

struct kernel_symbol {
	uint64_t address;
	const char *name;
	const char *module; /* "kernel", a module's name, or "bpf" */
	char type;	    /* as in nm(1): t T d D b B ... */
};

/*
 * 0 or -errno; -EPERM when the kernel hides addresses (kptr_restrict). After any error but -ENOMEM
 * *symbols is valid and empty, so that kallsyms_add() works; NULL only without memory.
 */
int kallsyms_load(struct kallsyms **symbols);
/* The same from a given file, for tests. */
int kallsyms_load_file(const char *path, struct kallsyms **symbols);
void kallsyms_free(struct kallsyms *symbols);
/* The text symbol that address lies in; NULL when it lies in none. */
const struct kernel_symbol *kallsyms_at(const struct kallsyms *symbols, uint64_t address);
/* First symbol of that name (any type), or NULL. *size gets the distance to the next symbol. */
const struct kernel_symbol *kallsyms_find(const struct kallsyms *symbols, const char *name,
					  uint64_t *size);
/* A program loaded after kallsyms was read (PERF_RECORD_KSYMBOL). 0 or -ENOMEM. */
int kallsyms_add(struct kallsyms *symbols, uint64_t address, uint64_t size, const char *name);

#endif
