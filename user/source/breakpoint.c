// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --breakpoint: one event for each existing thread, inherited by those to come; or one a CPU for
 * everything. BPF programs go with the event when it is inherited.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../base/log.h"
#include "../debug/debug_info.h"
#include "perf_open.h"
#include "../aim/probe_spec.h"
#include "plans.h"
#include "program_scope.h"
#include "self_test.h"
#include "source.h"
#include "thread_list.h"
#include "tracer.skel.h"
#include "watch_site.h"

struct attached {
	pid_t tid; /* 0 for an event on a CPU */
	struct bpf_link *link;
};

struct breakpoint_source {
	struct watch_site *sites; /* one a process, or one for everything */
	size_t site_count;
	uint32_t plan;	      /* --if */
	uint32_t first_watch; /* index of the first site in the list of watches */
	struct attached *attached;
	size_t attached_count;
};

static void set_access_name(struct source *source, uint32_t type)
{
	static const char *const names[] = { [HW_BREAKPOINT_R] = "r",
					     [HW_BREAKPOINT_W] = "w",
					     [HW_BREAKPOINT_RW] = "rw",
					     [HW_BREAKPOINT_X] = "x" };

	snprintf(source->info.access, sizeof(source->info.access), "%s", names[type]);
}

/* What was asked for, without the folders of BIN, /LEN and :ACCESS. */
static char *shown_name(const struct probe_option *option)
{
	const char *slash = option->binary ? strrchr(option->binary, '/') : NULL;
	const char *file = slash ? slash + 1 : option->binary;
	char offset[32] = "", *name = NULL;
	int written;

	if (option->offset)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)option->offset);
	if (!option->symbol)
		written = asprintf(&name, "0x%llx",
				   (unsigned long long)(option->address + option->offset));
	else
		written = asprintf(&name, "%s%s%s%s", file ? file : "", file ? ":" : "",
				   option->symbol, offset);
	return written < 0 ? NULL : name;
}

static int check_that_breakpoints_fire(const struct source *source)
{
	int err = self_test_breakpoint();

	if (err == -ENODEV)
		log_error("%s: hardware breakpoints can be set on this machine but do not fire (the hypervisor "
			  "hides the debug registers?); tried with a store of our own",
			  source->option->text);
	else if (err == -EACCES || err == -EPERM)
		log_error(
			"%s: the kernel does not permit breakpoints: %s (see kernel.perf_event_paranoid)",
			source->option->text, strerror(-err));
	else if (err)
		log_error("%s: hardware breakpoints do not work here: %s", source->option->text,
			  strerror(-err));
	return err;
}

static int resolve_sites(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct target *target = context->target;
	size_t count = target->pid_count ? target->pid_count : 1;

	breakpoint->sites = calloc(count, sizeof(*breakpoint->sites));
	if (!breakpoint->sites)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		pid_t pid = target->pid_count ? target->pids[i] : 0;
		int err = watch_site_resolve(source->option, pid, context->tasks, context->objects,
					     &breakpoint->sites[i]);

		if (err)
			return err;
		breakpoint->site_count++;
	}
	return 0;
}

/* new and old are of the variable's type, where the program tells it. */
static int add_predicate(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct watch_site *site = &breakpoint->sites[0];
	struct debug_info *info = NULL;
	struct probe_plan plan = {};
	struct program_scope program;
	int err;

	if (source->option->condition && site->debug_path[0])
		debug_info_open(site->debug_path, &info); /* without it they are numbers */
	err = program_scope_watch(&program, info,
				  source->option->offset ? NULL : source->option->symbol,
				  site->length);
	if (!err)
		err = plans_compile_predicate(context->plans, source->option, &program.scope,
					      &plan);
	source->info.has_predicate = plan.wire.predicate > 0;
	if (!err)
		err = plans_add(context->plans, &plan, &breakpoint->plan);
	program_scope_close(&program);
	debug_info_close(info);
	return err;
}

