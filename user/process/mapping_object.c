// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of mappings, as the kernel writes them in /proc/PID/maps and PERF_RECORD_MMAP2. Those of
 * files begin with a slash, but so do some that are no files.
 */
#include "mapping_object.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* "/SYSV" and the key, as System V shared memory is called. */
static bool is_sysv_memory(const char *path)
{
	return has_prefix(path, "/SYSV") && strspn(path + 5, "0123456789abcdef") == 8;
}

bool mapping_is_anonymous(const char *path)
{
	static const char *const prefixes[] = {
		"//", /* perf's "//anon" */
		"[heap]", "[stack", "[anon", "/dev/zero", "/anon_hugepage",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (has_prefix(path, prefixes[i]))
			return true;
	}
	return (path[0] != '/' && path[0] != '[') || is_sysv_memory(path);
}

/* Programs are run from a memfd, and JIT code is kept in one. */
static bool is_elf(const struct object *object)
{
	char magic[SELFMAG];

	return object->fd >= 0 && pread(object->fd, magic, sizeof(magic), 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

struct object *mapping_object(struct objects *objects, const struct mapped_file *mapped)
{
	struct object *object;

	if (!strcmp(mapped->path, "[vdso]"))
		return objects_special(objects, OBJECT_VDSO, NULL);
	if (mapping_is_anonymous(mapped->path))
		return objects_special(objects, OBJECT_ANON, NULL);
	if (mapped->path[0] == '[')
		return objects_special(objects, OBJECT_SPECIAL, mapped->path);
	object = objects_file(objects, mapped->major, mapped->minor, mapped->inode, mapped->path,
			      mapped->pid, mapped->start, mapped->end);
	if (object && has_prefix(mapped->path, "/memfd:") && !is_elf(object))
		return objects_special(objects, OBJECT_ANON, NULL);
	return object;
}
