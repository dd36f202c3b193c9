// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --breakpoint: what it is on is found before the programs load. How it is set: breakpoint_set.c. */
#include "breakpoint.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../debug/debug_info.h"
#include "../aim/probe_spec.h"
#include "plans.h"
#include "program_scope.h"
#include "self_test.h"
#include "source.h"
#include "tracer.skel.h"
#include "../value/type.h"
#include "thread_pointers.h"
#include "watch_variable.h"

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

static bool grow_places(struct breakpoint_source *breakpoint)
{
	size_t room = breakpoint->place_room ? 2 * breakpoint->place_room : 16;
	struct watch_place *grown;

	if (breakpoint->place_count < breakpoint->place_room)
		return true;
	grown = reallocarray(breakpoint->places, room, sizeof(*grown));
	if (!grown)
		return false;
	breakpoint->places = grown;
	breakpoint->place_room = room;
	return true;
}

/* Names and predicates are of the parts, so these are the same at all places. */
static int take_parts(struct source *source, const struct watch_variable *variable,
		      uint64_t address, pid_t pid)
{
	struct breakpoint_source *breakpoint = source->private;
	struct watch_parts parts;
	int err = watch_variable_split(source->option, variable, address, &parts);

	if (err)
		return err;
	if (!breakpoint->parts.count)
		breakpoint->parts = parts;
	if (watch_parts_equal(&parts, &breakpoint->parts))
		return 0;
	log_error("%s: at 0x%llx of process %d it lies to other multiples of 8 than elsewhere: watch it alone, or a "
		  "member of it",
		  source->option->text, (unsigned long long)address, pid);
	return -ENOTSUP;
}

int breakpoint_add_place(struct source *source, const struct source_context *context,
			 const struct watch_variable *variable, const struct watch_place *place)
{
	struct breakpoint_source *breakpoint = source->private;
	char thread[32] = "";
	int err = take_parts(source, variable, place->address, place->pid);

	if (err)
		return err;
	if (!grow_places(breakpoint))
		return -ENOMEM;
	breakpoint->places[breakpoint->place_count++] = *place;
	if (place->tid)
		snprintf(thread, sizeof(thread), ", thread %d", place->tid);
	if (context->is_verbose && place->pid)
		log_note("%s: watched at 0x%llx of process %d%s", source->option->text,
			 (unsigned long long)place->address, place->pid, thread);
	return 0;
}

/* Of a file that the process does not map: it may do so later, or a child may. */
static int wait_for_file(struct source *source, const struct breakpoint_process *process)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct watch_variable *variable = &process->variable;

	if (variable->pointer_count) {
		log_error("%s: process %d does not map %s yet, and pointers are followed once, at the start: use -p when "
			  "it does",
			  source->option->text, process->pid, variable->object->path);
		return -ENOENT;
	}
	log_note("%s: process %d does not map %s yet: the breakpoint is set when a process of the target does, and "
		 "misses what is done to it in the first moments",
		 source->option->text, process->pid, variable->object->path);
	breakpoint->coverage.waits = true;
	source->attaches_later = true;
	return take_parts(source, variable, watch_variable_likely_address(variable), process->pid);
}

static int find_place(struct source *source, struct source_context *context,
		      const struct breakpoint_process *process)
{
	const struct watch_variable *variable = &process->variable;
	struct watch_place place;
	int err;

	if (variable->is_thread_local) /* where its copies are is asked once programs are loaded */
		return take_parts(source, variable, watch_variable_likely_address(variable),
				  process->pid);
	if (watch_variable_is_absent(variable, process->pid, context->tasks))
		return wait_for_file(source, process);
	err = watch_place_find(source->option, variable, process->pid, context->tasks, &place);
	return err ? err : breakpoint_add_place(source, context, variable, &place);
}

static int find_places(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct target *target = context->target;
	size_t count = target->pid_count ? target->pid_count : 1;
	int err = 0;

	breakpoint->processes = calloc(count, sizeof(*breakpoint->processes));
	if (!breakpoint->processes)
		return -ENOMEM;
	for (size_t i = 0; !err && i < count; i++) {
		struct breakpoint_process *process = &breakpoint->processes[i];

		process->pid = target->pid_count ? target->pids[i] : 0;
		err = watch_variable_resolve(source->option, process->pid, context->objects,
					     &process->variable);
		if (!err)
			err = find_place(source, context, process);
		breakpoint->process_count += !err;
	}
	return err;
}

/* Of parts that are not of the same length, one predicate has numbers of 8 bytes. */
static uint32_t common_length(const struct watch_parts *parts)
{
	for (size_t i = 1; i < parts->count; i++)
		if (parts->list[i].length != parts->list[0].length)
			return sizeof(uint64_t);
	return parts->list[0].length;
}

/* Only of one in one part, which its values are of. */
static int keep_type(struct source *source, const struct program_scope *program)
{
	struct breakpoint_source *breakpoint = source->private;

	if (!program->scope.watched_type || breakpoint->parts.count > 1)
		return 0;
	breakpoint->watched =
		value_type_from_debug((struct debug_type *)(uintptr_t)program->scope.watched_type);
	source->info.watched = breakpoint->watched;
	return breakpoint->watched ? 0 : -ENOMEM;
}

