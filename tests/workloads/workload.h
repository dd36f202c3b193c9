/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every workload needs: functions that stay functions, arguments, threads, waiting to be told. */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "syscalls.h"

/* A call in the source is a call in the program: not inlined, cloned, merged or left out. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define KEEP __attribute__((noipa))
#else
#define KEEP __attribute__((noinline, optnone))
#endif

/*
 * First statement of a leaf function whose caller must be seen from inside it: gcc leaves the frame of
 * a leaf out, whatever -fno-omit-frame-pointer says, unless the function uses it.
 */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory")

#define MAX_THREADS 64

/* The index-th argument as a number; otherwise when there is none, exits with 2 when it is no number. */
static inline unsigned long number_argument(int argc, char **argv, int index,
					    unsigned long otherwise)
{
	unsigned long value;
	char *end;

	if (index >= argc)
		return otherwise;
	value = strtoul(argv[index], &end, 10);
	if (end != argv[index] && *end == '\0')
		return value;
	fprintf(stderr, "%s: \"%s\" is not a number\n", argv[0], argv[index]);
	exit(2);
}

/* THREADS, which may be left out before words: 1 .. MAX_THREADS. */
static inline unsigned long threads_argument(int argc, char **argv, int index)
{
	unsigned long threads = 1;

	if (index < argc && argv[index][0] >= '0' && argv[index][0] <= '9')
		threads = number_argument(argc, argv, index, 1);
	if (threads >= 1 && threads <= MAX_THREADS)
		return threads;
	fprintf(stderr, "%s: threads: 1 to %d\n", argv[0], MAX_THREADS);
	exit(2);
}

/* Is word among the arguments? */
static inline int word_argument(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return 1;
	return 0;
}

static inline void announce_pid(void)
{
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
}

static inline void announce_tid(void)
{
	printf("tid %ld\n", sys_gettid());
	fflush(stdout);
}

/* Until something can be read from stdin, or its end. */
static inline void wait_for_input(void)
{
	char byte;

	while (sys_read(STDIN_FILENO, &byte, 1) == -EINTR)
		;
}

static inline void start_thread_or_exit(pthread_t *thread, void *(*body)(void *), void *argument)
{
	int error = pthread_create(thread, NULL, body, argument);

	if (error == 0)
		return;
	fprintf(stderr, "pthread_create: %s\n", strerror(error));
	exit(1);
}

#endif
