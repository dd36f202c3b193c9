// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>
#include <setjmp.h>
static volatile int sink;
static jmp_buf place;
static int compare(const void *a, const void *b)
{
	return *(int *)a - *(int *)b;
}
static void handler(int s)
{
	char x[50];
	sink += snprintf(x, 50, "%d", s);
}
static void work(void)
{
	for (;;) {
		int v[100];
		char x[200];
		for (int i = 0; i < 100; i++)
			v[i] = i * 7 % 13;
		qsort(v, 100, sizeof *v, compare);
		sink += snprintf(x, sizeof x, "%f %s %g", v[5] / 3.0, "xyz", 1e300 / (1 + v[6]));
		sink += strtod(x, 0);
		free(malloc(v[3] * 100));
		raise(SIGUSR1);
		sink += strlen(x) + (int)memchr(x, 'y', 10);
	}
}
static void *thread(void *p)
{
	if (p)
		sleep(1000);
	work();
	return 0;
}
int main(void)
{
	pthread_t t;
	signal(SIGUSR1, handler);
	pthread_create(&t, 0, thread, 0);
	pthread_create(&t, 0, thread, "");
	work();
}
