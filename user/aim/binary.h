/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file that a person means by BIN. */
#ifndef TRACER_BINARY_H
#define TRACER_BINARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_file;

/*
 * Finds the file of BIN: a path; else a library that one of the processes maps; else a library or
 * program of that name where the system keeps them. 0 or -ENOENT, without a message.
 */
int binary_find(const char *name, const pid_t *pids, size_t pid_count, char path[PATH_MAX]);
/*
 * Calls for each library that the program at path will load when it starts, as far as they lie where the
 * system keeps libraries.
 */
void binary_each_needed(const char *path, void (*callback)(void *context, const char *path),
			void *context);
/* Does one of the processes map a file of that inode now? */
bool binary_is_mapped(uint64_t inode, const pid_t *pids, size_t pid_count);
/* Opens BIN and refuses what cannot be probed (no file, not ELF, 32-bit, another machine), saying so. 0 or -errno. */
int binary_open(const char *option, const char *path, struct elf_file **file);

#endif
