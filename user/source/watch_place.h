/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a watched variable is in a process, as that is now. */
#ifndef TRACER_WATCH_PLACE_H
#define TRACER_WATCH_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_option;
struct tasks;
struct watch_variable;

struct watch_place {
	pid_t pid; /* 0: all */
	pid_t tid; /* the only thread that it is for; 0: all of the process */
	uint64_t address;
};

/*
 * In process pid, where PIE and libraries have their addresses; 0 for an address or a kernel symbol. Pointers are
 * followed by what they hold now. Says what is wrong. 0 or -errno.
 */
int watch_place_find(const struct probe_option *option, const struct watch_variable *variable,
		     pid_t pid, struct tasks *tasks, struct watch_place *place);
/* The same of a thread's copy, which is at that address. */
int watch_place_in_thread(const struct probe_option *option, const struct watch_variable *variable,
			  pid_t pid, pid_t tid, uint64_t copy, struct watch_place *place);
/* Is it of a file that the process does not map? */
bool watch_variable_is_absent(const struct watch_variable *variable, pid_t pid,
			      struct tasks *tasks);
/* Where a file that is mapped in the process begins, less the address that it gives that itself; false: it is not. */
bool watch_place_bias(const struct watch_variable *variable, pid_t pid, struct tasks *tasks,
		      uint64_t *bias);

#endif
