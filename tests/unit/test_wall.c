// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --wall: a thread's samples share its time on the CPU, to the nanosecond; nothing else changes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/wall.h"
#include "random.h"

#define YEAR (365ull * 24 * 3600 * 1000000000)

static const struct stack stack_a = { .depth = 0 }, stack_b = { .depth = 0 };
static const struct source_info sample = { .kind = REC_SAMPLE }, offcpu = { .kind = REC_OFFCPU },
				uprobe = { .kind = REC_UPROBE };

struct fixture {
	struct wall *wall;
	struct counts *from, *to;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->wall = wall_new();
	f->from = counts_new();
	f->to = counts_new();
	assert_true(f->wall && f->from && f->to);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	wall_free(f->wall);
	counts_free(f->from);
	counts_free(f->to);
	free(f);
	return 0;
}

static struct count_row row(const struct source_info *source, uint32_t tid, uint64_t count,
			    uint64_t ns)
{
	return (struct count_row){ .user = &stack_a,
				   .source = source,
				   .pid = 7,
				   .tid = tid,
				   .comm = "app",
				   .count = count,
				   .ns = ns };
}

static void add(struct fixture *f, struct count_row added)
{
	assert_int_equal(counts_add(f->from, &added), 0);
}

/* A row of samples that is told from others by its cgroup. */
static void add_samples(struct fixture *f, uint32_t tid, uint64_t mark, uint64_t count)
{
	struct count_row added = row(&sample, tid, count, 0);

	added.cgroup = mark;
	add(f, added);
}

static void on_cpu(struct fixture *f, uint32_t tid, uint64_t ns)
{
	assert_int_equal(wall_add_oncpu(f->wall, 7, tid, "app", ns), 0);
}

static void weigh(struct fixture *f, int keep_tid)
{
	assert_int_equal(wall_weigh(f->wall, f->from, &sample, keep_tid, f->to), 0);
}

/* The one row of that thread and mark. */
static const struct count_row *find(struct counts *counts, uint32_t tid, uint64_t mark)
{
	const struct count_row *found = NULL;

	for (size_t i = 0; i < counts_size(counts); i++) {
		const struct count_row *candidate = counts_row(counts, i);

		if (candidate->tid != tid || candidate->cgroup != mark)
			continue;
		assert_null(found);
		found = candidate;
	}
	assert_non_null(found);
	return found;
}

static uint64_t ns_of(struct fixture *f, uint32_t tid)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < counts_size(f->to); i++) {
		const struct count_row *candidate = counts_row(f->to, i);

		if (candidate->tid == tid)
			sum += candidate->ns;
	}
	return sum;
}

static void assert_same_row(const struct count_row *left, const struct count_row *right)
{
	assert_ptr_equal(left->user, right->user);
	assert_ptr_equal(left->kernel, right->kernel);
	assert_ptr_equal(left->source, right->source);
	assert_int_equal(left->pid, right->pid);
	assert_int_equal(left->tid, right->tid);
	assert_int_equal(left->cpu, right->cpu);
	assert_int_equal(left->cgroup, right->cgroup);
	assert_int_equal(left->flags, right->flags);
	assert_string_equal(left->comm, right->comm);
	assert_int_equal(left->count, right->count);
	assert_int_equal(left->ns, right->ns);
}

static void test_empty(void **state)
{
	struct fixture *f = *state;

	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 0);
	wall_free(NULL);
}

static void test_one_row_has_it_all(void **state)
{
	struct fixture *f = *state;

	add_samples(f, 1, 0, 3);
	on_cpu(f, 1, 1000);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 1);
	assert_int_equal(counts_row(f->to, 0)->ns, 1000);
	assert_int_equal(counts_row(f->to, 0)->count, 3);
	assert_ptr_equal(counts_row(f->to, 0)->user, &stack_a);
	assert_ptr_equal(counts_row(f->to, 0)->source, &sample);
	assert_string_equal(counts_row(f->to, 0)->comm, "app");
}

