// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rings that are moved to larger ones under a reader that is too slow: what the events have counted, the kernel's
 * own number, is what must have been read or told as lost.
 */
#include "fault_workload.h"

#include <grp.h>
#include <stdio.h>
#include <sys/resource.h>

#define NOBODY	  65534
#define FINISH_MS 2000

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
