// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --off-cpu and --wall: the scheduler tracepoints. Fork, exec and exit programs are attached for every
 * run whose target grows (follow.c); here is what only time off the CPU needs.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "source.h"
#include "thread_list.h"
#include "tracer.skel.h"

static int sched_prepare(struct source *source, struct source_context *context)
{
	source->info.kind = REC_OFFCPU;
	source->info.name = strdup("off-cpu");
	source->info.period = 1;
	bpf_program__set_autoload(context->bpf->skeleton->progs.on_switch, true);
	return source->info.name ? 0 : -ENOMEM;
}

static int sched_attach(struct source *source, struct source_context *context)
{
	struct bpf_link *link = bpf_program__attach(context->bpf->skeleton->progs.on_switch);

	source->private = link;
	if (!link) {
		int err = -errno;

		log_error("off-cpu: the scheduler's tracepoint sched_switch cannot be attached: %s",
			  strerror(-err));
		return err;
	}
	return 0;
}

/* The state letter of a thread in /proc/TID/stat, behind the comm, which may hold anything; 0 when it is gone. */
static char thread_state(pid_t pid, pid_t tid)
{
	char path[64], line[512];
	char *end;
	FILE *file;
	char state = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file)) {
		end = strrchr(line, ')');
		if (end && end[1] == ' ')
			state = end[2];
	}
	fclose(file);
	return state;
}

/* A thread that has been off the CPU since before we looked: its wait counts from the beginning on. */
static int seed_thread(struct source_context *context, pid_t pid, pid_t tid, uint64_t now)
{
	struct blocked blocked = { .since = now,
				   .tgid = (uint32_t)pid,
				   .flags = EVENT_BEFORE_START };
	int map = bpf_map__fd(context->bpf->skeleton->maps.blocked);
	uint32_t key = (uint32_t)tid;
	char state = thread_state(pid, tid);

	if (!state || state == 'Z' || state == 'X')
		return 0;
	if (state == 'R')
		blocked.flags |=
			EVENT_RUNNABLE; /* or it runs now, and the next switch puts that right */
	else
		blocked.state = state == 'D' ? 2 : 1;
	/* what a program has put there meanwhile knows better */
	if (bpf_map_update_elem(map, &key, &blocked, BPF_NOEXIST) && errno != EEXIST)
		return -errno;
	return 0;
}

static int seed_process(struct source_context *context, pid_t pid, uint64_t now)
{
	struct thread_list threads = {};
	int err = thread_list_read(pid, &threads);

	if (err == -ENOENT)
		err = 0; /* gone */
	for (size_t i = 0; !err && i < threads.count; i++)
		err = seed_thread(context, pid, threads.tids[i], now);
	thread_list_free(&threads);
	return err;
}

/* Threads that were asked for, and those of processes; a COMMAND has not begun, so it has not waited. */
static int seed_targets(struct source_context *context, uint64_t now)
{
	const struct target *target = context->target;
	int err = 0;

	if (target->mode == TARGET_THREADS) {
		for (size_t i = 0; !err && i < target->tid_count; i++)
			if (target->tids[i] != target->command)
				err = seed_thread(context, thread_process(target->tids[i]),
						  target->tids[i], now);
		return err;
	}
	for (size_t i = 0; !err && i < target->pid_count; i++)
		if (target->pids[i] != target->command)
			err = seed_process(context, target->pids[i], now);
	return err;
}

static int sched_begin(struct source *source, struct source_context *context, uint64_t now)
{
	int err = seed_targets(context, now);

	(void)source;
	if (err)
		log_warn("off-cpu: threads that were blocked before the start are not all known: %s",
			 strerror(-err));
	return 0;
}

static void sched_detach(struct source *source)
{
	bpf_link__destroy(source->private);
	source->private = NULL;
}

const struct source_ops source_sched = {
	.name = "off-cpu",
	.prepare = sched_prepare,
	.attach = sched_attach,
	.begin = sched_begin,
	.detach = sched_detach,
	.close = sched_detach,
};