/* new and old are of the variable's type, where the program tells it. */
static int add_predicate(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct watch_variable *variable = &breakpoint->processes[0].variable;
	struct debug_info *info = NULL;
	struct probe_plan plan = {};
	struct program_scope program;
	int err;

	if ((source->option->condition || context->wants_values) && variable->debug_path[0])
		debug_info_open(variable->debug_path, &info); /* without it they are numbers */
	err = program_scope_watch(&program, info,
				  source->option->offset ? NULL : source->option->symbol,
				  common_length(&breakpoint->parts));
	if (!err)
		err = plans_compile_predicate(context->plans, source->option, &program.scope,
					      &plan);
	if (!err && context->wants_values && breakpoint->type != HW_BREAKPOINT_X)
		err = keep_type(source, &program);
	source->info.has_predicate = plan.wire.predicate > 0;
	if (!err)
		err = plans_add(context->plans, &plan, &breakpoint->plan);
	program_scope_close(&program);
	debug_info_close(info);
	return err;
}

/* "app:name", "app:name+8": each part is told by a name of its own. */
static int name_parts(struct source *source)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct watch_parts *parts = &breakpoint->parts;

	source->info.length = parts->list[0].length;
	if (parts->count == 1)
		return 0;
	source->infos = calloc(parts->count, sizeof(*source->infos));
	if (!source->infos)
		return -ENOMEM;
	source->info_count = parts->count;
	for (size_t i = 0; i < parts->count; i++) {
		struct source_info *info = &source->infos[i];
		int written;

		*info = source->info;
		info->length = parts->list[i].length;
		if (parts->list[i].offset)
			written = asprintf(&info->name, "%s+%u", source->info.name,
					   parts->list[i].offset);
		else
			written = asprintf(&info->name, "%s", source->info.name);
		if (written < 0) {
			info->name = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

/* Of variables that many threads have copies of, or many processes come to have. */
#define MAX_WATCHES 16384

/* Room for what is watched, by address; what is one a process has a list, too. */
static int reserve_watches(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	struct tracer_config *config = bpf_side_config(context->bpf);

	breakpoint->first_watch = config->watch_count;
	breakpoint->watch_count = (uint32_t)(breakpoint->process_count * breakpoint->parts.count);
	config->watch_count += breakpoint->watch_count;
	if (config->watch_count > TRACER_MAX_WATCHES) {
		log_error(
			"%s: more than %d addresses to watch (breakpoints, or parts of them, times processes)",
			source->option->text, TRACER_MAX_WATCHES);
		return -E2BIG;
	}
	if (breakpoint->coverage.is_thread_local)
		thread_pointers_prepare(context->bpf);
	else if (!breakpoint->coverage.waits)
		return 0;
	return bpf_map__set_max_entries(context->bpf->skeleton->maps.watches, MAX_WATCHES);
}

/* With what is known of it: names are copied into infos last. */
static int describe(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct watch_variable *variable;
	int err = find_places(source, context);

	if (!err)
		err = check_that_breakpoints_fire(source);
	if (err)
		return err;
	variable = &breakpoint->processes[0].variable;
	breakpoint->type = variable->type;
	breakpoint->at_entry = variable->at_entry;
	breakpoint->in_kernel = variable->in_kernel;
	breakpoint->coverage.is_thread_local = variable->is_thread_local;
	set_access_name(source, breakpoint->type);
	source->info.coverage = &breakpoint->coverage;
	err = add_predicate(source, context);
	return err ? err : name_parts(source);
}

static int breakpoint_prepare(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = calloc(1, sizeof(*breakpoint));
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
	err = describe(source, context);
	if (!err)
		err = reserve_watches(source, context);
	if (err)
		return err;
	bpf_program__set_autoload(breakpoint->at_entry ? skeleton->progs.on_breakpoint_entry :
							 skeleton->progs.on_breakpoint,
				  true);
	return 0;
}

static int breakpoint_attach(struct source *source, struct source_context *context)
{
	const struct breakpoint_source *breakpoint = source->private;
	int err = 0;

	if (breakpoint->coverage.is_thread_local)
		err = breakpoint_add_copies(source, context);
	return err ? err : breakpoint_set(source, context);
}

static void breakpoint_hear(struct source *source, struct source_context *context,
			    const struct record *record)
{
	const struct breakpoint_source *breakpoint = source->private;

	if (breakpoint->coverage.is_thread_local)
		breakpoint_hear_copies(source, context, record);
	if (breakpoint->coverage.waits)
		breakpoint_hear_mapping(source, context, record);
}

static void breakpoint_detach(struct source *source)
{
	if (source->private)
		breakpoint_unset(source->private);
}

static void breakpoint_close(struct source *source)
{
	struct breakpoint_source *breakpoint = source->private;

	if (!breakpoint)
		return;
	breakpoint_unset(breakpoint);
	for (size_t i = 0; i < source->info_count; i++)
		free(source->infos[i].name);
	free(source->infos);
	source->infos = NULL;
	free(breakpoint->links);
	free(breakpoint->places);
	free(breakpoint->processes);
	value_type_free(breakpoint->watched);
	free(breakpoint);
	source->private = NULL;
}

const struct source_ops source_breakpoint = {
	.name = "breakpoint",
	.prepare = breakpoint_prepare,
	.attach = breakpoint_attach,
	.hear = breakpoint_hear,
	.detach = breakpoint_detach,
	.close = breakpoint_close,
};
