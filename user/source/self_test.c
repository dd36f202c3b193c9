// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A known store under a watchpoint, a known loop under a cycle counter. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf_open.h"
#include "self_test.h"

#define STORES 3

static int read_count(int fd, uint64_t *count)
{
	if (read(fd, count, sizeof(*count)) != (ssize_t)sizeof(*count))
		return -EIO;
	return 0;
}

int self_test_breakpoint(void)
{
	volatile uint64_t watched __attribute__((aligned(8))) = 0;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf_open(&attr, 0, -1, -1);
	uint64_t count = 0;
	int err;

	if (fd < 0)
		return fd;
	for (uint64_t i = 0; i < STORES; i++)
		watched = i;
	err = read_count(fd, &count);
	close(fd);
	if (err)
		return err;
	return count == STORES ? 0 : -ENODEV;
}

int self_test_cycles(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf_open(&attr, 0, -1, -1);
	volatile unsigned sink = 0;
	uint64_t count = 0;
	int err;

	if (fd < 0)
		return fd;
	for (unsigned i = 0; i < 100000; i++)
		sink += i;
	err = read_count(fd, &count);
	close(fd);
	if (err)
		return err;
	return count ? 0 : -ENODEV;
}