static void test_even_shares(void **state)
{
	struct fixture *f = *state;

	add_samples(f, 1, 1, 1);
	add_samples(f, 1, 2, 3);
	add_samples(f, 1, 3, 6);
	on_cpu(f, 1, 1000);
	weigh(f, 1);
	assert_int_equal(find(f->to, 1, 1)->ns, 100);
	assert_int_equal(find(f->to, 1, 2)->ns, 300);
	assert_int_equal(find(f->to, 1, 3)->ns, 600);
}

/* Rows of 1, 2, ... samples: no share is off by a nanosecond, and the sum is exact. */
static void check_odd_shares(struct fixture *f, unsigned rows, uint64_t ns)
{
	uint64_t samples = rows * (rows + 1ull) / 2;

	for (unsigned i = 1; i <= rows; i++)
		add_samples(f, 1, i, i);
	on_cpu(f, 1, ns);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), rows);
	assert_int_equal(ns_of(f, 1), ns);
	for (unsigned i = 1; i <= rows; i++) {
		const struct count_row *found = find(f->to, 1, i);

		assert_int_equal(found->count, i);
		assert_in_range(found->ns, ns * i / samples, ns * i / samples + 1);
	}
}

static void test_odd_shares(void **state)
{
	static const uint64_t times[] = { 1, 2, 5, 7, 10, 99, 1000003, 1000000007, 999999999989 };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		for (unsigned rows = 1; rows < 25; rows++) {
			void *fixture;

			set_up(&fixture);
			check_odd_shares(fixture, rows, times[i]);
			tear_down(&fixture);
		}
	}
}

static void test_many_rows(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 1, samples = 0;

	for (uint64_t mark = 0; mark < 20000; mark++) {
		uint64_t count = 1 + next_random(&seed) % 1000;

		add_samples(f, (uint32_t)(1 + mark % 3), mark, count);
		samples += count;
	}
	for (uint32_t tid = 1; tid <= 3; tid++)
		on_cpu(f, tid, 1000000007ull * tid + tid);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 20000);
	assert_int_equal(counts_total(f->to), samples);
	for (uint32_t tid = 1; tid <= 3; tid++)
		assert_int_equal(ns_of(f, tid), 1000000007ull * tid + tid);
}

/* Less time than samples: some get nothing, and still the sum is right. */
static void test_less_time_than_samples(void **state)
{
	struct fixture *f = *state;

	for (uint64_t mark = 0; mark < 1000; mark++)
		add_samples(f, 1, mark, 1);
	on_cpu(f, 1, 13);
	weigh(f, 1);
	assert_int_equal(ns_of(f, 1), 13);
	for (size_t i = 0; i < 1000; i++)
		assert_true(counts_row(f->to, i)->ns <= 1);
}

static void test_time_adds_up(void **state)
{
	struct fixture *f = *state;

	add_samples(f, 1, 0, 2);
	on_cpu(f, 1, 30);
	on_cpu(f, 1, 0);
	on_cpu(f, 1, 12);
	weigh(f, 1);
	assert_int_equal(ns_of(f, 1), 42);
}

static void test_thread_without_samples(void **state)
{
	struct fixture *f = *state;
	const struct count_row *found;

	assert_int_equal(wall_add_oncpu(f->wall, 8, 21, "quick", 55), 0);
	add_samples(f, 1, 0, 1);
	on_cpu(f, 1, 10);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 2);
	found = find(f->to, 21, 0);
	assert_null(found->user);
	assert_null(found->kernel);
	assert_ptr_equal(found->source, &sample);
	assert_int_equal(found->pid, 8);
	assert_int_equal(found->count, 0);
	assert_int_equal(found->ns, 55);
	assert_int_equal(found->flags, 0);
	assert_string_equal(found->comm, "quick");
}

/* There is nothing to tell of it. */
static void test_thread_without_time(void **state)
{
	struct fixture *f = *state;

	on_cpu(f, 1, 0);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 0);
}

/* Samples of a thread whose time is not known stay, with none. */
static void test_samples_without_time(void **state)
{
	struct fixture *f = *state;

	add_samples(f, 1, 0, 4);
	on_cpu(f, 2, 100);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 2);
	assert_int_equal(find(f->to, 1, 0)->count, 4);
	assert_int_equal(find(f->to, 1, 0)->ns, 0);
	assert_int_equal(find(f->to, 2, 0)->ns, 100);
}

