/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code that needs no CFI to be unwound: PLTs, which linkers may leave without, and what a signal
 * handler returns to, where the C library (musl) or the vDSO gave it none.
 */
#ifndef TRACER_KNOWN_CODE_H
#define TRACER_KNOWN_CODE_H

#include <stddef.h>

#include "../../bpf/unwind.h"

struct code_range;
struct elf_file;
struct entries;

/* Adds entries for it where there are none, and leaves all of them settled. 0 or -ENOMEM. */
int known_code_add(struct elf_file *file, enum unwind_machine machine,
		   const struct code_range *code, size_t code_count, struct entries *entries);

#endif
