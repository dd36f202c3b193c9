// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "listener.h"

#include <sys/mman.h>

#include "../record/record.h"
#include "address_space.h"
#include "object.h"

void listener_tell(const struct tasks_listener *listener, const struct record *record,
		   const struct object *object)
{
	if (listener->tell)
		listener->tell(listener->context, record, object);
}

/* Memory without a file is called as perf calls it. */
static const char *path_of(const struct object *object)
{
	return object->kind == OBJECT_ANON || object->kind == OBJECT_UNKNOWN ? "//anon" :
									       object->path;
}

void listener_tell_mapping(const struct tasks_listener *listener, pid_t pid,
			   const struct mapping *mapping)
{
	const struct object *object = mapping->object;
	struct record record = {
		.time = mapping->since,
		.kind = RECORD_MMAP,
		.cpu = UINT32_MAX,
		.pid = (uint32_t)pid,
		.tid = (uint32_t)pid,
		.mmap = { .start = mapping->start,
			  .length = mapping->end - mapping->start,
			  .file_offset = mapping->file_offset,
			  .protection = PROT_READ | PROT_EXEC },
	};

	if (!object)
		return;
	record.mmap.inode = object->inode;
	record.mmap.major = object->major;
	record.mmap.minor = object->minor;
	record.mmap.path = path_of(object);
	listener_tell(listener, &record, object);
}

void listener_tell_comm(const struct tasks_listener *listener, pid_t pid, pid_t tid, uint64_t time,
			const char *comm)
{
	const struct record record = {
		.time = time,
		.kind = RECORD_COMM,
		.cpu = UINT32_MAX,
		.pid = (uint32_t)pid,
		.tid = (uint32_t)tid,
		.comm = { .comm = comm },
	};

	listener_tell(listener, &record, NULL);
}
