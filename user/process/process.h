/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One life of one pid: its address space and the names of its threads, over time. */
#ifndef TRACER_PROCESS_H
#define TRACER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "address_space.h"
#include "listener.h"

struct objects;
struct thread;

struct process {
	pid_t pid;
	uint64_t since;	  /* ns; 0: it was there before us */
	bool start_known; /* what it had mapped before the first record is known, or cannot be */
	struct address_space space;
	struct thread *threads; /* uthash, by tid */
	struct process *older;	/* an earlier process of that pid */
};

struct process *process_new(pid_t pid, uint64_t since);
void process_free(struct process *process);
/*
 * Makes child what fork() made it: parent's space and the comm of parent_tid at child->since. The
 * parent must outlive the child. 0 or -ENOMEM.
 */
int process_fork(struct process *child, const struct process *parent, pid_t parent_tid);
/* comm is cut to 15 characters. 0 or -ENOMEM. */
int process_set_comm(struct process *process, pid_t tid, uint64_t time, const char *comm);
/* The last comm of a thread at or before time, or NULL. Valid until the next process_set_comm(). */
const char *process_comm(const struct process *process, pid_t tid, uint64_t time);
/*
 * Adds what /proc tells of the process now: its executable mappings and its threads' comms, as
 * valid from time on. 0 or -errno (-ESRCH: it is gone).
 */
int process_scan(struct process *process, struct objects *objects, uint64_t time,
		 const struct tasks_listener *listener);
/* What is mapped and how threads are called, as far as it is known and not from a parent. */
void process_tell(const struct process *process, const struct tasks_listener *listener);

#endif
