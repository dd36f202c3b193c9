/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_PERF_OPEN_H
#define TRACER_PERF_OPEN_H

#include <linux/perf_event.h>
#include <sys/types.h>

/* perf_event_open(2) with PERF_FLAG_FD_CLOEXEC. The descriptor, or -errno. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);
/* The same with more flags, say PERF_FLAG_PID_CGROUP. */
int perf_open_flags(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);

#endif
