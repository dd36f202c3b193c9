// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sleeps COUNT MS
 *
 * Blocks in four functions, COUNT times in each, every one called from a caller of its own:
 *
 *   sleep_short   from sleep_short_caller   nanosleep of MS
 *   sleep_long    from sleep_long_caller    nanosleep of 4 * MS
 *   lock_wait     from lock_wait_caller     futex, until another thread lets go of a lock, MS later
 *   pipe_wait     from pipe_wait_caller     read, until another thread writes to a pipe, MS later
 *
 * The other thread (helper_main) sleeps in helper_sleep. Prints a line "NAME US" for each of the four:
 * the time spent in all its calls on CLOCK_MONOTONIC, in us. That is at least COUNT * MS (sleep_long:
 * COUNT * 4 * MS), and an upper bound of the time blocked. Exits with 0.
 *
 * sleeps block
 *
 * Prints "pid PID", waits for one byte on stdin, prints "blocking", then blocks in block_forever, called
 * from block_caller, reading another one; exits with 0 when that ends.
 */
#include "workload.h"

struct partner {
	uint64_t us;
	uint32_t asked; /* futex: times that main asked */
	uint32_t lock;	/* held by the helper whenever main is to find it taken */
	uint32_t taken; /* futex: times that the helper has taken the lock */
	int pipe[2];
	unsigned long count;
};

static KEEP void sleep_short(uint64_t us)
{
	sys_sleep_us(us);
}

static KEEP void sleep_long(uint64_t us)
{
	sys_sleep_us(us);
}

static KEEP void lock_wait(uint32_t *lock)
{
	lock_take(lock);
}

static KEEP void pipe_wait(int fd)
{
	char byte;

	while (sys_read(fd, &byte, 1) == -EINTR)
		;
}

static KEEP void block_forever(void)
{
	char byte;

	while (sys_read(STDIN_FILENO, &byte, 1) == -EINTR)
		;
}

static KEEP void helper_sleep(uint64_t us)
{
	sys_sleep_us(us);
}

/* Until *word is at least wanted. */
static KEEP void wait_until(uint32_t *word, uint32_t wanted)
{
	uint32_t seen;

	while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) < wanted)
		futex_wait(word, seen);
}

static KEEP void count_up(uint32_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
	futex_wake(word, 1);
}

/* First holds the lock COUNT times for MS, then writes COUNT bytes, each MS after it was asked. */
static KEEP void *helper_main(void *argument)
{
	struct partner *partner = argument;
	uint32_t asked = 0;

	for (unsigned long i = 1; i <= partner->count; i++) {
		lock_take(&partner->lock);
		count_up(&partner->taken);
		wait_until(&partner->asked, ++asked);
		helper_sleep(partner->us);
		lock_release(&partner->lock);
		wait_until(&partner->asked, ++asked);
	}
	for (unsigned long i = 1; i <= partner->count; i++) {
		wait_until(&partner->asked, ++asked);
		helper_sleep(partner->us);
		sys_write(partner->pipe[1], "x", 1);
	}
	return NULL;
}

static KEEP void sleep_short_caller(struct partner *partner)
{
	for (unsigned long i = 0; i < partner->count; i++)
		sleep_short(partner->us);
}

static KEEP void sleep_long_caller(struct partner *partner)
{
	for (unsigned long i = 0; i < partner->count; i++)
		sleep_long(4 * partner->us);
}

static KEEP void lock_wait_caller(struct partner *partner)
{
	for (unsigned long i = 1; i <= partner->count; i++) {
		wait_until(&partner->taken, (uint32_t)i);
		count_up(&partner->asked);
		lock_wait(&partner->lock);
		lock_release(&partner->lock);
		count_up(&partner->asked);
	}
}

static KEEP void pipe_wait_caller(struct partner *partner)
{
	for (unsigned long i = 0; i < partner->count; i++) {
		count_up(&partner->asked);
		pipe_wait(partner->pipe[0]);
	}
}

static KEEP void block_caller(void)
{
	block_forever();
}

static void measure(const char *name, void (*caller)(struct partner *), struct partner *partner)
{
	uint64_t begin = sys_clock_us(CLOCK_MONOTONIC);

	caller(partner);
	printf("%s %llu\n", name, (unsigned long long)(sys_clock_us(CLOCK_MONOTONIC) - begin));
}

int main(int argc, char **argv)
{
	struct partner partner = { 0 };
	pthread_t helper;

	if (word_argument(argc, argv, "block")) {
		announce_pid();
		wait_for_input();
		sys_write(STDOUT_FILENO, "blocking\n", 9);
		block_caller();
		return 0;
	}
	partner.count = number_argument(argc, argv, 1, 10);
	partner.us = number_argument(argc, argv, 2, 10) * 1000;
	if (pipe(partner.pipe) != 0)
		return 1;
	start_thread_or_exit(&helper, helper_main, &partner);
	measure("sleep_short", sleep_short_caller, &partner);
	measure("sleep_long", sleep_long_caller, &partner);
	measure("lock_wait", lock_wait_caller, &partner);
	measure("pipe_wait", pipe_wait_caller, &partner);
	pthread_join(helper, NULL);
	return 0;
}
