// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All processes by pid, each pid with its lives from the newest back. Side-band records change
 * them; a stack asks them. Nothing is forgotten before the end: what has exited is still asked for.
 */
#include "tasks.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "../record/record.h"
#include "locate.h"
#include "mapping_object.h"
#include "process.h"

struct task {
	pid_t pid;
	struct process *newest;
	UT_hash_handle hh;
};

struct tasks {
	struct objects *objects;
	struct object *unknown; /* made beforehand: tasks_resolve() cannot fail */
	struct task *table;
	struct tasks_listener listener;
	bool is_recorded;
};

struct tasks *tasks_new(struct objects *objects)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	tasks->objects = objects;
	tasks->unknown = objects_special(objects, OBJECT_UNKNOWN, NULL);
	if (tasks->unknown)
		return tasks;
	free(tasks);
	return NULL;
}

void tasks_free(struct tasks *tasks)
{
	struct task *task, *next;

	if (!tasks)
		return;
	HASH_ITER(hh, tasks->table, task, next) {
		HASH_DEL(tasks->table, task);
		while (task->newest) {
			struct process *older = task->newest->older;

			process_free(task->newest);
			task->newest = older;
		}
		free(task);
	}
	free(tasks);
}

void tasks_set_recorded(struct tasks *tasks)
{
	tasks->is_recorded = true;
}

void tasks_set_listener(struct tasks *tasks, const struct tasks_listener *listener)
{
	struct task *task, *next;

	tasks->listener = *listener;
	HASH_ITER(hh, tasks->table, task, next) {
		process_tell(task->newest, listener);
	}
}

static struct process *newest_process(const struct tasks *tasks, pid_t pid)
{
	struct task *task = NULL;

	HASH_FIND(hh, tasks->table, &pid, sizeof(pid), task);
	return task ? task->newest : NULL;
}

static struct process *process_at(const struct tasks *tasks, pid_t pid, uint64_t time)
{
	struct process *process = newest_process(tasks, pid);

	while (process && process->since > time)
		process = process->older;
	return process;
}

/* Makes process the newest of its pid; takes it over, also when it fails. */
static int add_process(struct tasks *tasks, struct process *process)
{
	struct task *task = NULL;

	HASH_FIND(hh, tasks->table, &process->pid, sizeof(process->pid), task);
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			goto cleanup;
		task->pid = process->pid;
		HASH_ADD(hh, tasks->table, pid, sizeof(task->pid), task);
		if (!task->hh.tbl)
			goto cleanup;
	}
	process->older = task->newest;
	task->newest = process;
	return 0;
cleanup:
	free(task);
	process_free(process);
	return -ENOMEM;
}

/* The process of a record: one that was never heard of was there before us. NULL without memory. */
static struct process *process_of(struct tasks *tasks, pid_t pid, uint64_t time)
{
	struct process *process = process_at(tasks, pid, time);

	if (process || newest_process(tasks, pid))
		return process;
	process = process_new(pid, 0);
	return process && !add_process(tasks, process) ? process : NULL;
}

/*
 * A process that we only heard of in passing may be alive still: what it has mapped now, it may
 * have had all along, where nothing newer is known. Asked once; and only if no other has its pid by
 * now.
 */
static void complete_start(struct tasks *tasks, struct process *process)
{
	if (tasks->is_recorded || process->start_known ||
	    process != newest_process(tasks, process->pid))
		return;
	process->start_known = true;
	process_scan(process, tasks->objects, 0, &tasks->listener);
}

int tasks_scan(struct tasks *tasks, pid_t pid, uint64_t time)
{
	struct process *process = newest_process(tasks, pid);
	int err;

	if (process && process->start_known)
		return 0;
	if (process) {
		err = process_scan(process, tasks->objects, time, &tasks->listener);
		process->start_known = !err;
		return err;
	}
	process = process_new(pid, 0);
	if (!process)
		return -ENOMEM;
	err = process_scan(process, tasks->objects, time, &tasks->listener);
	if (err) {
		process_free(process);
		return err;
	}
	process->start_known = true;
	return add_process(tasks, process);
}

