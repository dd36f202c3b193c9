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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

static void touch_while_told(struct worker *worker)
{
	while (step_of(worker) == STEP_TOUCH) {
		touch_all(worker);
		if (worker->rounds_left && --worker->rounds_left == 0)
			set_step(worker, STEP_IDLE);
	}
}

static void *work_as_child(void *context)
{
	struct worker *worker = context;

	__atomic_store_n(&worker->child_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	touch_while_told(worker);
	return NULL;
}

static void work_by_child(struct worker *worker)
{
	pthread_t child;

	if (!pthread_create(&child, NULL, work_as_child, worker))
		pthread_join(child, NULL);
}

static void *work(void *context)
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

static bool start_worker(struct worker *worker, int cpu)
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

static void end_worker(struct worker *worker)
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

static int open_faults(const struct worker *worker, int cpu, bool backward)
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

static struct worker *worker_of(struct run *run, uint32_t tid)
{
	for (size_t i = 0; i < run->count; i++)
		if (tid == (uint32_t)run->workers[i].tid ||
		    tid == (uint32_t)run->workers[i].child_tid)
			return &run->workers[i];
	return NULL;
}

/* Of one thread: a time again is a record read twice, an earlier one a record out of its order. */
static void take_sample(struct worker *worker, const struct sample *sample)
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

static int take(void *context, size_t ring, const struct perf_event_header *record)
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

static uint64_t counted(const struct worker *worker)
{
	uint64_t value = 0;

	return read(worker->fd, &value, sizeof(value)) == sizeof(value) ? value : UINT64_MAX;
}

/* A worker, its event, and that in the set: its ring, or -errno. */
static int add_worker(struct run *run, int cpu, bool by_child,
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

static int start_run(struct run *run, const struct ring_set_options *options)
{
	*run = (struct run){};
	return ring_set_open(options, &run->set);
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

/* None is disabled in the middle of a fault, which would be counted and not be a sample. */
static void disable_all(struct run *run)
{
	all_to(run, STEP_IDLE);
	for (size_t i = 0; i < run->count; i++) {
		while (!__atomic_load_n(&run->workers[i].is_idle, __ATOMIC_ACQUIRE))
			sleep_ms(1);
		ioctl(run->workers[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

/* ---- growing --------------------------------------------------------------------------------------- */

struct growth {
	size_t workers;
	int cpu; /* or -1 */
	bool by_children;
	size_t bytes, most_bytes;
	bool is_limited; /* the system allows less than that */
};

/* Whether all rings have the size where growth stops, and nothing is under way. */
static bool all_grown(const struct run *run, const struct growth *growth)
{
	bool grown = true;

	for (size_t i = 0; i < run->rings; i++) {
		struct ring_set_stats stats;

		ring_set_stats(run->set, i, &stats);
		grown &= (stats.bytes >= growth->most_bytes || stats.move_error) &&
			 !stats.is_moving;
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
		CHECK(growth->is_limited ? stats.bytes < growth->most_bytes :
					   stats.bytes == growth->most_bytes);
		CHECK(stats.stats.high_water > stats.bytes / 4 * 3); /* it would have grown */
		CHECK(growth->bytes << stats.moves == stats.bytes);
		CHECK(stats.move_error == (growth->is_limited ? -EPERM : 0));
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
	CHECK(run->early <= (growth->by_children ? REGION_PAGES : 0));
	CHECK(run->received <= received);      /* its records of LOST are records */
	CHECK(lost > 0 || growth->is_limited); /* which ends before anything must be lost */
	CHECK(run->received + lost == events);
	print_message("  %llu events, %llu read, %llu lost\n", (unsigned long long)events,
		      (unsigned long long)run->received, (unsigned long long)lost);
	return wrong;
}

/* Reads seldom until the rings have grown, and still less often after. -errno, or how much was wrong. */
static int grow(struct run *run, const struct growth *growth)
{
	int err = 0, after = 0;

	all_to(run, STEP_TOUCH);
	for (int i = 0; err >= 0 && i < 2000 && after < 5; i++) {
		err = ring_set_wait(run->set, 0);
		sleep_ms(after ? 100 : 5);
		if (err >= 0)
			err = ring_set_consume(run->set, take, run);
		after += all_grown(run, growth);
	}
	disable_all(run);
	if (err >= 0)
		err = ring_set_finish(run->set, FINISH_MS, take, run);
	return err < 0 ? err : check_growth(run, growth);
}

/* Rings until no more memory may be locked, never unmapped. How many. */
static size_t take_all_memory(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	size_t pages = 1 << 12, count = 0;
	struct perf_ring *ring;

	while (pages) {
		long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			break;
		if (perf_ring_open((int)fd, pages * (size_t)sysconf(_SC_PAGESIZE), &ring)) {
			close((int)fd);
			pages /= 2;
			continue;
		}
		count++;
	}
	return count;
}

static int run_growth(const struct growth *growth)
{
	const struct ring_set_options options = {
		.bytes = growth->bytes,
		.most_bytes = growth->most_bytes,
		.epoll = -1,
	};
	struct run run;
	int result = start_run(&run, &options);

	for (size_t i = 0; result >= 0 && i < growth->workers; i++)
		result = add_worker(&run, growth->cpu, growth->by_children, &options);
	if (result >= 0)
		result = growth->is_limited && !take_all_memory() ? -ENOMEM : grow(&run, growth);
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

static struct growth in_pages(struct growth growth)
{
	growth.bytes *= (size_t)sysconf(_SC_PAGESIZE);
	growth.most_bytes *= (size_t)sysconf(_SC_PAGESIZE);
	return growth;
}

static void expect_growth(struct growth growth)
{
	int result;

	growth = in_pages(growth);
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

/* An inherited event writes where the one that it is inherited from does. */
static void test_growth_under_children(void **state)
{
	(void)state;
	expect_growth((struct growth){
		.workers = 2, .cpu = 0, .by_children = true, .bytes = 1, .most_bytes = 16 });
}

/* With nobody's rights, and no memory to be locked beyond perf_event_mlock_kb. The result, or -errno. */
static int grow_as_nobody(const struct growth *growth)
{
	const struct rlimit no_memory = {};

	if (setrlimit(RLIMIT_MEMLOCK, &no_memory) || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return -errno;
	return run_growth(growth);
}

static void expect_growth_as_nobody(struct growth growth)
{
	int status;
	pid_t child;

	if (geteuid()) {
		print_message("[ SKIPPED ] only root can become somebody else\n");
		skip();
	}
	growth = in_pages(growth);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		int result = grow_as_nobody(&growth);

		fflush(NULL);
		_exit(result < 0 ? -result : result ? 255 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (is_refused(-WEXITSTATUS(status)))
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_growth_unprivileged(void **state)
{
	(void)state;
	expect_growth_as_nobody(
		(struct growth){ .workers = 2, .cpu = 0, .bytes = 1, .most_bytes = 16 });
}

static void test_growth_of_a_thread_unprivileged(void **state)
{
	(void)state;
	expect_growth_as_nobody(
		(struct growth){ .workers = 1, .cpu = -1, .bytes = 1, .most_bytes = 16 });
}

/* What may not be locked ends the growth, and nothing else. */
static void test_growth_to_the_limit(void **state)
{
	(void)state;
	expect_growth_as_nobody((struct growth){
		.workers = 1, .cpu = 0, .bytes = 16, .most_bytes = 1 << 16, .is_limited = true });
}

/* ---- backward ------------------------------------------------------------------------------------ */

#define BACKWARD_PAGES 8

/* Touches the region so many times, and takes what a snapshot has of that. */
static void snapshot_of(struct run *run, unsigned rounds)
{
	struct worker *worker = &run->workers[0];

	worker->rounds_left = rounds;
	worker->received = worker->last = worker->jumps = 0;
	if (rounds)
		set_step(worker, STEP_TOUCH);
	while (step_of(worker) == STEP_TOUCH)
		sleep_ms(1);
	assert_true(ring_set_snapshot(run->set, take, run) >= 0);
	assert_int_equal(worker->jumps, 0);
	assert_int_equal(worker->wrong, 0);
	assert_int_equal(run->unknown, 0);
	if (rounds)
		assert_int_equal(worker->last, REGION_PAGES);
}

/* From a ring that has not wrapped, one that has many times, one where nothing is new; and again. */
static void take_snapshots(struct run *run)
{
	struct worker *worker = &run->workers[0];
	size_t bytes = BACKWARD_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	struct ring_set_stats stats;

	snapshot_of(run, 0);
	assert_int_equal(worker->received, counted(worker));
	for (unsigned i = 0; i < 3; i++) {
		uint64_t before = counted(worker);

		snapshot_of(run, 1);
		assert_int_equal(worker->received, counted(worker) - before);
		snapshot_of(run, 8 + i * 10);
		assert_int_equal(worker->received, bytes / sizeof(struct sample));
		snapshot_of(run, 0);
		assert_int_equal(worker->received, 0);
	}
	ring_set_stats(run->set, 0, &stats);
	assert_int_equal(stats.stats.lost_records, 0);
	assert_int_equal(stats.stats.corrupt, 0);
	assert_int_equal(stats.stats.high_water, bytes);
}

static void test_snapshots(void **state)
{
	const struct ring_set_options options = {
		.bytes = BACKWARD_PAGES * (size_t)sysconf(_SC_PAGESIZE),
		.backward = true,
		.epoll = -1,
	};
	struct run run;
	int result;

	(void)state;
	assert_int_equal(start_run(&run, &options), 0);
	result = add_worker(&run, 0, false, &options);
	if (is_refused(result)) {
		end_run(&run);
		skip();
	}
	assert_int_equal(result, 0);
	take_snapshots(&run);
	end_run(&run);
}

/* ---- waiting, and what cannot be ------------------------------------------------------------------- */

/* In an epoll descriptor with others: told apart, counted, once a watermark and not once a record. */
static void check_wakeups(struct run *run, int epoll)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = 3 };
	struct ring_set_stats stats;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event), 0);
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_int_equal(epoll_wait(epoll, &event, 1, 1000), 1);
	assert_false(ring_set_woken(run->set, &event));
	assert_int_equal(read(pipes[0], &(char){ 0 }, 1), 1);

	run->workers[0].rounds_left = 1;
	all_to(run, STEP_TOUCH);
	assert_int_equal(epoll_wait(epoll, &event, 1, 10000), 1);
	assert_true(ring_set_woken(run->set, &event));
	while (step_of(&run->workers[0]) == STEP_TOUCH)
		sleep_ms(1);
	assert_true(ring_set_consume(run->set, take, run) >= REGION_PAGES);
	ring_set_stats(run->set, 0, &stats);
	assert_int_equal(stats.stats.wakeups, 1);
	assert_int_equal(stats.stats.lost_records, 0);
	close(pipes[0]);
	close(pipes[1]);
}

static void test_wakeups(void **state)
{
	struct ring_set_options options = {
		.bytes = 8 * (size_t)sysconf(_SC_PAGESIZE),
		.epoll = epoll_create1(EPOLL_CLOEXEC),
	};
	struct run run;
	int result;

	(void)state;
	assert_true(options.epoll >= 0);
	assert_int_equal(start_run(&run, &options), 0);
	assert_int_equal(ring_set_epoll(run.set), options.epoll);
	result = add_worker(&run, 0, false, &options);
	if (result >= 0)
		check_wakeups(&run, options.epoll);
	end_run(&run);
	close(options.epoll);
	if (is_refused(result))
		skip();
	assert_int_equal(result, 0);
}

/* Another clock cannot share the ring: an error on a CPU, and of a thread a ring of the event's own. */
static void test_event_that_cannot_be_redirected(void **state)
{
	const struct ring_set_options options = {
		.bytes = 8 * (size_t)sysconf(_SC_PAGESIZE),
		.most_bytes = 64 * (size_t)sysconf(_SC_PAGESIZE),
		.use_clockid = true,
		.clockid = CLOCK_MONOTONIC,
		.epoll = -1,
	};
	struct ring_set_stats stats;
	struct run run;
	int on_cpu, of_thread;

	(void)state;
	assert_int_equal(start_run(&run, &options), 0);
	on_cpu = add_worker(&run, 0, false, &options);
	if (is_refused(on_cpu)) {
		end_run(&run);
		skip();
	}
	assert_int_equal(on_cpu, -EINVAL);
	of_thread = add_worker(&run, -1, false, &options);
	assert_true(of_thread > 0);
	ring_set_stats(run.set, (size_t)of_thread, &stats);
	assert_int_equal(stats.move_error, -EOPNOTSUPP);
	run.workers[1].rounds_left = 1;
	set_step(&run.workers[1], STEP_TOUCH);
	while (step_of(&run.workers[1]) == STEP_TOUCH)
		sleep_ms(1);
	assert_true(ring_set_consume(run.set, take, &run) >= REGION_PAGES);
	assert_int_equal(run.received, counted(&run.workers[1]));
	end_run(&run);
}

/* One of two events goes while the ring is moving: the other one goes on. */
static void test_remove(void **state)
{
	const struct ring_set_options options = {
		.bytes = (size_t)sysconf(_SC_PAGESIZE),
		.most_bytes = 16 * (size_t)sysconf(_SC_PAGESIZE),
		.epoll = -1,
	};
	struct ring_set_stats stats = {};
	struct run run;
	int result;

	(void)state;
	assert_int_equal(start_run(&run, &options), 0);
	result = add_worker(&run, 0, false, &options);
	if (is_refused(result)) {
		end_run(&run);
		skip();
	}
	assert_int_equal(result, 0);
	assert_int_equal(add_worker(&run, 0, false, &options), 0);
	all_to(&run, STEP_TOUCH);
	for (int i = 0; i < 1000 && !stats.is_moving; i++) {
		sleep_ms(1);
		assert_true(ring_set_consume(run.set, take, &run) >= 0);
		ring_set_stats(run.set, 0, &stats);
	}
	assert_true(stats.is_moving);
	ring_set_remove(run.set, run.workers[1].fd);
	close(run.workers[1].fd);
	run.workers[1].fd = -1;
	run.workers[0].received = 0;
	for (int i = 0; i < 1000 && (stats.moves < 2 || !run.workers[0].received); i++) {
		sleep_ms(1);
		assert_true(ring_set_consume(run.set, take, &run) >= 0);
		ring_set_stats(run.set, 0, &stats);
	}
	assert_true(stats.moves >= 2);
	assert_true(run.workers[0].received > 0);
	assert_int_equal(stats.move_error, 0);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth_on_a_cpu),
		cmocka_unit_test(test_growth_of_several_events),
		cmocka_unit_test(test_growth_of_a_thread),
		cmocka_unit_test(test_growth_under_children),
		cmocka_unit_test(test_growth_unprivileged),
		cmocka_unit_test(test_growth_of_a_thread_unprivileged),
		cmocka_unit_test(test_growth_to_the_limit),
		cmocka_unit_test(test_snapshots),
		cmocka_unit_test(test_wakeups),
		cmocka_unit_test(test_event_that_cannot_be_redirected),
		cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
