// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sets of rings against real events: page faults, each of which is a sample, of threads that touch fresh
 * pages in order. What the events have counted, the kernel's own number, is what must have been read or told as
 * lost: while a ring is moved to larger ones under a reader that is too slow, too.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
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
#define NOBODY	     65534
#define FINISH_MS    2000

/* ---- the workload ------------------------------------------------------------------------------- */

enum step { STEP_WAIT, STEP_TOUCH, STEP_IDLE, STEP_END };

struct worker {
	pthread_t thread;
	pid_t tid;
	int cpu;
	enum step step;
	unsigned rounds_left; /* without one: until told to stop */
	unsigned char *region;
	int fd;
	/* what was read of it */
	uint64_t received;
	uint64_t last; /* page of the record before, counted from 1 */
	uint64_t wrong;
};

static enum step step_of(const struct worker *worker)
{
	return __atomic_load_n(&worker->step, __ATOMIC_ACQUIRE);
}

static void set_step(struct worker *worker, enum step step)
{
	__atomic_store_n(&worker->step, step, __ATOMIC_RELEASE);
}

static void touch_all(struct worker *worker)
{
	for (size_t i = 0; i < REGION_PAGES; i++)
		*(volatile unsigned char *)(worker->region + i * PAGE) = 1;
	madvise(worker->region, REGION_PAGES * PAGE, MADV_DONTNEED);
}

