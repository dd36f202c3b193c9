// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One event for each part and existing thread, inherited by those to come; or one a CPU for everything. BPF
 * programs go with the event when it is inherited.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../aim/probe_spec.h"
#include "../base/log.h"
#include "breakpoint.h"
#include "memory.h"
#include "perf_open.h"
#include "source.h"
#include "thread_list.h"
#include "tracer.skel.h"
#include "watch_owner.h"

/* The first that could not have it: the others mostly cannot for the same reason. */
struct failure {
	pid_t tid;
	int cpu;
	int err;
};

/* The value before the first hit: on x86-64, a data breakpoint traps after the access. */
static int seed_value(struct source_context *context, const struct breakpoint_source *breakpoint,
		      pid_t pid, uint64_t address, uint32_t length)
{
	struct watch_key key = { .addr = address, .tgid = (uint32_t)pid };
	uint64_t value = 0;

	if (breakpoint->in_kernel || !pid || breakpoint->type == HW_BREAKPOINT_X)
		return 0;
	if (!memory_read(pid, address, &value, length)) {
		log_warn("breakpoint 0x%llx: process %d has no memory there to read (%s): the first old value is "
			 "unknown",
			 (unsigned long long)address, pid, strerror(errno));
		return 0;
	}
	return bpf_map_update_elem(bpf_map__fd(context->bpf->skeleton->maps.watched_values), &key,
				   &value, BPF_ANY) ?
		       -errno :
		       0;
}

/* Tells the programs what is watched at the address. The same address may be watched in several processes. */
static int add_watch(const struct source *source, struct source_context *context, uint64_t address,
		     size_t part, uint32_t list_index)
{
	const struct breakpoint_source *breakpoint = source->private;
	const struct tracer_bpf *skeleton = context->bpf->skeleton;
	struct watch watch = { .index = source->index + (uint32_t)part,
			       .length = breakpoint->parts.list[part].length,
			       .reads_value = breakpoint->type != HW_BREAKPOINT_X,
			       .plan = breakpoint->plan };
	struct watch known;

	if (!bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.watches), &address, &known) &&
	    known.index != watch.index) {
		log_error("%s: 0x%llx is watched by another --breakpoint already",
			  source->option->text, (unsigned long long)address);
		return -EEXIST;
	}
	if (bpf_map_update_elem(bpf_map__fd(skeleton->maps.watches), &address, &watch, BPF_ANY))
		return -errno;
	/* the list is for what a child process has at the address too: too short for all that may come */
	if (breakpoint->coverage.is_thread_local ||
	    list_index - breakpoint->first_watch >= breakpoint->watch_count)
		return 0;
	return bpf_map_update_elem(bpf_map__fd(skeleton->maps.watch_list), &list_index, &address,
				   BPF_ANY) ?
		       -errno :
		       0;
}

static int add_watches(struct source *source, struct source_context *context, size_t index)
{
	const struct breakpoint_source *breakpoint = source->private;
	const struct watch_place *place = &breakpoint->places[index];
	size_t count = breakpoint->parts.count;
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = add_watch(source, context, place->address + breakpoint->parts.list[i].offset,
				i, breakpoint->first_watch + (uint32_t)(index * count + i));
	return err;
}

int breakpoint_seed(struct source *source, struct source_context *context,
		    const struct watch_place *place)
{
	const struct breakpoint_source *breakpoint = source->private;
	int err = 0;

	for (size_t i = 0; !err && i < breakpoint->parts.count; i++)
		err = seed_value(context, breakpoint, place->pid,
				 place->address + breakpoint->parts.list[i].offset,
				 breakpoint->parts.list[i].length);
	return err;
}

static int attach_part(struct source *source, struct source_context *context, uint64_t address,
		       uint32_t length, pid_t tid, int cpu)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct tracer_bpf *skeleton = context->bpf->skeleton;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = breakpoint->type,
		.bp_addr = address,
		.bp_len = length,
		.sample_period = 1,
		.inherit = context->inherit && tid > 0,
		.disabled = 1,
	};
	struct bpf_link **grown;
	int fd, err;

	grown = reallocarray(breakpoint->links, breakpoint->link_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	breakpoint->links = grown;
	fd = perf_open(&attr, tid, cpu, -1);
	if (fd < 0)
		return fd;
	grown[breakpoint->link_count] =
		bpf_program__attach_perf_event(breakpoint->at_entry ?
						       skeleton->progs.on_breakpoint_entry :
						       skeleton->progs.on_breakpoint,
					       fd);
	if (!grown[breakpoint->link_count]) {
		err = -errno;
		close(fd);
		return err;
	}
	breakpoint->link_count++;
	return 0;
}

