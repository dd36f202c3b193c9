/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of CPUs as the kernel and taskset write them: "0-3,8". */
#ifndef TRACER_CPULIST_H
#define TRACER_CPULIST_H

#include <stddef.h>

struct cpulist {
	int *cpus; /* ascending, no duplicates; owned */
	size_t count;
};

/* 0, or -EINVAL for a malformed list, -ENOMEM. */
int cpulist_parse(const char *text, struct cpulist *list);
/* The CPUs that are online now (sysfs). 0 or -errno. */
int cpulist_online(struct cpulist *list);
/*
 * Highest possible CPU number plus one, or -errno. Maps indexed by CPU need this, not the online
 * count.
 */
int cpulist_possible_count(void);
/* 1 or 0; an empty list contains none. */
int cpulist_contains(const struct cpulist *list, int cpu);
void cpulist_free(struct cpulist *list);

#endif
