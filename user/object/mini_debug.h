/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .gnu_debugdata: an ELF file that is packed in a section of a stripped one, and has the symbols that
 * .dynsym has not. Some distributions have it in every program.
 */
#ifndef TRACER_MINI_DEBUG_H
#define TRACER_MINI_DEBUG_H

#include <stdint.h>

struct elf_file;

/* Part of an elf_file; all zero is none. */
struct mini_debug {
	uint8_t *image; /* what file is read from */
	struct elf_file *file;
};

/* 0 or -ENOMEM; mini->file stays NULL when there is none, or none that can be used. */
int mini_debug_open(struct elf_file *file, struct mini_debug *mini);
void mini_debug_close(struct mini_debug *mini);

#endif
