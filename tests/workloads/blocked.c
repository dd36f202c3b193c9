// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * blocked
 *
 * Prints "pid PID", waits for stdin, and starts a thread for each way to block for ever. Each prints, when
 * it is about to,
 *
 *   tid TID NAME FUNCTION FUNCTION ...
 *
 * its functions of this program, the innermost first. Ends when it is killed.
 */
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>

#include "backtrace.h"
#include "workload.h"

#define ALTERNATE_BYTES 65536

static volatile unsigned long zero;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pipe_ends[2];

static void about_to(const char *name, const char *functions)
{
	printf("tid %ld %s %s\n", sys_gettid(), name, functions);
	fflush(stdout);
}

static APART long in_read(void)
{
	char byte;

	return read(pipe_ends[0], &byte, 1) + (long)zero;
}

static APART void *reads(void *argument)
{
	about_to("read", "in_read reads");
	zero = (unsigned long)in_read();
	return argument;
}

static APART void in_condition(void)
{
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&condition, &lock);
}

static APART void *waits_for_condition(void *argument)
{
	about_to("condition", "in_condition waits_for_condition");
	in_condition();
	return argument;
}

static APART void *sleeps(void *argument)
{
	about_to("sleep", "sleeps");
	sleep(100000);
	zero = 1;
	return argument;
}

static APART int in_poll(char *memory)
{
	struct pollfd wanted = { .fd = pipe_ends[0], .events = POLLIN };

	memory[0] = 1;
	return poll(&wanted, 1, -1) + (int)zero;
}

static APART void *polls(void *argument)
{
	about_to("poll", "in_poll polls");
	zero = (unsigned long)in_poll(__builtin_alloca(1000 + zero));
	return argument;
}

static APART unsigned long deeper(unsigned long depth)
{
	return (depth ? deeper(depth - 1) : (unsigned long)in_read()) + zero;
}

static APART void *recurses(void *argument)
{
	about_to("recursion",
		 "in_read deeper deeper deeper deeper deeper deeper deeper deeper deeper "
		 "deeper deeper deeper deeper deeper deeper deeper recurses");
	zero = deeper(15);
	return argument;
}

static APART void on_signal(int number)
{
	zero = (unsigned long)in_read() + (unsigned long)number;
}

static APART void *handles(void *argument)
{
	about_to("signal", "in_read on_signal handles");
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	zero = 1;
	return argument;
}

static APART void *handles_elsewhere(void *argument)
{
	stack_t other = { .ss_sp = malloc(ALTERNATE_BYTES), .ss_size = ALTERNATE_BYTES };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	about_to("other-stack", "in_read on_signal handles_elsewhere");
	sigaltstack(&other, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	zero = 1;
	return argument;
}

static APART int compare(const void *a, const void *b)
{
	static sem_t never;

	sem_wait(&never);
	return *(const int *)a - *(const int *)b;
}

static APART void *sorts(void *argument)
{
	int numbers[] = { 2, 1 };

	about_to("sort", "compare sorts");
	qsort(numbers, 2, sizeof(int), compare);
	zero = 1;
	return argument;
}

static APART long in_epoll(unsigned long a, unsigned long b)
{
	char locals[64] __attribute__((aligned(64)));
	struct epoll_event event;

	__asm__ volatile("" : : "r"(locals) : "memory");
	return epoll_wait(epoll_create1(0), &event, 1, -1) + (long)(a + b);
}

static APART void *waits_for_events(void *argument)
{
	about_to("epoll", "in_epoll waits_for_events");
	zero = (unsigned long)in_epoll(1, 2);
	return argument;
}

/* main joins the first of them, which never ends. */
static void *(*const bodies[])(void *) = {
	reads,	 waits_for_condition, sleeps, polls,	       recurses,
	handles, handles_elsewhere,   sorts,  waits_for_events
};

int main(void)
{
	pthread_t thread, first = 0;

	if (pipe(pipe_ends))
		return 1;
	announce_pid();
	wait_for_input();
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		start_thread_or_exit(&thread, bodies[i], NULL);
		if (i == 0)
			first = thread;
	}
	about_to("join", "main");
	pthread_join(first, NULL);
	return 0;
}
