// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Thread-local variables: each thread is watched at its own copy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../aim/probe_spec.h"
#include "../base/clock.h"
#include "../base/log.h"
#include "../record/record.h"
#include "breakpoint.h"
#include "source.h"
#include "thread_pointers.h"

static bool is_wanted(const struct target *target, const struct thread_pointer *thread, pid_t pid)
{
	if ((pid_t)thread->tgid != pid)
		return false;
	for (size_t i = 0; i < target->tid_count; i++)
		if (target->tids[i] == (pid_t)thread->tid)
			return true;
	return target->mode != TARGET_THREADS;
}

static int find_block(const struct source *source, const struct source_context *context,
		      const struct breakpoint_process *process, struct thread_local_block *block)
{
	const struct watch_variable *variable = &process->variable;
	char why[128] = "";
	uint64_t bias;
	int err;

	*block = variable->block;
	if (variable->is_of_program)
		return 0;
	if (!watch_place_bias(variable, process->pid, context->tasks, &bias)) {
		log_error("%s: process %d does not map %s", source->option->text, process->pid,
			  variable->object->path);
		return -ENOENT;
	}
	err = thread_local_of_library(process->pid, bias, block, why);
	if (err == -ENOTSUP)
		log_error("%s: where threads of process %d have their copies is not known: %s",
			  source->option->text, process->pid, why);
	else if (err)
		log_error("%s: the dynamic linker of process %d has not prepared %s yet",
			  source->option->text, process->pid, variable->object->path);
	return err;
}

static int add_copy(struct source *source, const struct source_context *context,
		    const struct breakpoint_process *process,
		    const struct thread_local_block *block, const struct thread_pointer *thread)
{
	struct breakpoint_source *breakpoint = source->private;
	struct watch_place place;
	uint64_t copy;
	int err;

	if (thread_local_find(block, thread->pointer, &copy)) {
		breakpoint->coverage.threads++;
		breakpoint->coverage.without++;
		return 0;
	}
	err = watch_place_in_thread(source->option, &process->variable, process->pid,
				    (pid_t)thread->tid, copy, &place);
	return err ? err : breakpoint_add_place(source, context, &process->variable, &place);
}

static int add_copies_of(struct source *source, const struct source_context *context,
			 const struct breakpoint_process *process,
			 const struct thread_pointer *threads, size_t count)
{
	struct thread_local_block block;
	int err = find_block(source, context, process, &block);

	for (size_t i = 0; !err && i < count; i++)
		if (is_wanted(context->target, &threads[i], process->pid))
			err = add_copy(source, context, process, &block, &threads[i]);
	return err;
}

int breakpoint_add_copies(struct source *source, struct source_context *context)
{
	struct breakpoint_source *breakpoint = source->private;
	struct thread_pointer *threads;
	size_t count;
	int err = thread_pointers_read(context->bpf, &threads, &count);

	breakpoint->listed = clock_now();
	if (err)
		log_error(
			"%s: where threads have their copies of it cannot be asked (BPF iterators, Linux 5.8): %s",
			source->option->text, strerror(-err));
	for (size_t i = 0; !err && i < breakpoint->process_count; i++)
		err = add_copies_of(source, context, &breakpoint->processes[i], threads, count);
	free(threads);
	return err;
}

void breakpoint_hear_copies(struct source *source, struct source_context *context,
			    const struct record *record)
{
	struct breakpoint_source *breakpoint = source->private;

	if (record->kind == RECORD_FORK && record->pid == record->fork.parent_pid &&
	    context->target->mode == TARGET_PROCESSES && record->time > breakpoint->listed &&
	    breakpoint_follows(breakpoint, context, record->pid))
		breakpoint->coverage.later++;
}
