// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "watch_place.h"

#include <errno.h>
#include <string.h>

#include "../aim/probe_spec.h"
#include "../base/log.h"
#include "../process/object.h"
#include "../process/tasks.h"
#include "memory.h"
#include "watch_variable.h"

/* One pointer, which must lead somewhere. */
static int follow_one(const struct probe_option *option, pid_t pid, uint64_t at, uint64_t *held)
{
	uint8_t byte;

	if (!memory_read(pid, at, held, sizeof(*held))) {
		log_error("%s: the pointer at 0x%llx of process %d cannot be read: %s",
			  option->text, (unsigned long long)at, pid, strerror(errno));
		return -EFAULT;
	}
	if (!*held) {
		log_error(
			"%s: the pointer at 0x%llx of process %d is NULL now, and it is followed once, at the start "
			"(a COMMAND has set none before its first instruction: start it yourself, and give -p)",
			option->text, (unsigned long long)at, pid);
		return -EFAULT;
	}
	if (!memory_read(pid, *held, &byte, 1)) {
		log_error(
			"%s: the pointer at 0x%llx of process %d holds 0x%llx, where no memory is to be read (it is "
			"followed once, at the start; a COMMAND has not prepared its pointers by then: use -p)",
			option->text, (unsigned long long)at, pid, (unsigned long long)*held);
		return -EFAULT;
	}
	return 0;
}

static int follow_pointers(const struct probe_option *option, const struct watch_variable *variable,
			   struct watch_place *place)
{
	for (size_t i = 0; i < variable->pointer_count; i++) {
		uint64_t held;
		int err = follow_one(option, place->pid, place->address, &held);

		if (err)
			return err;
		place->address = held + variable->offsets[i];
	}
	return 0;
}

bool watch_place_bias(const struct watch_variable *variable, pid_t pid, struct tasks *tasks,
		      uint64_t *bias)
{
	uint64_t mapped = tasks_address_of(tasks, pid, variable->object, 0);

	*bias = mapped - variable->file_start;
	return mapped;
}

bool watch_variable_is_absent(const struct watch_variable *variable, pid_t pid, struct tasks *tasks)
{
	uint64_t bias;

	return variable->object && !watch_place_bias(variable, pid, tasks, &bias);
}

int watch_place_find(const struct probe_option *option, const struct watch_variable *variable,
		     pid_t pid, struct tasks *tasks, struct watch_place *place)
{
	uint64_t bias;

	*place = (struct watch_place){ .pid = pid, .address = variable->vaddr };
	if (!variable->object)
		return 0;
	if (!watch_place_bias(variable, pid, tasks, &bias)) {
		log_error("%s: process %d does not map %s", option->text, pid,
			  variable->object->path);
		return -ENOENT;
	}
	place->address += bias;
	return follow_pointers(option, variable, place);
}

int watch_place_in_thread(const struct probe_option *option, const struct watch_variable *variable,
			  pid_t pid, pid_t tid, uint64_t copy, struct watch_place *place)
{
	*place = (struct watch_place){ pid, tid, copy + variable->vaddr };
	return follow_pointers(option, variable, place);
}