static void *work(void *context)
{
	struct worker *worker = context;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(worker->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	__atomic_store_n(&worker->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (step_of(worker) == STEP_WAIT)
		sched_yield();
	while (step_of(worker) == STEP_TOUCH) {
		touch_all(worker);
		if (worker->rounds_left && --worker->rounds_left == 0)
			set_step(worker, STEP_IDLE);
	}
	/* running, so that an owner of a ring of this thread can tell */
	while (step_of(worker) != STEP_END)
		;
	return NULL;
}

static bool start_worker(struct worker *worker, int cpu)
{
	worker->cpu = cpu;
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

static void end_worker(struct worker *worker)
{
	set_step(worker, STEP_END);
	pthread_join(worker->thread, NULL);
	munmap(worker->region, REGION_PAGES * PAGE);
	if (worker->fd >= 0)
		close(worker->fd);
}

/* ---- its events and what is read of them -------------------------------------------------------- */

/* Of sample_type IP | TID | ADDR. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t address;
};

static int open_faults(const struct worker *worker, int cpu, bool backward)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.write_backward = backward,
		.watermark = 1,
		.wakeup_watermark = PAGE / 2,
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
	uint64_t unknown;
};

static struct worker *worker_of(struct run *run, uint32_t tid)
{
	for (size_t i = 0; i < run->count; i++)
		if ((uint32_t)run->workers[i].tid == tid)
			return &run->workers[i];
	return NULL;
}

/* Pages are touched in order: the same one twice in a row is a record read twice. */
static int take(void *context, size_t ring, const struct perf_event_header *record)
{
	const struct sample *sample = (const void *)record;
	struct run *run = context;
	struct worker *worker;
	uint64_t page;

	if (record->type == PERF_RECORD_LOST)
		return 0;
	worker = record->type == PERF_RECORD_SAMPLE && record->size == sizeof(*sample) ?
			 worker_of(run, sample->tid) :
			 NULL;
	if (!worker || ring >= run->rings) {
		run->unknown++;
		return 0;
	}
	run->received++;
	worker->received++;
	page = (sample->address - (uintptr_t)worker->region) / PAGE + 1;
	if (page > REGION_PAGES) /* its stack, or what a sanitizer keeps */
		return 0;
	worker->wrong += page == worker->last;
	worker->last = page;
	return 0;
}

static uint64_t counted(const struct worker *worker)
{
	uint64_t value = 0;

	return read(worker->fd, &value, sizeof(value)) == sizeof(value) ? value : UINT64_MAX;
}

static int start_run(struct run *run, size_t count, int cpu, const struct ring_set_options *options)
{
	int err = ring_set_open(options, &run->set);

	for (size_t i = 0; !err && i < count; i++) {
		struct worker *worker = &run->workers[i];

		if (!start_worker(worker, cpu >= 0 ? cpu : 0))
			return -EIO;
		run->count = i + 1;
		worker->fd = open_faults(worker, cpu, options->backward);
		if (worker->fd < 0)
			return worker->fd;
		err = ring_set_add(run->set, cpu, worker->tid, worker->fd);
		if (err < 0)
			return err;
		if ((size_t)err + 1 > run->rings)
			run->rings = (size_t)err + 1;
		err = 0;
	}
	return err;
}

static void end_run(struct run *run)
{
	ring_set_close(run->set);
	for (size_t i = 0; i < run->count; i++)
		end_worker(&run->workers[i]);
}

static void sleep_ms(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

static void all_to(struct run *run, enum step step)
{
	for (size_t i = 0; i < run->count; i++)
		set_step(&run->workers[i], step);
}

static void disable_all(struct run *run)
{
	for (size_t i = 0; i < run->count; i++)
		ioctl(run->workers[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- growing --------------------------------------------------------------------------------------- */

struct growth {
	size_t workers;
	int cpu; /* or -1 */
	size_t bytes, most_bytes;
};

/* Whether all rings have the size where growth stops, and nothing is under way. */
static bool all_grown(const struct run *run, size_t most_bytes)
{
	bool grown = true;

	for (size_t i = 0; i < run->rings; i++) {
		struct ring_set_stats stats;

		ring_set_stats(run->set, i, &stats);
		grown &= stats.bytes == most_bytes && !stats.is_moving;
	}
	return grown;
}

#define CHECK(condition) check(condition, #condition, &wrong)
static void check(bool holds, const char *text, int *wrong)
{
	if (holds)
		return;
	print_message("not so: %s\n", text);
	(*wrong)++;
}

static int check_growth(struct run *run, const struct growth *growth)
{
	uint64_t lost = 0, events = 0, received = 0;
	int wrong = 0;

	for (size_t i = 0; i < run->rings; i++) {
		struct ring_set_stats stats;

		ring_set_stats(run->set, i, &stats);
		CHECK(stats.bytes == growth->most_bytes);
		CHECK(growth->bytes << stats.moves == growth->most_bytes);
		CHECK(stats.move_error == 0);
		CHECK(stats.is_lost_exact);
		CHECK(stats.cpu == growth->cpu);
		CHECK(stats.stats.corrupt == 0);
		lost += stats.stats.lost_records;
		received += stats.stats.records;
	}
	for (size_t i = 0; i < run->count; i++) {
		events += counted(&run->workers[i]);
		CHECK(run->workers[i].wrong == 0);
		CHECK(run->workers[i].received > REGION_PAGES);
	}
	CHECK(run->unknown == 0);
	CHECK(run->received <= received); /* its records of LOST are records */
	CHECK(lost > 0);
	CHECK(run->received + lost == events);
	print_message("  %llu events, %llu read, %llu lost\n", (unsigned long long)events,
		      (unsigned long long)run->received, (unsigned long long)lost);
	return wrong;
}

/* Reads seldom until the rings have grown, and for some time after. -errno, or how much was wrong. */
static int grow(struct run *run, const struct growth *growth)
{
	int err = 0, after = 0;

	all_to(run, STEP_TOUCH);
	for (int i = 0; err >= 0 && i < 2000 && after < 20; i++) {
		err = ring_set_wait(run->set, 0);
		sleep_ms(5);
		if (err >= 0)
			err = ring_set_consume(run->set, take, run);
		after += all_grown(run, growth->most_bytes);
	}
	all_to(run, STEP_IDLE);
	disable_all(run);
	if (err >= 0)
		err = ring_set_finish(run->set, FINISH_MS, take, run);
	return err < 0 ? err : check_growth(run, growth);
}

static int run_growth(const struct growth *growth)
{
	const struct ring_set_options options = {
		.bytes = growth->bytes,
		.most_bytes = growth->most_bytes,
		.epoll = -1,
	};
	struct run run = {};
	int result = start_run(&run, growth->workers, growth->cpu, &options);

	if (!result)
		result = grow(&run, growth);
	end_run(&run);
	return result;
}

static bool is_refused(int err)
{
	if (err != -EACCES && err != -EPERM && err != -ENOSYS)
		return false;
	print_message("[ SKIPPED ] perf_event_open is refused here: %s\n", strerror(-err));
	return true;
}

static void expect_growth(struct growth growth)
{
	int result;

	growth.bytes *= (size_t)sysconf(_SC_PAGESIZE);
	growth.most_bytes *= (size_t)sysconf(_SC_PAGESIZE);
	result = run_growth(&growth);
	if (is_refused(result))
		skip();
	assert_int_equal(result, 0);
}

static void test_growth_on_a_cpu(void **state)
{
	(void)state;
	expect_growth((struct growth){ .workers = 1, .cpu = 0, .bytes = 1, .most_bytes = 32 });
}

static void test_growth_of_several_events(void **state)
{
	(void)state;
	expect_growth((struct growth){ .workers = 3, .cpu = 0, .bytes = 1, .most_bytes = 16 });
}

static void test_growth_of_a_thread(void **state)
{
	(void)state;
	expect_growth((struct growth){ .workers = 2, .cpu = -1, .bytes = 1, .most_bytes = 16 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth_on_a_cpu),
		cmocka_unit_test(test_growth_of_several_events),
		cmocka_unit_test(test_growth_of_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
