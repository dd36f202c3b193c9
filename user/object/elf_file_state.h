/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an elf_file is made of: for the files of this folder that read one. */
#ifndef TRACER_ELF_FILE_STATE_H
#define TRACER_ELF_FILE_STATE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_file.h"
#include "mini_debug.h"

struct segment {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t file_size;
	uint64_t memory_size; /* at least file_size; what is beyond that is zero-filled (.bss) */
	bool executable;
	bool writable;
};

struct elf_file {
	Elf *elf;
	int fd; /* -1 for an image in memory */
	bool owns_fd;
	char *path; /* as it was opened; NULL when it was not opened by path */
	const char *image;
	size_t image_size;
	GElf_Ehdr header;
	struct segment *segments;
	size_t segment_count;
	struct symbol_table *symbols; /* NULL until asked for */
	struct debug_file debug;
	struct mini_debug mini;
};

#endif
