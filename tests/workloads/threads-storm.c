// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * threads-storm M
 *
 * Creates and joins M threads, one after the other; each calls traced_function of traced.c once, from
 * caller_function, from storm_thread. Prints nothing; exits with 0.
 */
#include "traced.h"
#include "workload.h"

static KEEP void *storm_thread(void *argument)
{
	caller_function(1, 0);
	return argument;
}

int main(int argc, char **argv)
{
	unsigned long threads = number_argument(argc, argv, 1, 100);
	pthread_t thread;

	for (unsigned long i = 0; i < threads; i++) {
		start_thread_or_exit(&thread, storm_thread, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