static int breakpoint_prepare(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = calloc(1, sizeof(*breakpoint));
	struct tracer_config *config = bpf_side_config(context->bpf);
	const struct tracer_bpf *skeleton = context->bpf->skeleton;
	int err;

	if (!breakpoint)
		return -ENOMEM;
	source->private = breakpoint;
	source->info.kind = REC_BREAKPOINT;
	source->lines_need_walks = true;
	source->info.period = 1;
	source->info.name = shown_name(source->option);
	if (!source->info.name)
		return -ENOMEM;
	err = resolve_sites(source, context);
	if (!err)
		err = check_that_breakpoints_fire(source);
	if (err)
		return err;
	source->info.length = breakpoint->sites[0].length;
	set_access_name(source, breakpoint->sites[0].type);
	err = add_predicate(source, context);
	if (err)
		return err;
	breakpoint->first_watch = config->watch_count;
	config->watch_count += (uint32_t)breakpoint->site_count;
	if (config->watch_count > TRACER_MAX_WATCHES) {
		log_error("%s: more than %d addresses to watch (breakpoints times processes)",
			  source->option->text, TRACER_MAX_WATCHES);
		return -E2BIG;
	}
	bpf_program__set_autoload(breakpoint->sites[0].at_entry ?
					  skeleton->progs.on_breakpoint_entry :
					  skeleton->progs.on_breakpoint,
				  true);
	return 0;
}

/* The value before the first hit: on x86-64, a data breakpoint traps after the access. */
static int seed_value(struct source_context *context, const struct watch_site *site, pid_t pid)
{
	struct watch_key key = { .addr = site->address, .tgid = (uint32_t)pid };
	uint64_t value = 0;
	struct iovec local = { &value, site->length };
	struct iovec remote = { (void *)(uintptr_t)site->address, site->length };

	if (site->in_kernel || !pid || site->type == HW_BREAKPOINT_X)
		return 0;
	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != (ssize_t)site->length) {
		log_warn("breakpoint 0x%llx: process %d has no memory there to read (%s): the first old value is "
			 "unknown",
			 (unsigned long long)site->address, pid, strerror(errno));
		return 0;
	}
	return bpf_map_update_elem(bpf_map__fd(context->bpf->skeleton->maps.watched_values), &key,
				   &value, BPF_ANY) ?
		       -errno :
		       0;
}

/* Tells the programs what is watched at the address. The same address may be watched in several processes. */
static int add_watch(const struct source *source, struct source_context *context, size_t index)
{
	const struct breakpoint_source *breakpoint = source->private;
	const struct watch_site *site = &breakpoint->sites[index];
	const struct tracer_bpf *skeleton = context->bpf->skeleton;
	struct watch watch = { .index = source->index,
			       .length = site->length,
			       .reads_value = site->type != HW_BREAKPOINT_X,
			       .plan = breakpoint->plan };
	struct watch known;
	uint32_t list_index = breakpoint->first_watch + (uint32_t)index;

	if (!bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.watches), &site->address, &known) &&
	    known.index != source->index) {
		log_error("%s: 0x%llx is watched by another --breakpoint already",
			  source->option->text, (unsigned long long)site->address);
		return -EEXIST;
	}
	if (bpf_map_update_elem(bpf_map__fd(skeleton->maps.watches), &site->address, &watch,
				BPF_ANY) ||
	    bpf_map_update_elem(bpf_map__fd(skeleton->maps.watch_list), &list_index, &site->address,
				BPF_ANY))
		return -errno;
	return 0;
}

static void report_open_failure(const struct source *source, const struct watch_site *site,
				pid_t tid, int err)
{
	const char *text = source->option->text;

	if (err == -ENOSPC)
		log_error(
			"%s: all debug registers are in use on thread %d (4 on x86-64; is a debugger attached?)",
			text, tid);
	else if (err == -EINVAL)
		log_error("%s: this CPU cannot watch 0x%llx for :%s with length %u", text,
			  (unsigned long long)site->address, source->info.access, site->length);
	else if (err == -EACCES || err == -EPERM)
		log_error("%s: not permitted on thread %d: %s", text, tid, strerror(-err));
	else
		log_error("%s: thread %d: %s", text, tid, strerror(-err));
}

