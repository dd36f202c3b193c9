// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters, threads that are still blocked, and on-CPU times, out of the BPF maps. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drain.h"
#include "process/tasks.h"

static int take_count(void *context, const struct count_key *key, const struct count_value *value)
{
	struct drain *drain = context;

	return collector_count(drain->collector, key, value, drain->end);
}

/* Was runnable when we began and has never left a CPU since: it was not waiting but running. */
static bool ran_all_along(const struct blocked *blocked)
{
	return (blocked->flags & EVENT_BEFORE_START) && (blocked->flags & EVENT_RUNNABLE);
}

/* The thread's name: as side-band told it, else as /proc has it now, for it is still there. */
static void name_thread(struct drain *drain, pid_t pid, pid_t tid, char comm[TRACER_COMM + 1])
{
	const char *known = tasks_comm(drain->collector->tasks, pid, tid, drain->end);
	char path[64], line[TRACER_COMM + 2] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	file = known ? NULL : fopen(path, "re");
	if (file && fgets(line, sizeof(line), file))
		line[strcspn(line, "\n")] = 0;
	if (file)
		fclose(file);
	if (!known)
		known = *line ? line : "?";
	memset(comm, 0, TRACER_COMM + 1);
	memcpy(comm, known, strnlen(known, TRACER_COMM));
}

static int take_blocked(void *context, uint32_t tid, const struct blocked *blocked)
{
	struct drain *drain = context;
	struct record record = {
		.time = drain->end, .kind = RECORD_EVENT, .cpu = blocked->cpu, .tid = tid
	};

	name_thread(drain, (pid_t)blocked->tgid, (pid_t)tid, record.event.comm);
	if (ran_all_along(blocked)) {
		if (!drain->wall)
			return 0;
		return wall_add_oncpu(drain->wall, blocked->tgid, tid, record.event.comm,
				      drain->end - drain->start);
	}
	if (blocked->since >= drain->end || drain->end - blocked->since < drain->off_cpu_min_ns)
		return 0;
	record.pid = blocked->tgid;
	record.event.kind = REC_OFFCPU;
	record.event.flags = blocked->flags | EVENT_STILL_BLOCKED;
	record.event.user_stack = blocked->user_stack;
	record.event.kernel_stack = blocked->kernel_stack;
	record.event.blocked_ns = drain->end - blocked->since;
	record.event.state = blocked->state;
	drain->still_blocked++;
	return collector_event(drain->collector, &record);
}

static int take_oncpu(void *context, uint32_t tid, const struct oncpu *oncpu)
{
	struct drain *drain = context;
	uint64_t ns = oncpu->total;
	char comm[TRACER_COMM + 1] = "";

	if (oncpu->since && oncpu->since < drain->end)
		ns += drain->end - oncpu->since;
	memcpy(comm, oncpu->comm, TRACER_COMM);
	return wall_add_oncpu(drain->wall, oncpu->tgid, tid, comm, ns);
}

/* A thread that was sampled, yet never seen to come or go, has been on its CPU all along. */
static int add_unswitched(struct drain *drain)
{
	struct counts *counts = drain->collector->counts;

	for (size_t i = 0; i < counts_size(counts); i++) {
		const struct count_row *row = counts_row(counts, i);
		int err;

		if (row->source->kind != REC_SAMPLE || wall_knows(drain->wall, row->tid))
			continue;
		err = wall_add_oncpu(drain->wall, row->pid, row->tid, row->comm,
				     drain->end - drain->start);
		if (err)
			return err;
	}
	return 0;
}

static int take_latency(void *context, const struct latency_key *key,
			const struct latency_value *value, uint64_t max_ns)
{
	struct drain *drain = context;

	return collector_latency(drain->collector, key, value, max_ns, drain->end);
}

static int take_pending(void *context, const struct latency_key *key)
{
	struct drain *drain = context;

	return collector_pending(drain->collector, key, drain->end);
}

int drain_tables(struct drain *drain)
{
	const struct bpf_side *bpf = drain->collector->bpf;
	int err = bpf_side_each_count(bpf, take_count, drain);

	if (!err)
		err = bpf_side_each_latency(bpf, take_latency, drain);
	if (!err)
		err = bpf_side_each_pending(bpf, take_pending, drain);
	if (!err)
		err = bpf_side_each_blocked(bpf, take_blocked, drain);
	if (!err && drain->wall)
		err = bpf_side_each_oncpu(bpf, take_oncpu, drain);
	if (!err && drain->wall)
		err = add_unswitched(drain);
	return err;
}
