/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Constants of programs, such as their strings: a page of them that the program has not touched yet cannot be read by a
 * BPF program, but what it would hold is in the file.
 */
#ifndef TRACER_CONSTANTS_H
#define TRACER_CONSTANTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_file;
struct object;
struct tasks;

/* Zero, but for tasks, is a beginning. */
struct constants {
	const struct tasks *tasks;
	const struct object *object; /* the last one that was looked into, and its file; NULL: none */
	struct elf_file *file;
};

/*
 * Copies up to size bytes at an address of a process at a time, as far as they are constants of a file that is mapped
 * there; the number of bytes.
 */
size_t constants_read(struct constants *constants, pid_t pid, uint64_t time, uint64_t address,
		      void *buffer, size_t size);
void constants_close(struct constants *constants);

#endif