int tasks_scan_all(struct tasks *tasks, uint64_t time)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (entry = readdir(proc))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid > INT32_MAX)
			continue;
		err = tasks_scan(tasks, (pid_t)pid, time);
		/* It has ended, or is not ours to look at. */
		if (err == -ESRCH || err == -EACCES || err == -EPERM)
			err = 0;
	}
	closedir(proc);
	return err;
}

bool tasks_is_known(const struct tasks *tasks, pid_t pid)
{
	return newest_process(tasks, pid);
}

int tasks_each(const struct tasks *tasks, int (*callback)(void *context, pid_t pid), void *context)
{
	struct task *task, *next;
	int result = 0;

	HASH_ITER(hh, tasks->table, task, next) {
		result = callback(context, task->pid);
		if (result)
			break;
	}
	return result;
}

static int apply_mmap(struct tasks *tasks, const struct record *record,
		      const struct object **object)
{
	const struct record_mmap *mmap = &record->mmap;
	struct process *process = process_of(tasks, (pid_t)record->pid, record->time);
	struct mapped_file mapped = {
		.major = mmap->major,
		.minor = mmap->minor,
		.inode = mmap->inode,
		.path = mmap->path,
		.pid = tasks->is_recorded ? 0 : (pid_t)record->pid,
		.start = mmap->start,
		.end = mmap->start + mmap->length,
	};
	struct mapping mapping = {
		.start = mapped.start,
		.end = mapped.end,
		.file_offset = mmap->file_offset,
		.since = record->time,
	};

	if (!process)
		return newest_process(tasks, (pid_t)record->pid) ? 0 : -ENOMEM;
	if (mapping.end <= mapping.start)
		return 0;
	/* A mapping without code still takes the place of one that had some. */
	if (mmap->protection & PROT_EXEC) {
		mapping.object = mapping_object(tasks->objects, &mapped);
		if (!mapping.object)
			return -ENOMEM;
		*object = mapping.object;
	}
	return address_space_map(&process->space, &mapping);
}

static int apply_comm(struct tasks *tasks, const struct record *record)
{
	struct process *process = process_of(tasks, (pid_t)record->pid, record->time);

	if (!process)
		return newest_process(tasks, (pid_t)record->pid) ? 0 : -ENOMEM;
	if (record->comm.is_exec) {
		/* A process of which only the exec was seen: what went before cannot be known. */
		process->start_known = true;
		if (address_space_clear(&process->space, record->time))
			return -ENOMEM;
	}
	return process_set_comm(process, (pid_t)record->tid, record->time, record->comm.comm);
}

static int apply_thread(struct tasks *tasks, const struct record *record)
{
	struct process *process = process_of(tasks, (pid_t)record->pid, record->time);
	const char *parent;
	char comm[TRACER_COMM];

	if (!process)
		return newest_process(tasks, (pid_t)record->pid) ? 0 : -ENOMEM;
	parent = process_comm(process, (pid_t)record->fork.parent_tid, record->time);
	if (!parent)
		return 0;
	snprintf(comm, sizeof(comm), "%s", parent);
	return process_set_comm(process, (pid_t)record->tid, record->time, comm);
}

static int apply_fork(struct tasks *tasks, const struct record *record)
{
	struct process *child = newest_process(tasks, (pid_t)record->pid), *parent;
	int err = 0;

	if (record->pid == record->fork.parent_pid)
		return apply_thread(tasks, record);
	if (child && child->since >= record->time)
		return 0; /* told twice, or too late */
	child = process_new((pid_t)record->pid, record->time);
	if (!child)
		return -ENOMEM;
	parent = process_of(tasks, (pid_t)record->fork.parent_pid, record->time);
	if (parent) {
		complete_start(tasks, parent);
		err = process_fork(child, parent, (pid_t)record->fork.parent_tid);
	}
	if (err) {
		process_free(child);
		return err;
	}
	child->start_known = true;
	return add_process(tasks, child);
}

