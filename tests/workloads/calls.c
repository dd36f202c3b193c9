// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * calls N [THREADS] [wait] [pace] [named]
 *
 * Calls caller_function(N) of traced.c once from main, or with THREADS > 1 once from thread_main of each
 * of THREADS threads and not from main. So traced_function and returns_value are each called exactly
 * N * THREADS times. N 0: for ever. Prints nothing, exits with 0.
 *
 * wait: first starts the threads, prints "pid PID" and for each of them "tid TID", and calls nothing
 *       until a byte or the end of file arrives on stdin.
 * pace: sleeps 1 ms after each call.
 * named: the threads are named calls-1, calls-2 and so on, from their first call on.
 */
#include <sys/prctl.h>

#include "traced.h"
#include "workload.h"

struct run {
	unsigned long calls;
	unsigned long pause_us;
	int announce;
	int named;
	uint32_t names;
	uint32_t gate;
};

static void take_name(struct run *run)
{
	char name[16];

	snprintf(name, sizeof(name), "calls-%u",
		 __atomic_add_fetch(&run->names, 1, __ATOMIC_RELAXED));
	prctl(PR_SET_NAME, name);
}

static KEEP void *thread_main(void *argument)
{
	struct run *run = argument;

	if (run->announce)
		announce_tid();
	if (run->named)
		take_name(run);
	gate_wait(&run->gate);
	caller_function(run->calls, run->pause_us);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long thread_count = threads_argument(argc, argv, 2);
	struct run run = {
		.calls = number_argument(argc, argv, 1, 1),
		.pause_us = word_argument(argc, argv, "pace") ? 1000 : 0,
		.announce = word_argument(argc, argv, "wait"),
		.named = word_argument(argc, argv, "named"),
	};
	pthread_t threads[MAX_THREADS];

	if (run.announce)
		announce_pid();
	for (unsigned long i = 0; thread_count > 1 && i < thread_count; i++)
		start_thread_or_exit(&threads[i], thread_main, &run);
	if (run.announce)
		wait_for_input();
	gate_open(&run.gate);
	if (thread_count == 1)
		caller_function(run.calls, run.pause_us);
	for (unsigned long i = 0; thread_count > 1 && i < thread_count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
