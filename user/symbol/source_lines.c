// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each object's debug information is opened once, from the object itself or its separate debug file. */
#include "source_lines.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "../debug/debug_info.h"
#include "../debug/line_at.h"
#include "../object/debug_file.h"
#include "../object/elf_file.h"
#include "../process/object.h"

struct described {
	uint32_t id; /* the object's */
	struct elf_file *file;
	struct debug_info *info; /* NULL: there is none */
	UT_hash_handle hh;
};

struct source_lines {
	struct described *objects;
};

struct source_lines *source_lines_new(void)
{
	return calloc(1, sizeof(struct source_lines));
}

void source_lines_free(struct source_lines *lines)
{
	struct described *object, *next;

	if (!lines)
		return;
	HASH_ITER(hh, lines->objects, object, next) {
		HASH_DEL(lines->objects, object);
		debug_info_close(object->info);
		elf_file_close(object->file);
		free(object);
	}
	free(lines);
}

static void open_info(const struct object *object, struct described *described)
{
	const char *path;

	if (object->kind != OBJECT_FILE || object->fd < 0 || !object_is_unchanged(object) ||
	    elf_file_open_fd(object->fd, &described->file))
		return;
	if (!debug_info_open_fd(object->fd, &described->info))
		return;
	path = elf_file_debug_path(described->file);
	if (path)
		debug_info_open(path, &described->info);
}

static struct described *describe(struct source_lines *lines, const struct object *object)
{
	struct described *described = NULL;

	HASH_FIND(hh, lines->objects, &object->id, sizeof(object->id), described);
	if (described)
		return described;
	described = calloc(1, sizeof(*described));
	if (!described)
		return NULL;
	described->id = object->id;
	open_info(object, described);
	HASH_ADD(hh, lines->objects, id, sizeof(described->id), described);
	if (described->hh.tbl)
		return described;
	debug_info_close(described->info);
	elf_file_close(described->file);
	free(described);
	return NULL;
}

bool source_lines_of(struct source_lines *lines, const struct frame *frame, bool is_after,
		     struct source_line *line)
{
	struct described *described = describe(lines, frame->object);
	const char *slash;
	uint64_t vaddr;

	if (!described || !described->info ||
	    !elf_file_offset_to_vaddr(described->file, frame->offset, &vaddr) ||
	    debug_line_at(described->info, vaddr - is_after, &line->file, &line->number))
		return false;
	slash = strrchr(line->file, '/');
	if (slash)
		line->file = slash + 1;
	return true;
}
