// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "file_ids.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "../object/elf_file.h"
#include "../object/kernel_image.h"
#include "../perf_data/writer.h"
#include "../process/object.h"

#define KERNEL "[kernel.kallsyms]"

void file_ids_free(struct file_ids *ids)
{
	free(ids->files);
	ids->files = NULL;
	ids->count = 0;
}

/* The id that a recording lists for a path; NULL: none. */
static const struct perf_data_build_id *find_recorded(const struct perf_data_info *recorded,
						      uint16_t misc, const char *path)
{
	for (size_t i = 0; i < recorded->build_id_count; i++) {
		const struct perf_data_build_id *id = &recorded->build_ids[i];

		if ((id->misc & PERF_RECORD_MISC_CPUMODE_MASK) == misc && !strcmp(id->path, path))
			return id;
	}
	return NULL;
}

/* What is there now may be another file than the one that was recorded. */
static void take_recorded(const struct perf_data_info *recorded, struct file_id *id)
{
	const struct perf_data_build_id *found =
		find_recorded(recorded, PERF_RECORD_MISC_USER, id->object->path);

	if (!found)
		return;
	id->size = found->size;
	memcpy(id->bytes, found->bytes, sizeof(id->bytes));
}

static void read_build_id(struct file_id *id)
{
	struct elf_file *file;
	size_t size;

	if (id->object->fd < 0 || elf_file_open_fd(id->object->fd, &file))
		return;
	/* a longer one than perf knows is none for it */
	size = elf_file_build_id(file, id->bytes, sizeof(id->bytes));
	if (size <= sizeof(id->bytes))
		id->size = (uint8_t)size;
	elf_file_close(file);
}

static int make_room(struct file_ids *ids, size_t wanted)
{
	size_t room = wanted * 2;
	struct file_id *grown;

	if (wanted <= ids->count)
		return 0;
	grown = reallocarray(ids->files, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + ids->count, 0, (room - ids->count) * sizeof(*grown));
	ids->files = grown;
	ids->count = room;
	return 0;
}

struct file_id *file_ids_get(struct file_ids *ids, const struct object *object)
{
	struct file_id *id;

	if (object->kind != OBJECT_FILE || make_room(ids, (size_t)object->id + 1))
		return NULL;
	id = &ids->files[object->id];
	if (id->object)
		return id;
	id->object = object;
	if (ids->recorded)
		take_recorded(ids->recorded, id);
	else
		read_build_id(id);
	return id;
}

static int put_kernel(const struct file_ids *ids, struct perf_data_writer *writer)
{
	struct perf_data_build_id here = { .pid = UINT32_MAX,
					   .misc = PERF_RECORD_MISC_KERNEL,
					   .path = KERNEL };
	const struct perf_data_build_id *id = &here;

	if (ids->recorded)
		id = find_recorded(ids->recorded, PERF_RECORD_MISC_KERNEL, KERNEL);
	else
		here.size = (uint8_t)kernel_image_build_id(here.bytes, sizeof(here.bytes));
	return id && id->size ? perf_data_writer_add_build_id(writer, id) : 0;
}

int file_ids_put(const struct file_ids *ids, struct perf_data_writer *writer)
{
	int err = ids->kernel_is_hit ? put_kernel(ids, writer) : 0;

	for (size_t i = 0; !err && i < ids->count; i++) {
		struct perf_data_build_id id = {
			.pid = UINT32_MAX,
			.misc = PERF_RECORD_MISC_USER,
			.size = ids->files[i].size,
		};

		if (!ids->files[i].is_hit || !id.size)
			continue;
		id.path = ids->files[i].object->path;
		memcpy(id.bytes, ids->files[i].bytes, sizeof(id.bytes));
		err = perf_data_writer_add_build_id(writer, &id);
	}
	return err;
}
