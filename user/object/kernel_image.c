// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel_image.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"

int kernel_image_text(uint64_t *begin, uint64_t *end)
{
	const struct kernel_symbol *first, *last;
	struct kallsyms *symbols;
	uint64_t size;
	int err = kallsyms_load(&symbols);

	if (!err) {
		first = kallsyms_find(symbols, "_text", &size);
		last = kallsyms_find(symbols, "_etext", &size);
		if (first && last && first->address < last->address) {
			*begin = first->address;
			*end = last->address;
		} else {
			err = -ENOENT;
		}
	}
	kallsyms_free(symbols);
	return err;
}

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

/* Notes as ELF files have them, one behind the other. */
static size_t find_build_id(const char *notes, size_t left, uint8_t *id, size_t size)
{
	Elf64_Nhdr note;
	size_t name, whole;

	for (; left >= sizeof(note); notes += whole, left -= whole) {
		memcpy(&note, notes, sizeof(note));
		name = padded(note.n_namesz);
		whole = sizeof(note) + name + padded(note.n_descsz);
		if (whole > left)
			return 0;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(notes + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
			continue;
		if (note.n_descsz < size)
			size = note.n_descsz;
		memcpy(id, notes + sizeof(note) + name, size);
		return size;
	}
	return 0;
}

size_t kernel_image_build_id(uint8_t *id, size_t size)
{
	FILE *file = fopen("/sys/kernel/notes", "re");
	char notes[4096];
	size_t length;

	if (!file)
		return 0;
	length = fread(notes, 1, sizeof(notes), file);
	fclose(file);
	return find_build_id(notes, length, id, size);
}

/* "ext4 737280 1 - Live 0xffffffffc0000000 (E)" */
int kernel_image_each_module_of(const char *path, kernel_module_fn callback, void *context)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, name[64];
	uint64_t size, address;
	size_t room = 0;
	int err = 0;

	if (!file)
		return 0;
	while (!err && getline(&line, &room, file) > 0) {
		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size, &address) ==
			    3 &&
		    size && address)
			err = callback(context, name, address, size);
	}
	free(line);
	fclose(file);
	return err;
}

int kernel_image_each_module(kernel_module_fn callback, void *context)
{
	return kernel_image_each_module_of("/proc/modules", callback, context);
}