/* A name that fills its field has no terminator; nothing behind it is read. */
static void test_unterminated_comm(void **state)
{
	struct fixture *f = *state;
	char *comm = malloc(TRACER_COMM);

	assert_non_null(comm);
	memset(comm, 'x', TRACER_COMM);
	assert_int_equal(wall_add_oncpu(f->wall, 8, 21, comm, 55), 0);
	free(comm);
	weigh(f, 1);
	assert_string_equal(find(f->to, 21, 0)->comm, "xxxxxxxxxxxxxxxx");
}

static void test_waits_are_copied(void **state)
{
	struct fixture *f = *state;
	struct count_row wait = row(&offcpu, 1, 5, 123456789);

	wait.kernel = &stack_b;
	wait.flags = EVENT_RUNNABLE | EVENT_USER_STACK_LOST;
	wait.cpu = 3;
	wait.cgroup = 99;
	add(f, wait);
	add_samples(f, 1, 1, 2);
	add_samples(f, 1, 2, 1);
	on_cpu(f, 1, 1000);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 3);
	assert_same_row(find(f->to, 1, 99), &wait);
	assert_int_equal(find(f->to, 1, 1)->ns + find(f->to, 1, 2)->ns, 1000);
	assert_int_equal(find(f->to, 1, 1)->ns, 666); /* the wait's count weighs nothing */
}

/* Waiting is no sample: its time on the CPU is a row of its own. */
static void test_only_waits(void **state)
{
	struct fixture *f = *state;
	struct count_row wait = row(&offcpu, 1, 5, 777);

	wait.cgroup = 99;
	add(f, wait);
	on_cpu(f, 1, 1000);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 2);
	assert_same_row(find(f->to, 1, 99), &wait);
	assert_int_equal(find(f->to, 1, 0)->ns, 1000);
	assert_null(find(f->to, 1, 0)->user);
}

static void test_other_events_are_copied(void **state)
{
	struct fixture *f = *state;
	struct count_row call = row(&uprobe, 1, 5, 0);

	call.cgroup = 99;
	add(f, call);
	add_samples(f, 1, 1, 1);
	on_cpu(f, 1, 1000);
	weigh(f, 1);
	assert_same_row(find(f->to, 1, 99), &call);
	assert_int_equal(find(f->to, 1, 1)->ns, 1000);
}

/* Each thread's time goes to its own samples, though the stacks are the same. */
static void add_threads(struct fixture *f)
{
	for (uint32_t tid = 1; tid <= 5; tid++) {
		add_samples(f, tid, 0, tid);
		add_samples(f, tid, 1, 2);
		on_cpu(f, tid, 1000 * tid + 1);
	}
	on_cpu(f, 6, 17);
	on_cpu(f, 7, 18);
	add(f, row(&offcpu, 1, 1, 5));
	add(f, row(&offcpu, 2, 1, 6));
}

static void test_threads_kept(void **state)
{
	struct fixture *f = *state;

	add_threads(f);
	weigh(f, 1);
	assert_int_equal(counts_size(f->to), 14);
	assert_int_equal(counts_total(f->to), 15 + 10 + 2);
	for (uint32_t tid = 3; tid <= 5; tid++) {
		assert_int_equal(ns_of(f, tid), 1000 * tid + 1);
		assert_in_range(find(f->to, tid, 0)->ns, (1000 * tid + 1) * tid / (tid + 2),
				(1000 * tid + 1) * tid / (tid + 2) + 1);
	}
	assert_int_equal(ns_of(f, 1), 1001 + 5);
	assert_int_equal(ns_of(f, 2), 2001 + 6);
	assert_int_equal(ns_of(f, 6), 17);
	assert_int_equal(ns_of(f, 7), 18);
}

