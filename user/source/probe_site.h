/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From BIN:FUNC as a person writes it to the file and offset the kernel wants. */
#ifndef TRACER_PROBE_SITE_H
#define TRACER_PROBE_SITE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_option;
struct elf_file;
struct elf_symbol;

struct probe_site {
	char path[PATH_MAX]; /* absolute */
	uint64_t offset;     /* in the file */
	uint64_t vaddr;
	uint64_t inode;
	bool at_entry; /* a function's first instruction */
	bool is_go;
};

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
/*
 * The one symbol of that name, as it stands in the file or demangled, for functions or for variables. Says
 * what is wrong: none, several at different addresses, an IFUNC. 0 or -errno.
 */
int symbol_find(const char *option, struct elf_file *file, const char *name, bool is_function,
		const struct elf_symbol **symbol);
/* All of it for --uprobe and --uretprobe. 0 or -errno, with a message. */
int probe_site_resolve(const struct probe_option *option, const pid_t *pids, size_t pid_count,
		       struct probe_site *site);

#endif
