// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * latency N [forever]: does each of the following N times, and then, if asked, waits for ever in stays_inside().
 *   naps()           sleeps 2 ms
 *   descends(n)      calls itself 9 times: 10 calls
 *   jumps_out()      is left by longjmp, from left_behind(), which it called
 *   tail_first()     jumps to tail_second(): both return at once
 *   ends_thread()    ends the thread it runs in
 */
#include "workload.h"

#include <setjmp.h>
#include <time.h>

static KEEP int naps(int value)
{
	struct timespec time = { .tv_nsec = 2000000 };

	nanosleep(&time, NULL);
	return value;
}

static KEEP int descends(int deeper)
{
	KEEP_FRAME();
	return deeper ? descends(deeper - 1) + 1 : 0;
}

static jmp_buf before;

static KEEP int left_behind(int value)
{
	if (value >= 0)
		longjmp(before, 1);
	return value;
}

static KEEP int jumps_out(int value)
{
	return left_behind(value) + 1;
}

int tail_first(int value);

__asm__(".text\n"
	".type tail_second, %function\n"
	"tail_second:\n"
#if defined(__x86_64__)
	"	lea 1(%rdi), %eax\n"
	"	ret\n"
#elif defined(__aarch64__)
	"	add w0, w0, #1\n"
	"	ret\n"
#endif
	".size tail_second, . - tail_second\n"
	".globl tail_first\n"
	".type tail_first, %function\n"
	"tail_first:\n"
#if defined(__x86_64__)
	"	nop\n"
	"	jmp tail_second\n"
#elif defined(__aarch64__)
	"	nop\n"
	"	b tail_second\n"
#endif
	".size tail_first, . - tail_first\n");

static KEEP void ends_thread(void)
{
	pthread_exit(NULL);
}

static void *run_thread(void *context)
{
	ends_thread();
	return context;
}

static KEEP void stays_inside(void)
{
	puts("inside");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int times = (int)number_argument(argc, argv, 1, 1), sum = 0;

	for (int i = 0; i < times; i++) {
		pthread_t thread;

		sum += naps(i) + descends(9) + tail_first(i);
		if (!setjmp(before))
			sum += jumps_out(i);
		if (pthread_create(&thread, NULL, run_thread, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	if (argc > 2)
		stays_inside();
	return sum < 0;
}
