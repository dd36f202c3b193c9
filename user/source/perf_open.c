// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The one place that makes the system call, which libc has no wrapper for. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_open.h"

int perf_open_flags(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return perf_open_flags(attr, pid, cpu, group_fd, 0);
}
