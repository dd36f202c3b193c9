/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From WHERE as a person writes it to an address in one process, a length and a kind of access. */
#ifndef TRACER_WATCH_SITE_H
#define TRACER_WATCH_SITE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_option;
struct objects;
struct tasks;

struct watch_site {
	uint64_t address;
	uint32_t length; /* bytes */
	uint32_t type;	 /* HW_BREAKPOINT_R | W | X */
	bool at_entry;	 /* execution of a function's first instruction */
	bool in_kernel;
	char debug_path[PATH_MAX]; /* the file that would have DWARF of it; "" none */
};

/*
 * Resolves WHERE for process pid as it is mapped now (PIE and libraries have their addresses there); pid
 * 0: an address or a kernel symbol. Says what is wrong. 0 or -errno.
 */
int watch_site_resolve(const struct probe_option *option, pid_t pid, struct tasks *tasks,
		       struct objects *objects, struct watch_site *site);

#endif
