/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a thread has its copy of a file's thread-local variables. Of the program itself that is at a fixed
 * distance from its thread pointer. Of a library it is what the thread's vector of such blocks (DTV) says, by
 * the number that the dynamic linker gave the library; how glibc lays that out, it tells in symbols made for
 * debuggers (libthread_db's _thread_db_*).
 */
#ifndef TRACER_THREAD_LOCAL_H
#define TRACER_THREAD_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_file;

/* For one file in one process. */
struct thread_local_block {
	pid_t pid;
	bool by_vector;
	int64_t distance; /* from the thread pointer to the block, or to where the vector's address is */
	/* by_vector: */
	uint64_t module;     /* its number */
	uint64_t generation; /* of the last change of modules when that number was given */
	uint64_t entry_size, counter, pointer; /* of the vector's entries, and where in them */
};

/* Of the program that the process runs: static, or not. False when it has none. */
bool thread_local_of_program(const struct elf_file *program, pid_t pid,
			     struct thread_local_block *block);
/*
 * Of a library that is mapped with this load bias. 0; -ENOTSUP with why saying what does not tell; -ENOENT when
 * the dynamic linker does not have it yet.
 */
int thread_local_of_library(pid_t pid, uint64_t bias, struct thread_local_block *block,
			    char why[128]);
/* For the thread of that thread pointer. 0, or -ENOENT: it has no copy yet. */
int thread_local_find(const struct thread_local_block *block, uint64_t thread_pointer,
		      uint64_t *address);

#endif
