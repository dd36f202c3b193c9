// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A process and how its first state is found: from its parent, or from /proc. */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "mapping_object.h"
#include "proc_maps.h"

#define COMM_SIZE 16 /* TASK_COMM_LEN */

struct named {
	uint64_t time;
	char comm[COMM_SIZE];
};

struct thread {
	pid_t tid;
	struct named *names; /* by time */
	size_t count;
	UT_hash_handle hh;
};

struct process *process_new(pid_t pid, uint64_t since)
{
	struct process *process = calloc(1, sizeof(*process));

	if (process) {
		process->pid = pid;
		process->since = since;
	}
	return process;
}

void process_free(struct process *process)
{
	struct thread *thread, *next;

	if (!process)
		return;
	HASH_ITER(hh, process->threads, thread, next) {
		HASH_DEL(process->threads, thread);
		free(thread->names);
		free(thread);
	}
	address_space_free(&process->space);
	free(process);
}

static struct thread *thread_get(struct process *process, pid_t tid)
{
	struct thread *thread = NULL;

	HASH_FIND(hh, process->threads, &tid, sizeof(tid), thread);
	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	HASH_ADD(hh, process->threads, tid, sizeof(thread->tid), thread);
	if (thread->hh.tbl)
		return thread;
	free(thread);
	return NULL;
}

int process_set_comm(struct process *process, pid_t tid, uint64_t time, const char *comm)
{
	struct thread *thread = thread_get(process, tid);
	struct named *grown, *last, name = { .time = time };
	size_t at;

	if (!thread)
		return -ENOMEM;
	memcpy(name.comm, comm, strnlen(comm, COMM_SIZE - 1));
	last = thread->count ? &thread->names[thread->count - 1] : NULL;
	if (last && last->time <= time && !strcmp(last->comm, name.comm))
		return 0;
	grown = reallocarray(thread->names, thread->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	thread->names = grown;
	for (at = thread->count++; at > 0 && grown[at - 1].time > time; at--)
		grown[at] = grown[at - 1];
	grown[at] = name;
	return 0;
}

const char *process_comm(const struct process *process, pid_t tid, uint64_t time)
{
	struct thread *thread = NULL;

	HASH_FIND(hh, process->threads, &tid, sizeof(tid), thread);
	if (!thread)
		return NULL;
	for (size_t at = thread->count; at-- > 0;) {
		if (thread->names[at].time <= time)
			return thread->names[at].comm;
	}
	return NULL;
}

int process_fork(struct process *child, const struct process *parent, pid_t parent_tid)
{
	const struct address_space *space = &parent->space;
	const char *comm = process_comm(parent, parent_tid, child->since);

	child->start_known = true;
	child->space.base = space;
	child->space.base_time = child->since;
	child->space.base_until = UINT64_MAX;
	/* A parent that has nothing of its own yet is passed over: chains of forks stay short. */
	if (space->base && !space->current_count && !space->past_count &&
	    child->since < space->base_until) {
		child->space.base = space->base;
		child->space.base_time = space->base_time;
	}
	return comm ? process_set_comm(child, child->pid, child->since, comm) : 0;
}

static int scan_maps(struct process *process, struct objects *objects, uint64_t time,
		     const struct tasks_listener *listener)
{
	struct proc_mapping line;
	char *text, *at;
	int err = proc_maps_read(process->pid, &text);

	for (at = text; !err && proc_maps_next(&at, &line);) {
		struct mapped_file mapped = {
			.major = line.major,
			.minor = line.minor,
			.inode = line.inode,
			.path = line.path,
			.pid = process->pid,
			.start = line.start,
			.end = line.end,
		};
		struct mapping mapping = {
			.start = line.start,
			.end = line.end,
			.file_offset = line.file_offset,
			.since = time,
		};

		if (!(line.protection & PROT_EXEC))
			continue;
		mapping.object = mapping_object(objects, &mapped);
		err = mapping.object ? address_space_map(&process->space, &mapping) : -ENOMEM;
		if (!err)
			listener_tell_mapping(listener, process->pid, &mapping);
	}
	free(text);
	return err;
}

static int scan_comm(struct process *process, pid_t tid, uint64_t time,
		     const struct tasks_listener *listener)
{
	char path[64], comm[COMM_SIZE + 1];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", process->pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* it has ended */
	length = read(fd, comm, sizeof(comm) - 1);
	close(fd);
	if (length <= 0)
		return 0;
	if (comm[length - 1] == '\n')
		length--;
	comm[length] = '\0';
	listener_tell_comm(listener, process->pid, tid, time, comm);
	return process_set_comm(process, tid, time, comm);
}

static int scan_threads(struct process *process, uint64_t time,
			const struct tasks_listener *listener)
{
	struct dirent *entry;
	char path[32];
	int err = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", process->pid);
	tasks = opendir(path);
	if (!tasks)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (entry = readdir(tasks))) {
		long tid = strtol(entry->d_name, NULL, 10);

		if (tid > 0 && tid <= INT32_MAX)
			err = scan_comm(process, (pid_t)tid, time, listener);
	}
	closedir(tasks);
	return err;
}

int process_scan(struct process *process, struct objects *objects, uint64_t time,
		 const struct tasks_listener *listener)
{
	int err = scan_maps(process, objects, time, listener);

	return err ? err : scan_threads(process, time, listener);
}

void process_tell(const struct process *process, const struct tasks_listener *listener)
{
	struct thread *thread, *next;

	for (size_t i = 0; i < process->space.current_count; i++)
		listener_tell_mapping(listener, process->pid, &process->space.current[i]);
	HASH_ITER(hh, process->threads, thread, next) {
		const struct named *last = &thread->names[thread->count - 1];

		listener_tell_comm(listener, process->pid, thread->tid, last->time, last->comm);
	}
}