static int attach_event(struct source *source, struct source_context *context,
			const struct watch_site *site, pid_t tid, int cpu)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct tracer_bpf *skeleton = context->bpf->skeleton;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = site->type,
		.bp_addr = site->address,
		.bp_len = site->length,
		.sample_period = 1,
		.inherit = context->inherit && tid > 0,
		.disabled = 1,
	};
	struct attached *grown;
	struct bpf_link *link;
	int fd, err;

	fd = perf_open(&attr, tid, cpu, -1);
	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event(site->at_entry ? skeleton->progs.on_breakpoint_entry :
							       skeleton->progs.on_breakpoint,
					      fd);
	if (!link) {
		err = -errno;
		close(fd);
		return err;
	}
	grown = reallocarray(breakpoint->attached, breakpoint->attached_count + 1, sizeof(*grown));
	if (!grown) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	breakpoint->attached = grown;
	grown[breakpoint->attached_count++] = (struct attached){ tid, link };
	return 0;
}

static int attach_thread(struct source *source, struct source_context *context,
			 const struct watch_site *site, pid_t tid)
{
	int err = attach_event(source, context, site, tid, -1);

	if (err == -ESRCH)
		return 0; /* ended meanwhile */
	if (err)
		report_open_failure(source, site, tid, err);
	return err;
}

/*
 * All threads of a process. One that is made meanwhile inherits the breakpoint if its creator had it
 * already; attaching to it once more would count its hits twice. So they are said, not touched.
 */
static int attach_process(struct source *source, struct source_context *context,
			  const struct watch_site *site, pid_t pid)
{
	struct thread_list before = {}, after = {};
	int err;

	err = thread_list_read(pid, &before);
	if (err) {
		log_error("%s: process %d: %s", source->option->text, pid, strerror(-err));
		return err;
	}
	for (size_t i = 0; !err && i < before.count; i++)
		err = attach_thread(source, context, site, before.tids[i]);
	if (!err && !thread_list_read(pid, &after)) {
		size_t created = thread_list_count_new(&before, &after);

		if (created)
			log_warn("%s: process %d made %zu threads while the breakpoint was being set; one is "
				 "covered only if the thread that made it was",
				 source->option->text, pid, created);
	}
	thread_list_free(&before);
	thread_list_free(&after);
	return err;
}

static int attach_everywhere(struct source *source, struct source_context *context,
			     const struct watch_site *site)
{
	for (size_t i = 0; i < context->cpus->count; i++) {
		int cpu = context->cpus->cpus[i];
		int err = attach_event(source, context, site, -1, cpu);

		if (err) {
			log_error("%s: on CPU %d: %s", source->option->text, cpu, strerror(-err));
			return err;
		}
	}
	return 0;
}

static int attach_site(struct source *source, struct source_context *context, size_t index)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct watch_site *site = &breakpoint->sites[index];
	const struct target *target = context->target;
	int err = 0;

	if (target->mode == TARGET_ALL)
		return attach_everywhere(source, context, site);
	if (target->mode == TARGET_PROCESSES)
		return attach_process(source, context, site, target->pids[index]);
	for (size_t i = 0; !err && i < target->tid_count; i++)
		if (thread_process(target->tids[i]) == target->pids[index])
			err = attach_thread(source, context, site, target->tids[i]);
	return err;
}

static int breakpoint_attach(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct target *target = context->target;
	int err = 0;

	for (size_t i = 0; !err && i < breakpoint->site_count; i++) {
		err = add_watch(source, context, i);
		if (!err)
			err = attach_site(source, context, i);
		if (!err)
			err = seed_value(context, &breakpoint->sites[i],
					 target->pid_count ? target->pids[i] : 0);
	}
	return err;
}

static void breakpoint_detach(struct source *source)
{
	struct breakpoint_source *breakpoint = source->private;

	if (!breakpoint)
		return;
	for (size_t i = 0; i < breakpoint->attached_count; i++)
		bpf_link__destroy(breakpoint->attached[i].link);
	breakpoint->attached_count = 0;
}

static void breakpoint_close(struct source *source)
{
	struct breakpoint_source *breakpoint = source->private;

	if (!breakpoint)
		return;
	breakpoint_detach(source);
	free(breakpoint->attached);
	free(breakpoint->sites);
	free(breakpoint);
	source->private = NULL;
}

const struct source_ops source_breakpoint = {
	.name = "breakpoint",
	.prepare = breakpoint_prepare,
	.attach = breakpoint_attach,
	.detach = breakpoint_detach,
	.close = breakpoint_close,
};
