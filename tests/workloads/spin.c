// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * spin MS [THREADS] [SLEEP_MS]
 *
 * Main, or with THREADS > 1 each of THREADS threads in spin_thread, burns CPU in spin_inner, called from
 * spin_outer, until its own CPU clock has moved by MS; then it sleeps SLEEP_MS (default 0) in spin_sleep,
 * called from spin_rest. All but a thousandth of the CPU time is spent in spin_inner.
 *
 * Prints for each such thread a line "tid TID wall US cpu US joined US", in us: its life on
 * CLOCK_MONOTONIC, from its creation (main: its first statement) to its last statement; its time on
 * CLOCK_THREAD_CPUTIME_ID from its first to its last statement; and its life to when it was joined, which
 * is a bound from above (main: the same as wall). Exits with 0.
 */
#include "workload.h"

struct plan {
	uint64_t spin_us, sleep_us;
	uint64_t created_us; /* CLOCK_MONOTONIC */
	/* what came of it */
	long tid;
	uint64_t wall_us, cpu_us;
};

/* About half a millisecond to a few on the machines of today. */
static KEEP uint64_t spin_inner(uint64_t seed)
{
	KEEP_FRAME();
	for (int i = 0; i < 1000000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

static KEEP uint64_t spin_outer(uint64_t until_us)
{
	uint64_t seed = 1;

	while (sys_clock_us(CLOCK_THREAD_CPUTIME_ID) < until_us)
		seed = spin_inner(seed);
	return seed;
}

static KEEP void spin_sleep(uint64_t us)
{
	sys_sleep_us(us);
}

static KEEP void spin_rest(uint64_t us)
{
	spin_sleep(us);
}

static KEEP void spin_and_rest(struct plan *plan)
{
	uint64_t cpu = sys_clock_us(CLOCK_THREAD_CPUTIME_ID);

	spin_outer(cpu + plan->spin_us);
	if (plan->sleep_us)
		spin_rest(plan->sleep_us);
	plan->tid = sys_gettid();
	plan->cpu_us = sys_clock_us(CLOCK_THREAD_CPUTIME_ID) - cpu;
	plan->wall_us = sys_clock_us(CLOCK_MONOTONIC) - plan->created_us;
}

static void report(const struct plan *plan, uint64_t joined_us)
{
	printf("tid %ld wall %llu cpu %llu joined %llu\n", plan->tid,
	       (unsigned long long)plan->wall_us, (unsigned long long)plan->cpu_us,
	       (unsigned long long)joined_us);
}

static KEEP void *spin_thread(void *argument)
{
	spin_and_rest(argument);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long thread_count = threads_argument(argc, argv, 2);
	struct plan plan = {
		.spin_us = number_argument(argc, argv, 1, 100) * 1000,
		.sleep_us = number_argument(argc, argv, 3, 0) * 1000,
	};
	struct plan plans[MAX_THREADS];
	pthread_t threads[MAX_THREADS];

	plan.created_us = sys_clock_us(CLOCK_MONOTONIC);
	if (thread_count == 1) {
		spin_and_rest(&plan);
		report(&plan, plan.wall_us);
	}
	for (unsigned long i = 0; thread_count > 1 && i < thread_count; i++) {
		plans[i] = plan;
		plans[i].created_us = sys_clock_us(CLOCK_MONOTONIC);
		start_thread_or_exit(&threads[i], spin_thread, &plans[i]);
	}
	for (unsigned long i = 0; thread_count > 1 && i < thread_count; i++) {
		pthread_join(threads[i], NULL);
		report(&plans[i], sys_clock_us(CLOCK_MONOTONIC) - plans[i].created_us);
	}
	return 0;
}
