// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's rules (kernel/events/core.c, perf_event_set_output, perf_mmap): who is redirected has no
 * mapping of its own, and the same CPU, clock and direction as the owner; with cpu -1 the same thread, until
 * 6.2 also a PMU of the same kind (software or hardware). An inherited event with cpu -1 cannot be mapped.
 * The owner is a cpu-clock, because PERF_EVENT_IOC_REFRESH makes that one write one record wherever it is.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_owner.h"

/* From when it is asked to its record. */
#define PERIOD_NS 100000
/* How long we run for an owner of our own. */
#define RUN_NS 3000000

static struct perf_event_attr owner_attr(const struct ring_owner_options *options)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.disabled = 1,
		.write_backward = options->backward,
		.use_clockid = options->use_clockid,
		.clockid = options->clockid,
		/* of whoever maps the ring */
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(options->bytes / 4),
	};
}

static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* perf_event_paranoid 2 refuses what counts the kernel: EACCES, with some security modules EPERM. */
static int open_for_thread(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = open_event(attr, tid, cpu);

	if (fd != -EACCES && fd != -EPERM)
		return fd;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return open_event(attr, tid, cpu);
}

static int map_ring(struct ring_owner *owner, const struct ring_owner_options *options)
{
	return options->backward ?
		       perf_ring_open_backward(owner->fd, options->bytes, &owner->ring) :
		       perf_ring_open(owner->fd, options->bytes, &owner->ring);
}

int ring_owner_open(const struct ring_owner_options *options, struct ring_owner *owner)
{
	struct perf_event_attr attr = owner_attr(options);
	int err;

	*owner = (struct ring_owner){ .cpu = options->cpu };
	if (options->cpu < 0) {
		owner->fd = open_for_thread(&attr, options->tid, -1);
	} else {
		owner->fd = open_event(&attr, -1, options->cpu);
		owner->is_of_self = owner->fd == -EACCES || owner->fd == -EPERM;
		if (owner->is_of_self)
			owner->fd = open_for_thread(&attr, 0, options->cpu);
	}
	if (owner->fd < 0)
		return owner->fd;
	err = ioctl(owner->fd, PERF_EVENT_IOC_ID, &owner->id) ? -errno : map_ring(owner, options);
	if (err)
		close(owner->fd);
	return err;
}

int ring_owner_borrow(int fd, const struct ring_owner_options *options, struct ring_owner *owner)
{
	*owner = (struct ring_owner){ .cpu = options->cpu, .fd = fd, .is_borrowed = true };
	return map_ring(owner, options);
}

void ring_owner_close(struct ring_owner *owner)
{
	if (!owner->ring)
		return;
	perf_ring_close(owner->ring);
	owner->ring = NULL;
	if (!owner->is_borrowed)
		close(owner->fd);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Runs on its CPU, in user mode, until it has written. */
static int run_there(const struct ring_owner *owner)
{
	const struct perf_event_mmap_page *page = perf_ring_page(owner->ring);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED);
	cpu_set_t before, there;
	uint64_t end;

	CPU_ZERO(&there);
	CPU_SET(owner->cpu, &there);
	if (sched_getaffinity(0, sizeof(before), &before) ||
	    sched_setaffinity(0, sizeof(there), &there))
		return -errno;
	end = now_ns() + RUN_NS;
	while (__atomic_load_n(&page->data_head, __ATOMIC_RELAXED) == head && now_ns() < end)
		;
	return sched_setaffinity(0, sizeof(before), &before) ? -errno : 0;
}

int ring_owner_ask(struct ring_owner *owner)
{
	bool must_run = owner->is_of_self || (owner->is_asked && owner->cpu >= 0);

	if (owner->is_borrowed)
		return -EOPNOTSUPP;
	if (ioctl(owner->fd, PERF_EVENT_IOC_REFRESH, 1))
		return -errno;
	owner->is_asked = true;
	return must_run ? run_there(owner) : 0;
}

void ring_owner_hush(struct ring_owner *owner)
{
	if (owner->ring && !owner->is_borrowed)
		ioctl(owner->fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Its samples have nothing but a header, which no event has that is good for anything. */
static bool is_own(const struct ring_owner *owner, const struct perf_event_header *record)
{
	const uint64_t *body = (const void *)(record + 1);

	if (owner->is_borrowed)
		return false;
	if (record->type == PERF_RECORD_SAMPLE)
		return record->size == sizeof(*record);
	return record->type == PERF_RECORD_LOST &&
	       record->size == sizeof(*record) + 2 * sizeof(*body) && body[0] == owner->id;
}

bool ring_owner_wrote(struct ring_owner *owner, const struct perf_event_header *record)
{
	if (!is_own(owner, record))
		return false;
	if (record->type == PERF_RECORD_SAMPLE) {
		owner->has_told = true;
		owner->is_asked = false;
	}
	owner->records++;
	owner->bytes += record->size;
	return true;
}