static void detach_from(struct breakpoint_source *breakpoint, size_t first)
{
	for (size_t i = first; i < breakpoint->link_count; i++)
		bpf_link__destroy(breakpoint->links[i]);
	breakpoint->link_count = first;
}

/* All parts, or none: half a variable would be taken for the whole. */
static int attach_parts(struct source *source, struct source_context *context,
			const struct watch_place *place, pid_t tid, int cpu)
{
	struct breakpoint_source *breakpoint = source->private;
	size_t before = breakpoint->link_count;
	int err = 0;

	for (size_t i = 0; !err && i < breakpoint->parts.count; i++)
		err = attach_part(source, context,
				  place->address + breakpoint->parts.list[i].offset,
				  breakpoint->parts.list[i].length, tid, cpu);
	if (err)
		detach_from(breakpoint, before);
	return err;
}

static void attach_one(struct source *source, struct source_context *context,
		       const struct watch_place *place, pid_t tid, int cpu, struct failure *failure)
{
	struct watch_coverage *coverage = &((struct breakpoint_source *)source->private)->coverage;
	int err = attach_parts(source, context, place, tid, cpu);

	coverage->threads++;
	switch (err) {
	case 0:
		coverage->covered++;
		return;
	case -ESRCH:
		coverage->ended++;
		return;
	case -ENOSPC:
		coverage->no_slot++;
		break;
	case -EACCES:
	case -EPERM:
		coverage->denied++;
		break;
	default:
		coverage->failed++;
	}
	if (!failure->err)
		*failure = (struct failure){ tid, cpu, err };
}

/*
 * All threads of a process. One that is made meanwhile inherits the breakpoint if its creator had it
 * already; attaching to it once more would count its hits twice. So they are said, not touched.
 */
static int attach_process(struct source *source, struct source_context *context,
			  const struct watch_place *place, struct failure *failure)
{
	struct breakpoint_source *breakpoint = source->private;
	struct thread_list before = {}, after = {};
	int err;

	err = thread_list_read(place->pid, &before);
	for (size_t i = 0; !err && i < before.count; i++)
		attach_one(source, context, place, before.tids[i], -1, failure);
	if (!err && !thread_list_read(place->pid, &after)) {
		size_t created = thread_list_count_new(&before, &after);

		breakpoint->coverage.uncertain += created;
		if (created)
			log_warn("%s: process %d made %zu threads while the breakpoint was being set; one is "
				 "covered only if the thread that made it was",
				 source->option->text, place->pid, created);
	}
	thread_list_free(&before);
	thread_list_free(&after);
	return err == -ENOENT ? 0 : err; /* it has ended */
}

static void attach_everywhere(struct source *source, struct source_context *context,
			      const struct watch_place *place, struct failure *failure)
{
	struct breakpoint_source *breakpoint = source->private;

	breakpoint->coverage.by_cpu = true;
	for (size_t i = 0; i < context->cpus->count; i++)
		attach_one(source, context, place, -1, context->cpus->cpus[i], failure);
}

static int attach_place(struct source *source, struct source_context *context,
			const struct watch_place *place, struct failure *failure)
{
	const struct target *target = context->target;

	if (place->tid) {
		attach_one(source, context, place, place->tid, -1, failure);
		return 0;
	}
	if (target->mode == TARGET_PROCESSES)
		return attach_process(source, context, place, failure);
	if (target->mode == TARGET_ALL)
		attach_everywhere(source, context, place, failure);
	for (size_t i = 0; target->mode == TARGET_THREADS && i < target->tid_count; i++)
		if (thread_process(target->tids[i]) == place->pid)
			attach_one(source, context, place, target->tids[i], -1, failure);
	return 0;
}

