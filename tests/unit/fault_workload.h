/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads, or their children, that touch fresh pages in order; an event on each of them of which every page fault is
 * a sample; and what is read of these through a set of rings.
 */
#ifndef TRACER_FAULT_WORKLOAD_H
#define TRACER_FAULT_WORKLOAD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring_set.h"

#define PAGE	     4096 /* the least that a fault can bring; larger pages only fault less */
#define REGION_PAGES 512
#define MOST_WORKERS 4

/* ---- the workload ------------------------------------------------------------------------------- */

enum step { STEP_WAIT, STEP_TOUCH, STEP_IDLE, STEP_END };

struct worker {
	pthread_t thread;
	pid_t tid;
	pid_t child_tid; /* if a thread that it starts does the work */
	bool by_child;
	int cpu;
	enum step step;
	bool is_idle;
	unsigned rounds_left; /* without one: until told to stop */
	unsigned char *region;
	int fd;
	/* what was read of it */
	uint64_t received;
	uint64_t last; /* page of the record before, counted from 1 */
	uint64_t last_time;
	uint64_t jumps; /* that was not the one before it */
	uint64_t wrong;
};

static inline enum step step_of(const struct worker *worker)
{
	return __atomic_load_n(&worker->step, __ATOMIC_ACQUIRE);
}

static inline void set_step(struct worker *worker, enum step step)
{
	__atomic_store_n(&worker->step, step, __ATOMIC_RELEASE);
}

static inline void touch_all(struct worker *worker)
{
	for (size_t i = 0; i < REGION_PAGES; i++)
		*(volatile unsigned char *)(worker->region + i * PAGE) = 1;
	madvise(worker->region, REGION_PAGES * PAGE, MADV_DONTNEED);
}

static inline void touch_while_told(struct worker *worker)
{
	while (step_of(worker) == STEP_TOUCH) {
		touch_all(worker);
		if (worker->rounds_left && --worker->rounds_left == 0)
			set_step(worker, STEP_IDLE);
	}
}

