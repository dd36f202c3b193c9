/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code that came without CFI (the C library musl, start files, a few functions of assembly), followed
 * instruction by instruction from where it is entered: what moves the stack pointer is added up, and
 * where two ways meet they must agree. What cannot be followed stays a gap.
 */
#ifndef TRACER_FOLLOW_H
#define TRACER_FOLLOW_H

#include <stddef.h>

#include "../../bpf/unwind.h"

struct code_range;
struct elf_file;
struct entries;

/*
 * entries is settled, and has no CFI for the gaps between them. Adds what is found out; entries are
 * to be settled again then. 0 or -ENOMEM.
 */
int follow_gaps(struct elf_file *file, enum unwind_machine machine, const struct code_range *code,
		size_t code_count, struct entries *entries);

#endif
