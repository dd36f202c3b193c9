// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files that the target maps while it is recorded. Side-band tells of it when it has been done, and the process
 * goes on meanwhile: what it does to the variable before the breakpoint is set is not seen.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "../aim/probe_spec.h"
#include "../base/clock.h"
#include "../record/record.h"
#include "breakpoint.h"
#include "source.h"
#include "tracer.skel.h"

bool breakpoint_follows(const struct breakpoint_source *breakpoint,
			const struct source_context *context, uint32_t pid)
{
	uint8_t found;

	for (size_t i = 0; i < breakpoint->process_count; i++)
		if (breakpoint->processes[i].pid == (pid_t)pid)
			return true;
	/* children: the programs keep a list of them as long as they run */
	return context->target->mode == TARGET_PROCESSES &&
	       !bpf_map_lookup_elem(bpf_map__fd(context->bpf->skeleton->maps.targets), &pid,
				    &found);
}

/* By number or name; whether it is really there, /proc/PID/maps tells after that. */
static bool may_be_of(const struct record *record, const struct object *object)
{
	return record->mmap.inode == object->inode || !strcmp(record->mmap.path, object->path);
}

static bool has_place(const struct breakpoint_source *breakpoint, const struct watch_place *place)
{
	for (size_t i = 0; i < breakpoint->place_count; i++)
		if (breakpoint->places[i].pid == place->pid &&
		    breakpoint->places[i].address == place->address)
			return true;
	return false;
}

static void note_delay(struct watch_coverage *coverage, uint64_t mapped)
{
	uint64_t delay = clock_now() - mapped;

	if (delay > coverage->late_ns)
		coverage->late_ns = delay;
}

void breakpoint_hear_mapping(struct source *source, struct source_context *context,
			     const struct record *record)
{
	struct breakpoint_source *breakpoint = source->private;
	const struct watch_variable *variable = &breakpoint->processes[0].variable;
	struct watch_place place = { .pid = (pid_t)record->pid };
	uint64_t bias;

	if (record->kind != RECORD_MMAP || !may_be_of(record, variable->object) ||
	    !breakpoint_follows(breakpoint, context, record->pid) ||
	    !watch_place_bias(variable, place.pid, context->tasks, &bias))
		return;
	place.address = bias + variable->vaddr;
	if (has_place(breakpoint, &place)) {
		/* another variable than before, in the same place: the file was unloaded meanwhile */
		breakpoint_seed(source, context, &place);
		return;
	}
	breakpoint->coverage.late++;
	if (!breakpoint_add_place(source, context, variable, &place))
		breakpoint_set_late(source, context);
	note_delay(&breakpoint->coverage, record->time);
}