static int apply(struct tasks *tasks, const struct record *record, const struct object **object)
{
	switch (record->kind) {
	case RECORD_MMAP:
		return apply_mmap(tasks, record, object);
	case RECORD_COMM:
		return apply_comm(tasks, record);
	case RECORD_FORK:
		return apply_fork(tasks, record);
	default: /* RECORD_EXIT too: what it had is still asked for */
		return 0;
	}
}

static bool changes_tasks(const struct record *record)
{
	return record->kind == RECORD_MMAP || record->kind == RECORD_COMM ||
	       record->kind == RECORD_FORK || record->kind == RECORD_EXIT;
}

int tasks_apply(struct tasks *tasks, const struct record *record)
{
	const struct object *object = NULL;
	bool is_kernel = record->kind == RECORD_MMAP && record->pid == UINT32_MAX;
	int err = is_kernel ? 0 : apply(tasks, record, &object);

	if (!err && changes_tasks(record))
		listener_tell(&tasks->listener, record, object);
	return err;
}

void tasks_resolve(struct tasks *tasks, pid_t pid, uint64_t time, uint64_t ip, struct frame *frame)
{
	struct process *process = process_of(tasks, pid, time);
	const struct mapping *mapping = NULL;

	if (process) {
		complete_start(tasks, process);
		mapping = address_space_find(&process->space, ip, time);
	}
	frame->object = tasks->unknown;
	frame->offset = ip;
	frame->exact = false;
	if (!mapping || !mapping->object)
		return;
	frame->object = mapping->object;
	if (frame->object->kind == OBJECT_FILE)
		frame->offset = ip - mapping->start + mapping->file_offset;
	else if (frame->object->kind == OBJECT_VDSO)
		frame->offset = ip - mapping->start;
}

bool tasks_locate(const struct tasks *tasks, pid_t pid, uint64_t time, const struct frame *frame,
		  uint64_t *ip)
{
	const struct process *process = process_at(tasks, pid, time);
	const struct mapping *mapping;
	bool by_file = frame->object->kind == OBJECT_FILE;

	*ip = frame->offset;
	if (!by_file && frame->object->kind != OBJECT_VDSO)
		return true;
	mapping = process ? address_space_find_offset(&process->space, frame->object, frame->offset,
						      time) :
			    NULL;
	if (mapping)
		*ip += mapping->start - (by_file ? mapping->file_offset : 0);
	return mapping;
}

bool tasks_code_around(const struct tasks *tasks, pid_t pid, uint64_t time, uint64_t address,
		       const struct mapping *around[2])
{
	const struct process *process = process_at(tasks, pid, time);

	if (process)
		address_space_around(&process->space, address, time, around);
	return process;
}

const char *tasks_comm(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time)
{
	const struct process *process = process_at(tasks, pid, time);

	return process ? process_comm(process, tid, time) : NULL;
}

uint64_t tasks_address_of(struct tasks *tasks, pid_t pid, const struct object *object,
			  uint64_t offset)
{
	return locate_offset(tasks->objects, pid, object, offset);
}

/* The last of the numbers in "NSpid:\t12\t3\n": the innermost namespace's. */
static pid_t last_number(const char *line, pid_t otherwise)
{
	char *end;
	long pid = otherwise, next;

	for (;; line = end) {
		next = strtol(line, &end, 10);
		if (end == line)
			return (pid_t)pid;
		if (next > 0 && next <= INT32_MAX)
			pid = next;
	}
}

pid_t tasks_namespace_pid(pid_t pid)
{
	static const char key[] = "NSpid:";
	char line[512], path[32];
	pid_t inner = pid;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "re");
	if (!status)
		return pid;
	while (fgets(line, sizeof(line), status)) {
		if (!strncmp(line, key, sizeof(key) - 1))
			inner = last_number(line + sizeof(key) - 1, pid);
	}
	fclose(status);
	return inner;
}
