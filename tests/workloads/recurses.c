// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * recurses MS [TIMES]
 *
 * Computes for MS in each of: main > fib > fib ...; main > sort > qsort of libc > compare > fib ...; and
 * main > ask_time > the vDSO. Executes itself TIMES times, to do the
 * same again. Exits with 0.
 */
#include "backtrace.h"
#include "workload.h"

static volatile unsigned long sink;

static uint64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static APART unsigned long fib(unsigned long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static APART int compare(const void *a, const void *b)
{
	sink += fib(16);
	return *(const int *)a - *(const int *)b;
}

static APART void sort(void)
{
	int numbers[100];

	for (int i = 0; i < 100; i++)
		numbers[i] = i * 37 % 101;
	qsort(numbers, 100, sizeof(int), compare);
	sink += (unsigned long)numbers[3];
}

static APART void ask_time(void)
{
	for (int i = 0; i < 10000; i++)
		sink += now_ms();
}

static APART void compute(void)
{
	sink += fib(22);
}

static int again(const char *program, const char *ms, unsigned long times)
{
	char left[32];

	if (!times)
		return 0;
	snprintf(left, sizeof(left), "%lu", times - 1);
	execl(program, program, ms, left, (char *)NULL);
	return 1;
}

int main(int argc, char **argv)
{
	static void (*const work[])(void) = { compute, sort, ask_time };
	uint64_t ms = number_argument(argc, argv, 1, 300), begin;

	for (int i = 0; i < 3; i++)
		for (begin = now_ms(); now_ms() - begin < ms;)
			work[i]();
	return again(argv[0], argv[1], number_argument(argc, argv, 2, 0));
}
