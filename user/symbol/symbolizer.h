/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* (object, offset) to names: only asked when something is printed; every answer is remembered. */
#ifndef TRACER_SYMBOLIZER_H
#define TRACER_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "../process/object.h"
#include "../process/tasks.h"

struct symbolizer;

struct symbol {
	/* Demangled, else as it is in the file, and not escaped; NULL when unknown. */
	const char *name;
	/* "libc.so.6", "[vdso]", "[kernel.kallsyms]", "[ext4]", "[bpf]", "[anon]", "[unknown]". */
	const char *module;
	const char *path; /* the object's, or the same as module */
	uint64_t offset;  /* from the symbol's start; 0 without a name */
	uint64_t vaddr;	  /* address inside the file, or the address itself */
	bool is_kernel;
};

struct symbolizer *symbolizer_new(void);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Names a frame. is_caller: the frame is a return address, so it is looked up one byte before (a
 * call may be a function's last instruction); symbol.offset is still that of the address itself.
 * Strings live as long as the symbolizer and the objects.
 */
void symbolizer_frame(struct symbolizer *symbolizer, const struct frame *frame, bool is_caller,
		      struct symbol *symbol);

/* A BPF program that was loaded while we record. 0 or -ENOMEM. */
int symbolizer_add_kernel(struct symbolizer *symbolizer, uint64_t address, uint64_t size,
			  const char *name);

#endif
