// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel writes to a ring in an RCU read-side section (kernel/events/ring_buffer.c, perf_output_begin);
 * MEMBARRIER_CMD_GLOBAL waits for a grace period (kernel/sched/membarrier.c).
 */
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "grace.h"

/* Where it is refused (nohz_full, seccomp): many times what a writer takes. */
#define INSTEAD_NS 50000000

void ring_grace(void)
{
	struct timespec instead = { .tv_nsec = INSTEAD_NS };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&instead, NULL);
}
