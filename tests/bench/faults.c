// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * faults PROCESSES RATE COUNT
 *
 * Makes COUNT page faults in all, RATE a second (0: as fast as it can), shared by PROCESSES children. Prints
 * "faults COUNT NS CPU_NS": how long they took, and the CPU time of all. A fault only maps the page of
 * zeroes, so that little else than the event is measured.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGES	512
#define TURN_NS 1000000u /* how often a paced process looks at the clock */
#define SECOND	1000000000u

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * SECOND + (uint64_t)at.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec at = { .tv_sec = (time_t)(ns / SECOND),
				     .tv_nsec = (long)(ns % SECOND) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

/* The pages are given back each time round, so that they fault again. */
static void touch(volatile char *pages, size_t page, uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		if (from % PAGES == 0)
			madvise((void *)pages, PAGES * page, MADV_DONTNEED);
		(void)pages[from % PAGES * page];
	}
}

static int make_faults(uint64_t count, uint64_t rate)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, PAGES * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start = now(), done = 0;

	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, PAGES * page, MADV_NOHUGEPAGE);
	for (uint64_t turn = 1; done < count; turn++) {
		uint64_t until = rate ? rate * turn / (SECOND / TURN_NS) : count;

		if (until > count)
			until = count;
		touch(pages, page, done, until);
		done = until;
		if (done < count)
			sleep_until(start + turn * TURN_NS);
	}
	return 0;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	uint64_t start = now(), processes, rate, count;
	struct rusage usage;
	int status, failed = 0;

	if (argc != 4 || !(processes = strtoull(argv[1], NULL, 10))) {
		fprintf(stderr, "usage: faults PROCESSES RATE COUNT\n");
		return 2;
	}
	rate = strtoull(argv[2], NULL, 10);
	count = strtoull(argv[3], NULL, 10);
	for (uint64_t i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(make_faults(count / processes, rate / processes));
		failed |= pid < 0;
	}
	while (wait(&status) > 0)
		failed |= status;
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("faults %llu %llu %llu\n", (unsigned long long)(count / processes * processes),
	       (unsigned long long)(now() - start),
	       (unsigned long long)(ns_of(usage.ru_utime) + ns_of(usage.ru_stime)));
	return failed != 0;
}
