/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The separate file with the symbols and the debug information of a stripped one. It has the same
 * addresses; its file offsets mean nothing.
 */
#ifndef TRACER_DEBUG_FILE_H
#define TRACER_DEBUG_FILE_H

#include <stdbool.h>

struct elf_file;

/* Part of an elf_file; all zero is one that was not looked for. */
struct debug_file {
	bool searched;
	char *path;
	struct elf_file *file; /* NULL: there is none */
};

/*
 * Where file's debug file is, looked for when first asked: by build id in /usr/lib/debug/.build-id, else by
 * .gnu_debuglink beside the file, in .debug there and below /usr/lib/debug. NULL when none is there
 * that belongs to file: with the same build id or, by .gnu_debuglink, the same checksum. The path is file's.
 */
const char *elf_file_debug_path(struct elf_file *file);
/* The same, open; it is file's. */
struct elf_file *elf_file_debug(struct elf_file *file);
void debug_file_close(struct debug_file *debug);

#endif
