/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where events of the perf side are opened: the pairs of task and CPU that perf_event_open(2) takes. The
 * modes are those of the kernel's perf ring documentation, each with a ring for each place.
 */
#ifndef TRACER_PLACEMENT_H
#define TRACER_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../base/cpulist.h"
#include "target.h"

enum placement_mode {
	PLACE_DEFAULT,	  /* each thread on each CPU, with what it starts later */
	PLACE_PER_THREAD, /* each thread, wherever it runs; nothing that it starts later */
	PLACE_CPUS,	  /* whatever runs on these CPUs */
	PLACE_CGROUP,	  /* whatever of these cgroups runs on these CPUs */
	PLACE_COUNT, /* each thread wherever it runs, with what it starts later: for counting only */
};

struct place {
	pid_t pid;    /* a thread; -1: any; PLACE_CGROUP: a descriptor of the cgroup's folder */
	int cpu;      /* -1: wherever it runs */
	size_t group; /* PLACE_CGROUP: number of the cgroup among those given */
};

struct placement {
	enum placement_mode mode;
	bool inherit;
	struct place *places; /* owned */
	size_t count;
	pid_t *tids; /* the threads that have places; owned */
	size_t tid_count;
	int *cgroups; /* descriptors, owned */
	size_t cgroup_count;
};

struct placement_request {
	enum placement_mode mode;
	const struct target *target; /* its tasks; not looked at by PLACE_CPUS and PLACE_CGROUP */
	const struct cpulist *cpus;  /* those of -C, or all that are online */
	char *const *cgroups; /* PLACE_CGROUP: paths, below the mount of perf_event's hierarchy */
	size_t cgroup_count;
	bool inherit;
};

/* Says what is wrong. 0 or -errno; placement_free() in any case. */
int placement_make(const struct placement_request *request, struct placement *placement);
/* Are there places of that thread? */
bool placement_has_thread(const struct placement *placement, pid_t tid);
/* The flags of perf_event_open(2) that its places need. */
unsigned long placement_flags(const struct placement *placement);
void placement_free(struct placement *placement);

#endif