static void describe_failure(const struct source *source, const struct source_context *context,
			     const struct failure *failure, char *text, size_t size)
{
	const struct breakpoint_source *breakpoint = source->private;
	char where[32], owner[256];

	if (failure->tid > 0)
		snprintf(where, sizeof(where), "thread %d", failure->tid);
	else
		snprintf(where, sizeof(where), "CPU %d", failure->cpu);
	if (failure->err == -ENOSPC) {
		watch_owner_describe(failure->tid,
				     context->bpf->breakpoint_slots - breakpoint->slots, owner,
				     sizeof(owner));
		snprintf(text, size,
			 "too few debug registers are free on %s, which has 4 on x86-64, and this takes %zu: %s",
			 where, breakpoint->parts.count, owner);
	} else if (failure->err == -EINVAL) {
		snprintf(text, size, "this CPU cannot watch 0x%llx for :%s with length %u",
			 (unsigned long long)breakpoint->places[0].address, source->info.access,
			 source->info.length);
	} else if (failure->err == -EACCES || failure->err == -EPERM) {
		snprintf(text, size, "not permitted on %s: %s", where, strerror(-failure->err));
	} else {
		snprintf(text, size, "%s: %s", where, strerror(-failure->err));
	}
}

/* Some without it are a gap in what is seen; all, and nothing can be seen. */
static int judge(const struct source *source, const struct source_context *context,
		 const struct failure *failure)
{
	const struct breakpoint_source *breakpoint = source->private;
	const struct watch_coverage *coverage = &breakpoint->coverage;
	uint64_t without = coverage->no_slot + coverage->denied + coverage->failed;
	char text[512];

	if (failure->err)
		describe_failure(source, context, failure, text, sizeof(text));
	if (coverage->covered && without)
		log_warn("%s: %llu of %llu %s are NOT watched; the first: %s", source->option->text,
			 (unsigned long long)without, (unsigned long long)coverage->threads,
			 coverage->by_cpu ? "CPUs" : "threads", text);
	if (coverage->covered)
		return 0;
	if (failure->err)
		log_error("%s: %s", source->option->text, text);
	else if (coverage->without)
		log_error(
			"%s: it is thread-local, and no thread has a copy of it yet: that of a library comes when a "
			"thread first touches it, that of a COMMAND after its first instruction (start it yourself, "
			"and give -p)",
			source->option->text);
	else
		log_error("%s: all threads of the target have ended", source->option->text);
	return failure->err ? failure->err : -ESRCH;
}

static int set_place(struct source *source, struct source_context *context, size_t index,
		     struct failure *failure)
{
	const struct breakpoint_source *breakpoint = source->private;
	const struct watch_place *place = &breakpoint->places[index];
	int err = add_watches(source, context, index);

	if (!err)
		err = attach_place(source, context, place, failure);
	return err ? err : breakpoint_seed(source, context, place);
}

void breakpoint_set_late(struct source *source, struct source_context *context)
{
	const struct breakpoint_source *breakpoint = source->private;
	size_t index = breakpoint->place_count - 1;
	struct failure failure = {};
	int err = set_place(source, context, index, &failure);
	char text[512];

	if (!err && failure.err) {
		describe_failure(source, context, &failure, text, sizeof(text));
		log_warn("%s: in process %d: %s", source->option->text,
			 breakpoint->places[index].pid, text);
	} else if (err) {
		log_warn("%s: cannot be set in process %d: %s", source->option->text,
			 breakpoint->places[index].pid, strerror(-err));
	} else if (context->is_verbose) {
		log_note("%s: set in process %d, which has mapped its file", source->option->text,
			 breakpoint->places[index].pid);
	}
}

int breakpoint_set(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	struct failure failure = {};
	int err = 0;

	for (size_t i = 0; !err && i < breakpoint->place_count; i++)
		err = set_place(source, context, i, &failure);
	if (!err && !(breakpoint->coverage.waits && !breakpoint->place_count))
		err = judge(source, context, &failure);
	breakpoint->slots = (uint32_t)breakpoint->parts.count;
	context->bpf->breakpoint_slots += breakpoint->slots;
	return err;
}

void breakpoint_unset(struct breakpoint_source *breakpoint)
{
	detach_from(breakpoint, 0);
}
