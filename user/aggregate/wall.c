// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* On-CPU time by thread, dealt out to the thread's samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "wall.h"

struct thread_time {
	uint32_t tid;
	uint32_t pid;
	char comm[TRACER_COMM + 1];
	uint64_t ns;
	uint64_t samples;	/* all of them */
	uint64_t dealt_samples; /* those that have their share */
	uint64_t dealt_ns;
	UT_hash_handle hh;
};

struct wall {
	struct thread_time *threads;
};

struct wall *wall_new(void)
{
	return calloc(1, sizeof(struct wall));
}

void wall_free(struct wall *wall)
{
	struct thread_time *thread, *next;

	if (!wall)
		return;
	HASH_ITER(hh, wall->threads, thread, next) {
		HASH_DEL(wall->threads, thread);
		free(thread);
	}
	free(wall);
}

static struct thread_time *find_thread(const struct wall *wall, uint32_t tid)
{
	struct thread_time *thread;

	HASH_FIND(hh, wall->threads, &tid, sizeof(tid), thread);
	return thread;
}

int wall_add_oncpu(struct wall *wall, uint32_t pid, uint32_t tid, const char *comm, uint64_t ns)
{
	struct thread_time *thread = find_thread(wall, tid);

	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return -ENOMEM;
		thread->tid = tid;
		HASH_ADD(hh, wall->threads, tid, sizeof(thread->tid), thread);
		if (!thread->hh.tbl) {
			free(thread);
			return -ENOMEM;
		}
	}
	thread->pid = pid;
	strncpy(thread->comm, comm, TRACER_COMM);
	thread->ns += ns;
	return 0;
}

bool wall_knows(const struct wall *wall, uint32_t tid)
{
	return find_thread(wall, tid) != NULL;
}

static void count_samples(struct wall *wall, struct counts *from)
{
	for (size_t i = 0; i < counts_size(from); i++) {
		const struct count_row *row = counts_row(from, i);
		struct thread_time *thread = find_thread(wall, row->tid);

		if (thread && row->source->kind == REC_SAMPLE)
			thread->samples += row->count;
	}
}

/* The share of the next `count` samples of a thread; rounding is carried on, so that all shares add up. */
static uint64_t deal(struct thread_time *thread, uint64_t count)
{
	__uint128_t due;
	uint64_t share;

	thread->dealt_samples += count;
	due = (__uint128_t)thread->ns * thread->dealt_samples / thread->samples;
	share = (uint64_t)due - thread->dealt_ns;
	thread->dealt_ns += share;
	return share;
}

static int add_unsampled(struct wall *wall, const struct source_info *source, int keep_tid,
			 struct counts *to)
{
	struct thread_time *thread, *next;

	HASH_ITER(hh, wall->threads, thread, next) {
		struct count_row row = { .source = source, .pid = thread->pid, .ns = thread->ns };

		if (thread->samples || !thread->ns)
			continue;
		row.tid = keep_tid ? thread->tid : 0;
		memcpy(row.comm, thread->comm, sizeof(row.comm));
		if (counts_add(to, &row))
			return -ENOMEM;
	}
	return 0;
}

int wall_weigh(struct wall *wall, struct counts *from, const struct source_info *source,
	       int keep_tid, struct counts *to)
{
	count_samples(wall, from);
	for (size_t i = 0; i < counts_size(from); i++) {
		struct count_row row = *counts_row(from, i);
		struct thread_time *thread = find_thread(wall, row.tid);

		if (thread && row.source->kind == REC_SAMPLE && row.count)
			row.ns = deal(thread, row.count);
		if (!keep_tid)
			row.tid = 0;
		if (counts_add(to, &row))
			return -ENOMEM;
	}
	return add_unsampled(wall, source, keep_tid, to);
}