/* Samples by mark, the waits, the threads that no sample hit: four rows. */
static void test_threads_merged(void **state)
{
	struct fixture *f = *state;
	size_t waits = 0, unsampled = 0;

	add_threads(f);
	weigh(f, 0);
	assert_int_equal(counts_size(f->to), 4);
	assert_int_equal(counts_total(f->to), 15 + 10 + 2);
	assert_int_equal(ns_of(f, 0), 15005 + 17 + 18 + 5 + 6);
	assert_int_equal(find(f->to, 0, 1)->count, 10);
	for (size_t i = 0; i < 4; i++) {
		const struct count_row *merged = counts_row(f->to, i);

		waits += merged->source == &offcpu && merged->ns == 11 && merged->count == 2;
		unsampled += !merged->user && merged->ns == 35 && !merged->count;
	}
	assert_int_equal(waits, 1);
	assert_int_equal(unsampled, 1);
}

static void test_from_is_unchanged(void **state)
{
	struct fixture *f = *state;
	struct count_row before[16];
	size_t size;

	add_threads(f);
	size = counts_size(f->from);
	for (size_t i = 0; i < size; i++)
		before[i] = *counts_row(f->from, i);
	weigh(f, 0);
	assert_int_equal(counts_size(f->from), size);
	for (size_t i = 0; i < size; i++)
		assert_same_row(counts_row(f->from, i), &before[i]);
}

/* Times and counts whose product needs far more than 64 bits. */
static void check_huge(struct fixture *f, uint64_t ns)
{
	for (uint64_t mark = 1; mark <= 7; mark++)
		add_samples(f, 1, mark, mark * 1000000000039);
	on_cpu(f, 1, ns);
	weigh(f, 1);
	assert_int_equal(ns_of(f, 1), ns);
	for (uint64_t mark = 1; mark <= 7; mark++) {
		uint64_t share = (uint64_t)((__uint128_t)ns * mark / 28);

		assert_in_range(find(f->to, 1, mark)->ns, share, share + 1);
	}
}

static void test_huge(void **state)
{
	static const uint64_t times[] = { YEAR + 1, 100 * YEAR + 3, UINT64_MAX - 1, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		void *fixture;

		set_up(&fixture);
		check_huge(fixture, times[i]);
		tear_down(&fixture);
	}
}

/* Two threads, 250 years each; merged, they are still exact. */
static void test_huge_merged(void **state)
{
	struct fixture *f = *state;

	add_samples(f, 1, 0, 3);
	add_samples(f, 2, 0, 7);
	on_cpu(f, 1, 250 * YEAR + 1);
	on_cpu(f, 2, 250 * YEAR + 2);
	weigh(f, 0);
	assert_int_equal(counts_size(f->to), 1);
	assert_int_equal(counts_row(f->to, 0)->ns, 500 * YEAR + 3);
	assert_int_equal(counts_row(f->to, 0)->count, 10);
}

/* A row may have no events, as a counter made and not yet increased: no share, no division. */
static void test_row_without_events(void **state)
{
	struct fixture *f = *state;

	add_samples(f, 1, 5, 0);
	on_cpu(f, 1, 1000);
	weigh(f, 1);
	assert_int_equal(ns_of(f, 1), 1000);
}

#define WALL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALL_TEST(test_empty),
		WALL_TEST(test_one_row_has_it_all),
		WALL_TEST(test_even_shares),
		cmocka_unit_test(test_odd_shares),
		WALL_TEST(test_many_rows),
		WALL_TEST(test_less_time_than_samples),
		WALL_TEST(test_time_adds_up),
		WALL_TEST(test_thread_without_samples),
		WALL_TEST(test_thread_without_time),
		WALL_TEST(test_samples_without_time),
		WALL_TEST(test_unterminated_comm),
		WALL_TEST(test_waits_are_copied),
		WALL_TEST(test_only_waits),
		WALL_TEST(test_other_events_are_copied),
		WALL_TEST(test_threads_kept),
		WALL_TEST(test_threads_merged),
		WALL_TEST(test_from_is_unchanged),
		cmocka_unit_test(test_huge),
		WALL_TEST(test_huge_merged),
		WALL_TEST(test_row_without_events), /* last: the sanitizer may end it */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
