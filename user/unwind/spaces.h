/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which tables are where in each process, as walks see it. What /proc tells now is what counts: a process
 * is described anew when it may have changed, and what the description leaves out is sent as a copy.
 */
#ifndef TRACER_SPACES_H
#define TRACER_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../bpf/unwind.h"

struct objects;
struct unwind_library;
struct unwind_spaces;

/* The tables that walks read by process. */
struct unwind_spaces_ops {
	/* From now on new mappings raise the process's generation; *generation is what it is. 0 or -errno. */
	int (*watch)(void *data, uint32_t tgid, uint32_t *generation);
	/* A process's space. 0 or -errno. */
	int (*publish)(void *data, uint32_t tgid, const struct unwind_space *space);
	/* Nothing is known of the process, and nobody watches it any more. */
	void (*forget)(void *data, uint32_t tgid);
	/* All spaces there are. 0 or -errno. */
	int (*each)(void *data, void (*callback)(void *context, const struct unwind_space *space),
		    void *context);
	/* Returns when every walk that is going on now has ended. */
	void (*wait)(void *data);
	void *data;
};

struct unwind_spaces_config {
	struct unwind_spaces_ops ops;
	struct unwind_library *library;
	struct objects *objects;
	struct unwind_mapping *mappings; /* what walks read: [mapping_count], zeroed */
	uint32_t mapping_count;
};

/* 0 or -ENOMEM. */
int unwind_spaces_new(const struct unwind_spaces_config *config, struct unwind_spaces **spaces);
void unwind_spaces_free(struct unwind_spaces *spaces);
/*
 * Describes a process as it is now, and wants the tables of what it has mapped. 0 or -errno (-ESRCH: it is
 * gone; -ENOSPC: no room for more mappings or processes).
 */
int unwind_spaces_update(struct unwind_spaces *spaces, pid_t pid);
/* Gives up what no process has any more, tables included. 0 or -errno. */
int unwind_spaces_sweep(struct unwind_spaces *spaces);
/* Processes that could not be described for want of room. */
size_t unwind_spaces_refused(const struct unwind_spaces *spaces);

#endif
