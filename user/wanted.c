// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of the command line to what they stand for here. */
#include "wanted.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "event/event.h"
#include "options.h"

static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

void wanted_begin(struct wanted_before *before)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &before->descriptors);
	limit = before->descriptors;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	before->interrupt_ignored = is_ignored(SIGINT);
}

int wanted_cpus(const struct options *options, struct cpulist *cpus)
{
	const struct cpulist *wanted = &options->cpus;
	struct cpulist online = {};
	int err = cpulist_online(&online);

	if (err || !wanted->count) {
		*cpus = online;
		return err;
	}
	for (size_t i = 0; !err && i < wanted->count; i++) {
		if (cpulist_contains(&online, wanted->cpus[i]))
			continue;
		log_error("-C: CPU %d is not online (see /sys/devices/system/cpu/online)",
			  wanted->cpus[i]);
		err = -ENODEV;
	}
	cpulist_free(&online);
	if (err)
		return err;
	cpus->cpus = calloc(wanted->count, sizeof(int));
	if (!cpus->cpus)
		return -ENOMEM;
	memcpy(cpus->cpus, wanted->cpus, wanted->count * sizeof(int));
	cpus->count = wanted->count;
	return 0;
}

int wanted_target(const struct options *options, const struct wanted_before *before,
		  struct target *target)
{
	const struct target_request request = {
		.pids = options->pids,
		.pid_count = options->pid_count,
		.tids = options->tids,
		.tid_count = options->tid_count,
		.command = options->command,
		.inherit = options->inherit,
		.descriptors = &before->descriptors,
		.interrupt_ignored = before->interrupt_ignored,
	};
	int err = target_open(&request, target);

	/* -a with a COMMAND: everything, for as long as it runs */
	if (!err && options->all)
		target->mode = TARGET_ALL;
	return err;
}

int wanted_event_roots(struct event_roots *roots, char **tracefs)
{
	int err;

	*tracefs = NULL;
	err = event_tracefs_find("/proc/self/mounts", tracefs);
	*roots = (struct event_roots){ .sysfs = "/sys", .tracefs = *tracefs };
	return err == -ENOMEM ? err : 0;
}

int wanted_events(const struct options *options, const char *otherwise, struct event_list *events)
{
	struct event_roots roots;
	char *tracefs, *message = NULL;
	int err = wanted_event_roots(&roots, &tracefs);

	if (err)
		return err;
	err = options->event_count ? 0 : event_list_parse(otherwise, &roots, events, &message);
	for (size_t i = 0; !err && i < options->event_count; i++)
		err = event_list_parse(options->events[i], &roots, events, &message);
	if (err == -EINVAL)
		log_error("-e %s", message);
	free(message);
	free(tracefs);
	return err;
}
