// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * target32
 *
 * A 32-bit x86 program without a C library: calls traced32, from caller32, every 10 ms, for a minute at
 * most; the tests end it before. Prints nothing; exits with 0.
 */
void _start(void);

struct pause_time {
	int seconds, nanoseconds;
};

static int system_call(int number, int a, int b)
{
	int result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b) : "memory");
	return result;
}

static __attribute__((noipa)) int traced32(int value)
{
	return value + 1;
}

static __attribute__((noipa)) void caller32(void)
{
	struct pause_time pause = { 0, 10000000 };

	for (int i = 0; i < 6000; i = traced32(i))
		system_call(162, (int)&pause, 0); /* nanosleep */
}

void _start(void)
{
	caller32();
	system_call(1, 0, 0); /* exit */
}
