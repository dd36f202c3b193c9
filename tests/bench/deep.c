// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * deep FRAMES TIMES [wait]
 *
 * Calls down() FRAMES deep, and there bench_leaf() TIMES times; with `wait` it waits there TIMES times
 * for another process that answers. Built without frame pointers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone, used))

void bench_leaf(void);

static int to_other[2], to_us[2];

KEEP void bench_leaf(void)
{
	__asm__ volatile("" ::: "memory");
}

static void answer(void)
{
	char byte;

	close(to_other[1]);
	while (read(to_other[0], &byte, 1) == 1 && write(to_us[1], &byte, 1) == 1)
		;
	_exit(0);
}

static int start_other(void)
{
	pid_t pid;

	if (pipe(to_other) || pipe(to_us))
		return -1;
	pid = fork();
	if (!pid)
		answer();
	return pid < 0 ? -1 : 0;
}

static KEEP void wait_there(unsigned long times)
{
	char byte = 0;

	while (times--)
		if (write(to_other[1], &byte, 1) != 1 || read(to_us[0], &byte, 1) != 1)
			exit(1);
}

static KEEP void call_there(unsigned long times)
{
	while (times--)
		bench_leaf();
}

static KEEP void down(unsigned long frames, void (*there)(unsigned long), unsigned long times)
{
	if (frames)
		down(frames - 1, there, times);
	else
		there(times);
	/* so that none of these is a tail call */
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	int waits = argc > 3 && !strcmp(argv[3], "wait");

	if (argc < 3) {
		fprintf(stderr, "usage: deep FRAMES TIMES [wait]\n");
		return 2;
	}
	if (waits && start_other())
		return 1;
	down(strtoul(argv[1], NULL, 10), waits ? wait_there : call_there,
	     strtoul(argv[2], NULL, 10));
	return 0;
}
