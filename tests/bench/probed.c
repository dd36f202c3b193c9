// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * probed FILE MS [wait PID]	calls probed() for MS, and writes to FILE how often and in how many ns: of CPU time,
 *				which a hit's is too, so that what else runs here does not count
 * probed pace US		calls probed() for ever, and mallocs, each time after US
 *
 * With `wait` it begins when there is a probe in probed(), and exits with 3 when none comes in 30 s, or the
 * process PID has ended, which should put it there.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS  1000000u
#define TURN	   64 /* calls between two looks at the clock */
#define WAIT_NS	   (30000ull * NS_PER_MS)
#define LOOK_BYTES 16

long probed(long value);

__attribute__((noipa)) long probed(long value)
{
	/* so that there is a frame, as most functions have one */
	__asm__ volatile("" : "+r"(value) : "r"(__builtin_frame_address(0)) : "memory");
	return value + 1;
}

static uint64_t now(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

/* The kernel puts a trap where a probe is. */
static bool is_probed(void)
{
	const volatile uint8_t *code = (const uint8_t *)(uintptr_t)probed;

#if defined(__aarch64__)
	for (size_t i = 0; i < LOOK_BYTES; i += 4)
		if (*(const volatile uint32_t *)(code + i) == 0xd42000a0)
			return true;
#else
	for (size_t i = 0; i < LOOK_BYTES; i++)
		if (code[i] == 0xcc)
			return true;
#endif
	return false;
}

/* It stays a zombie until who started it asks. */
static bool is_running(const char *pid)
{
	char path[64], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state != 'Z';
}

static bool wait_for_probe(const char *pid)
{
	uint64_t end = now(CLOCK_MONOTONIC) + WAIT_NS;

	while (!is_probed() && is_running(pid) && now(CLOCK_MONOTONIC) < end)
		usleep(10000);
	return is_probed();
}

static void pace(unsigned us)
{
	for (long sum = 0;;) {
		void *memory = malloc((size_t)(probed(sum) & 63) + 1);

		/* it is wanted after all */
		__asm__ volatile("" : "+r"(memory));
		free(memory);
		sum++;
		usleep(us);
	}
}

static int measure(const char *path, uint64_t ns)
{
	uint64_t start = now(CLOCK_THREAD_CPUTIME_ID), calls = 0, end;
	FILE *file = fopen(path, "we");
	long sum = 0;

	if (!file)
		return 1;
	do {
		for (int i = 0; i < TURN; i++)
			sum = probed(sum);
		calls += TURN;
		end = now(CLOCK_THREAD_CPUTIME_ID);
	} while (end - start < ns);
	fprintf(file, "%" PRIu64 " %" PRIu64 "\n", calls, end - start);
	return fclose(file) || sum < 0;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: probed FILE MS [wait PID] | probed pace US\n");
		return 2;
	}
	if (!strcmp(argv[1], "pace"))
		pace((unsigned)strtoul(argv[2], NULL, 10));
	if (argc > 4 && !wait_for_probe(argv[4]))
		return 3;
	return measure(argv[1], strtoull(argv[2], NULL, 10) * NS_PER_MS);
}
