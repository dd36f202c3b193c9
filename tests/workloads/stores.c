// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stores N [THREADS] [wait] [fork]
 *
 * Stores known values to known variables, each from a function of its own, N times each:
 *
 *   variable        size  by              called from   values
 *   counter            8  store_counter   store_caller  1 .. N
 *   hidden_counter     8  store_hidden    store_caller  1 .. N              (static)
 *   int_counter        4  store_int       store_caller  1 .. N
 *   short_counter      2  store_short     store_caller  1 .. N, 16 bits of it
 *   byte_counter       1  store_byte      store_caller  1 .. N, 8 bits of it
 *
 * After that read_counter, called from read_caller, reads counter N times. Each access is one
 * instruction; nothing else touches the variables. All begin as 0.
 *
 * THREADS > 1: each of the threads 1 .. THREADS does all this, thread T storing T * 1000000 + i
 * instead of i to the variables of 8 bytes; main does none.
 * wait: prints "pid PID" and waits for a byte or the end of file on stdin (after starting the threads).
 * fork: a child does it all; the parent does nothing but wait for it.
 * Prints nothing else; exits with 0.
 */
#include <sys/wait.h>

#include "workload.h"

extern volatile uint64_t counter;
extern volatile uint32_t int_counter;
extern volatile uint16_t short_counter;
extern volatile uint8_t byte_counter;

/* Each in a cache line of its own, and none where a watch on a neighbour could reach. */
_Alignas(64) volatile uint64_t counter;
static _Alignas(64) volatile uint64_t hidden_counter;
_Alignas(64) volatile uint32_t int_counter;
_Alignas(64) volatile uint16_t short_counter;
_Alignas(64) volatile uint8_t byte_counter;

struct run {
	unsigned long stores;
	int announce;
	uint32_t gate;
	uint32_t next_thread;
};

static KEEP void store_counter(uint64_t value)
{
	KEEP_FRAME();
	counter = value;
}

static KEEP void store_hidden(uint64_t value)
{
	KEEP_FRAME();
	hidden_counter = value;
}

static KEEP void store_int(uint32_t value)
{
	KEEP_FRAME();
	int_counter = value;
}

static KEEP void store_short(uint16_t value)
{
	KEEP_FRAME();
	short_counter = value;
}

static KEEP void store_byte(uint8_t value)
{
	KEEP_FRAME();
	byte_counter = value;
}

static KEEP uint64_t read_counter(void)
{
	KEEP_FRAME();
	return counter;
}

static KEEP void store_caller(unsigned long stores, uint64_t base)
{
	for (unsigned long i = 1; i <= stores; i++) {
		store_counter(base + i);
		store_hidden(base + i);
		store_int((uint32_t)i);
		store_short((uint16_t)i);
		store_byte((uint8_t)i);
	}
}

static KEEP uint64_t read_caller(unsigned long reads)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < reads; i++)
		sum += read_counter();
	return sum;
}

static KEEP void store_and_read(unsigned long count, uint64_t base)
{
	store_caller(count, base);
	read_caller(count);
}

static KEEP void *thread_main(void *argument)
{
	struct run *run = argument;
	uint64_t thread = __atomic_add_fetch(&run->next_thread, 1, __ATOMIC_RELAXED);

	if (run->announce)
		announce_tid();
	gate_wait(&run->gate);
	store_and_read(run->stores, thread * 1000000);
	return NULL;
}

static KEEP int in_child(unsigned long count)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		store_and_read(count, 0);
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char **argv)
{
	unsigned long thread_count = threads_argument(argc, argv, 2);
	struct run run = {
		.stores = number_argument(argc, argv, 1, 1),
		.announce = word_argument(argc, argv, "wait"),
	};
	pthread_t threads[MAX_THREADS];

	if (run.announce)
		announce_pid();
	for (unsigned long i = 0; thread_count > 1 && i < thread_count; i++)
		start_thread_or_exit(&threads[i], thread_main, &run);
	if (run.announce)
		wait_for_input();
	gate_open(&run.gate);
	if (word_argument(argc, argv, "fork"))
		return in_child(run.stores);
	if (thread_count == 1)
		store_and_read(run.stores, 0);
	for (unsigned long i = 0; thread_count > 1 && i < thread_count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
