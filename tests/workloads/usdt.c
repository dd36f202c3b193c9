// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * usdt [wait|watch]: USDT probes of many forms, each hit a known number of times, mostly for i from 0 to 9:
 *   app:start      once, without arguments; other:start likewise
 *   app:numbers    ten times: i (int), -i (long), 246 + i (unsigned char), 7 (constant), -i (short)
 *   app:text       ten times: "even" or "odd" (char *), &usdt_request, NULL for i 9
 *   app:memory     ten times: usdt_table[i], which is 100 * i, and usdt_request.size, which is -i
 *   app:twice      at two places of one function, 20 times: i and 1, i and 2
 *   app:inlined    in a function that is inlined twice, 10 and 5 times: i, and 1000 + i
 *   app:ratio      ten times: i * 0.5 (double), i
 *   app:many       once: 1 to 12
 *   app:forms      ten times, x86-64: i in %ah, usdt_table[i] by index, -i by name
 *   app:guarded, lib:guarded  have semaphores, and are there only if somebody listens: ten times, i
 * lib:guarded is in libusdt.so. At the end it says how often those two found somebody who listens, "guarded N, library N".
 * wait: not before it can read from stdin. watch: says the semaphores "semaphores N N" at the beginning and at every
 * change, until it can read from stdin; and does nothing else.
 */
#include <poll.h>
#include <sys/sdt.h>

#include "usdt.h"
#include "workload.h"

struct usdt_request {
	long size;
	int fd;
};

static struct usdt_request usdt_request;
static int usdt_table[10];
int usdt_named; /* a name that must be in the symbol table */
static volatile int usdt_sink;

static KEEP void usdt_numbers(int i)
{
	STAP_PROBE5(app, numbers, i, (long)-i, (unsigned char)(246 + i), 7, (short)-i);
	usdt_sink = i;
}

static KEEP void usdt_text(int i, const char *text, struct usdt_request *request)
{
	usdt_sink = i + *text; /* from here on it is in memory, where the kernel can read it */
	STAP_PROBE2(app, text, text, request);
}

static KEEP void usdt_memory(int i, int *table)
{
	STAP_PROBE2(app, memory, table[i], usdt_request.size);
	usdt_sink = i;
}

static KEEP void usdt_twice(int i)
{
	STAP_PROBE2(app, twice, i, 1);
	usdt_sink = i;
	STAP_PROBE2(app, twice, i, 2);
}

static inline __attribute__((always_inline)) void usdt_inlined(int i)
{
	STAP_PROBE1(app, inlined, i);
	usdt_sink = i;
}

static KEEP void usdt_other(int i)
{
	usdt_inlined(1000 + i);
}

static KEEP void usdt_ratio(int i, double ratio)
{
#if defined(__x86_64__)
	/* the compiler would put it into memory */
	/* clang-format off */
	__asm__ volatile(STAP_PROBE_ASM(app, ratio, 8f@%%xmm0 -4@%%edi)
			 : : "Yz"(ratio), "D"(i));
	/* clang-format on */
#else
	STAP_PROBE2(app, ratio, ratio, i);
#endif
	usdt_sink = i;
}

static KEEP void usdt_many(void)
{
	STAP_PROBE12(app, many, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

static KEEP void usdt_forms(int i)
{
#if defined(__x86_64__)
	usdt_named = -i;
	/* clang-format off */
	__asm__ volatile(STAP_PROBE_ASM(app, forms, 1@%%ah -4@(%%rdi,%%rcx,4) -4@usdt_named(%%rip))
			 : : "a"(i << 8), "D"(usdt_table), "c"((long)i) : "memory");
	/* clang-format on */
#endif
	usdt_sink = i;
}

static void probe_all(int i)
{
	usdt_request.size = -i;
	usdt_numbers(i);
	usdt_text(i, i % 2 ? "odd" : "even", i == 9 ? NULL : &usdt_request);
	usdt_memory(i, usdt_table);
	usdt_twice(i);
	usdt_inlined(i);
	usdt_ratio(i, i * 0.5);
	usdt_forms(i);
	app_guarded(i);
	lib_guarded(i);
}

static int can_read(int ms)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, ms) > 0;
}

static void watch(void)
{
	int app = -1, lib = -1;

	while (!can_read(5)) {
		if (app == app_semaphore() && lib == lib_semaphore())
			continue;
		app = app_semaphore();
		lib = lib_semaphore();
		printf("semaphores %d %d\n", app, lib);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	if (word_argument(argc, argv, "watch")) {
		watch();
		return 0;
	}
	if (word_argument(argc, argv, "wait")) {
		announce_pid();
		wait_for_input();
	}
	STAP_PROBE(app, start);
	STAP_PROBE(other, start);
	for (int i = 0; i < 10; i++)
		usdt_table[i] = 100 * i;
	for (int i = 0; i < 10; i++)
		probe_all(i);
	for (int i = 0; i < 5; i++)
		usdt_other(i);
	usdt_many();
	printf("guarded %d, library %d\n", app_listened(), lib_listened());
	return 0;
}
