// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Only code is known of what is mapped. The kernel maps an object's segments at one distance from where they were
 * linked to, with nothing of others between them, so the code tells where the constants are.
 */
#include "constants.h"

#include "../object/elf_file.h"
#include "address_space.h"
#include "object.h"
#include "tasks.h"

static const struct elf_file *file_of(struct constants *constants, const struct object *object)
{
	if (constants->object == object)
		return constants->file;
	constants_close(constants);
	constants->object = object;
	if (object->fd < 0 || !object_is_unchanged(object) ||
	    elf_file_open_fd(object->fd, &constants->file))
		constants->file = NULL;
	return constants->file;
}

size_t constants_read(struct constants *constants, pid_t pid, uint64_t time, uint64_t address,
		      void *buffer, size_t size)
{
	const struct mapping *around[2];
	size_t copied = 0;
	uint64_t bias;

	if (!tasks_code_around(constants->tasks, pid, time, address, around))
		return 0;
	for (int i = 0; i < 2 && !copied; i++) {
		const struct elf_file *file = around[i] ? file_of(constants, around[i]->object) :
							  NULL;

		if (file &&
		    elf_file_load_bias(file, around[i]->start, around[i]->end - around[i]->start,
				       around[i]->file_offset, &bias))
			copied = elf_file_read_constant(file, address - bias, buffer, size);
	}
	return copied;
}

void constants_close(struct constants *constants)
{
	elf_file_close(constants->file);
	constants->file = NULL;
	constants->object = NULL;
}
