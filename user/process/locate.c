// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From a file offset to an address. One page of a file can be mapped twice (the end of one segment
 * and the beginning of the next), and .bss is in no file at all, so the mappings alone do not tell:
 * an executable mapping tells the load bias, and the ELF file the rest. A file that is no ELF file
 * has only its mappings.
 */
#include "locate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../object/elf_file.h"
#include "object.h"
#include "proc_maps.h"

struct place {
	const struct objects *objects;
	const struct object *object;
	uint64_t offset;
};

static bool same_path(const char *mapped, const char *path)
{
	size_t length = strlen(path);

	return !strncmp(mapped, path, length) &&
	       (!mapped[length] || !strcmp(mapped + length, " (deleted)"));
}

static bool is_of(const struct proc_mapping *mapping, const struct place *place)
{
	const struct object *object = place->object, *known;

	if (object->kind == OBJECT_VDSO)
		return !strcmp(mapping->path, "[vdso]");
	if (object->kind != OBJECT_FILE || !mapping->inode)
		return false;
	known = objects_find(place->objects, mapping->major, mapping->minor, mapping->inode);
	if (known == object)
		return true;
	/* A file found by path on a file system whose stat() tells another device. */
	return same_path(mapping->path, object->path) &&
	       (!object->inode || object->inode == mapping->inode);
}

static uint64_t by_mapping(char *text, const struct place *place)
{
	struct proc_mapping mapping;

	while (proc_maps_next(&text, &mapping)) {
		uint64_t first = place->object->kind == OBJECT_VDSO ? 0 : mapping.file_offset;

		if (is_of(&mapping, place) && place->offset >= first &&
		    place->offset - first < mapping.end - mapping.start)
			return mapping.start + (place->offset - first);
	}
	return 0;
}

/*
 * The biases of all loads of the object (dlmopen loads twice), the first for which what we look for
 * is mapped. text is spoilt by the parser, so each pass has a copy.
 */
static bool is_mapped(const char *text, uint64_t address)
{
	char *copy = strdup(text), *at = copy;
	struct proc_mapping mapping;
	bool found = false;

	while (copy && !found && proc_maps_next(&at, &mapping))
		found = address >= mapping.start && address < mapping.end;
	free(copy);
	return found;
}

static uint64_t by_bias(const char *text, const struct place *place, struct elf_file *file,
			uint64_t vaddr)
{
	char *copy = strdup(text), *at = copy;
	struct proc_mapping mapping;
	uint64_t bias, address = 0;

	while (copy && !address && proc_maps_next(&at, &mapping)) {
		if (!(mapping.protection & PROT_EXEC) || !is_of(&mapping, place) ||
		    !elf_file_load_bias(file, mapping.start, mapping.end - mapping.start,
					mapping.file_offset, &bias))
			continue;
		if (is_mapped(text, vaddr + bias))
			address = vaddr + bias;
	}
	free(copy);
	return address;
}

uint64_t locate_offset(const struct objects *objects, pid_t pid, const struct object *object,
		       uint64_t offset)
{
	struct place place = { objects, object, offset };
	struct elf_file *file = NULL;
	uint64_t vaddr, address = 0;
	char *text;

	if (proc_maps_read(pid, &text))
		return 0;
	if (object->kind == OBJECT_FILE && object->fd >= 0 &&
	    !elf_file_open_fd(object->fd, &file) && elf_file_offset_to_vaddr(file, offset, &vaddr))
		address = by_bias(text, &place, file, vaddr);
	if (!address)
		address = by_mapping(text, &place);
	elf_file_close(file);
	free(text);
	return address;
}