static inline void *work_as_child(void *context)
{
	struct worker *worker = context;

	__atomic_store_n(&worker->child_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	touch_while_told(worker);
	return NULL;
}

static inline void work_by_child(struct worker *worker)
{
	pthread_t child;

	if (!pthread_create(&child, NULL, work_as_child, worker))
		pthread_join(child, NULL);
}

static inline void *work(void *context)
{
	struct worker *worker = context;
	enum step step;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(worker->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	__atomic_store_n(&worker->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	while ((step = step_of(worker)) != STEP_END) {
		if (step == STEP_WAIT)
			sched_yield();
		else if (step == STEP_TOUCH && worker->by_child)
			work_by_child(worker);
		else if (step == STEP_TOUCH)
			touch_while_told(worker);
		/* idle is running: the owner of a ring of this thread can tell */
		__atomic_store_n(&worker->is_idle, step_of(worker) == STEP_IDLE, __ATOMIC_RELEASE);
	}
	return NULL;
}

static inline bool start_worker(struct worker *worker, int cpu)
{
	worker->cpu = cpu >= 0 ? cpu : 0;
	worker->fd = -1;
	worker->region = mmap(NULL, REGION_PAGES * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (worker->region == MAP_FAILED)
		return false;
	madvise(worker->region, REGION_PAGES * PAGE, MADV_NOHUGEPAGE);
	if (pthread_create(&worker->thread, NULL, work, worker))
		return false;
	while (!__atomic_load_n(&worker->tid, __ATOMIC_ACQUIRE))
		sched_yield();
	return true;
}

static inline void end_worker(struct worker *worker)
{
	set_step(worker, STEP_END);
	pthread_join(worker->thread, NULL);
	munmap(worker->region, REGION_PAGES * PAGE);
	if (worker->fd >= 0)
		close(worker->fd);
}

/* ---- its events and what is read of them -------------------------------------------------------- */

/* Of sample_type IP | TID | TIME | ADDR: 40 bytes, of which no ring holds a whole number. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t address;
};

static inline int open_faults(const struct worker *worker, int cpu, bool backward)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_ADDR,
		.write_backward = backward,
		.watermark = 1,
		.wakeup_watermark = PAGE / 2,
		.disabled = 1,
		.inherit = worker->by_child,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, worker->tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

struct run {
	struct ring_set *set;
	struct worker workers[MOST_WORKERS];
	size_t count;
	size_t rings;
	uint64_t received;
	uint64_t early; /* of children that have not said yet who they are */
	uint64_t unknown;
};

static inline struct worker *worker_of(struct run *run, uint32_t tid)
{
	for (size_t i = 0; i < run->count; i++)
		if (tid == (uint32_t)run->workers[i].tid ||
		    tid == (uint32_t)run->workers[i].child_tid)
			return &run->workers[i];
	return NULL;
}

/* Of one thread: a time again is a record read twice, an earlier one a record out of its order. */
static inline void take_sample(struct worker *worker, const struct sample *sample)
{
	uint64_t page = (sample->address - (uintptr_t)worker->region) / PAGE + 1;

	worker->received++;
	worker->wrong += sample->time <= worker->last_time;
	worker->last_time = sample->time;
	if (page > REGION_PAGES) /* its stack, or what a sanitizer keeps */
		return;
	worker->jumps += worker->last && page != worker->last % REGION_PAGES + 1;
	worker->last = page;
}

static inline int take(void *context, size_t ring, const struct perf_event_header *record)
{
	const struct sample *sample = (const void *)record;
	struct run *run = context;
	struct worker *worker;

	if (record->type == PERF_RECORD_LOST)
		return 0;
	if (record->type != PERF_RECORD_SAMPLE || record->size != sizeof(*sample) ||
	    ring >= run->rings) {
		run->unknown++;
		return 0;
	}
	run->received++;
	worker = worker_of(run, sample->tid);
	if (worker)
		take_sample(worker, sample);
	else
		run->early++;
	return 0;
}

static inline uint64_t counted(const struct worker *worker)
{
	uint64_t value = 0;

	return read(worker->fd, &value, sizeof(value)) == sizeof(value) ? value : UINT64_MAX;
}

/* A worker, its event, and that in the set: its ring, or -errno. */
static inline int add_worker(struct run *run, int cpu, bool by_child,
			     const struct ring_set_options *options)
{
	struct worker *worker = &run->workers[run->count];
	int ring;

	worker->by_child = by_child;
	if (!start_worker(worker, cpu))
		return -EIO;
	run->count++;
	worker->fd = open_faults(worker, cpu, options->backward);
	if (worker->fd < 0)
		return worker->fd;
	ring = ring_set_add(run->set, cpu, worker->tid, worker->fd);
	if (ring < 0)
		return ring;
	if ((size_t)ring >= run->rings)
		run->rings = (size_t)ring + 1;
	return ioctl(worker->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : ring;
}

static inline int start_run(struct run *run, const struct ring_set_options *options)
{
	*run = (struct run){};
	return ring_set_open(options, &run->set);
}

static inline void end_run(struct run *run)
{
	ring_set_close(run->set);
	for (size_t i = 0; i < run->count; i++)
		end_worker(&run->workers[i]);
}

static inline void sleep_ms(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

static inline void all_to(struct run *run, enum step step)
{
	for (size_t i = 0; i < run->count; i++)
		set_step(&run->workers[i], step);
}

/* None is disabled in the middle of a fault, which would be counted and not be a sample. */
static inline void disable_all(struct run *run)
{
	all_to(run, STEP_IDLE);
	for (size_t i = 0; i < run->count; i++) {
		while (!__atomic_load_n(&run->workers[i].is_idle, __ATOMIC_ACQUIRE))
			sleep_ms(1);
		ioctl(run->workers[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

static inline bool is_refused(int err)
{
	if (err != -EACCES && err != -EPERM && err != -ENOSYS)
		return false;
	print_message("[ SKIPPED ] perf_event_open is refused here: %s\n", strerror(-err));
	return true;
}

#endif
