// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sets of rings against real events: snapshots of rings written backward, wakeups, an event that cannot share a
 * ring, and one that goes while its ring is moved. How rings grow: test_ring_set_growth.c.
 */
#include "fault_workload.h"

/* A run with a worker on the first CPU: its ring, or -errno. Skips the test where no event may be opened. */
static int start_with_worker(struct run *run, const struct ring_set_options *options)
{
	int ring;

	assert_int_equal(start_run(run, options), 0);
	ring = add_worker(run, 0, false, options);
	if (is_refused(ring)) {
		end_run(run);
		skip();
	}
	return ring;
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

	(void)state;
	assert_int_equal(start_with_worker(&run, &options), 0);
	take_snapshots(&run);
	end_run(&run);
}

/* Every ring tells that it has lost nothing, whatever its CPU does meanwhile: also what the question itself costs. */
static void ask_idle_rings(const struct ring_set_options *options)
{
	const struct worker self = { .tid = gettid() };
	int fds[64], cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct ring_set_stats stats;
	struct run run;

	assert_int_equal(start_run(&run, options), 0);
	for (int cpu = 0; cpu < cpus && cpu < 64; cpu++) {
		fds[cpu] = open_faults(&self, cpu, options->backward);
		assert_int_equal(ring_set_add(run.set, cpu, self.tid, fds[cpu]), cpu);
	}
	assert_int_equal(ring_set_finish(run.set, 10000, take, &run), 0);
	for (size_t i = 0; i < ring_set_count(run.set); i++) {
		ring_set_stats(run.set, i, &stats);
		assert_true(stats.is_lost_exact);
		assert_int_equal(stats.stats.lost_records, 0);
		close(fds[i]);
	}
	end_run(&run);
}

static void test_end_of_idle_rings(void **state)
{
	struct ring_set_options options = {
		.bytes = BACKWARD_PAGES * (size_t)sysconf(_SC_PAGESIZE),
		.epoll = -1,
	};

	struct run run;

	(void)state;
	assert_int_equal(start_with_worker(&run, &options), 0); /* or skips */
	end_run(&run);
	for (unsigned i = 0; i < 20; i++) {
		options.backward = i % 2;
		ask_idle_rings(&options);
	}
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
	int of_thread;

	(void)state;
	assert_int_equal(start_with_worker(&run, &options), -EINVAL);
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

	(void)state;
	assert_int_equal(start_with_worker(&run, &options), 0);
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
		cmocka_unit_test(test_snapshots),
		cmocka_unit_test(test_end_of_idle_rings),
		cmocka_unit_test(test_wakeups),
		cmocka_unit_test(test_event_that_cannot_be_redirected),
		cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
