// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * watched N [THREADS] [library] [late] [untouched] [again] [storm]
 *
 * Variables that are not simply there. Prints "pid PID", and "tid TID" for each thread (main itself where THREADS is
 * 1), waits for a byte on stdin, and then each of the threads stores 1 .. N, one after the other and in functions of
 * their own, to
 *   head->next->value (8 bytes, of the second of three nodes on the heap, which head->next leads to)  store_value
 *   packed.value      (8 bytes, at an odd address)                                                     store_packed
 *   pair.low, .high   (8 bytes each, the struct has 16)                                                store_pair
 *   local.hits        (8 bytes, thread-local, of a struct of 16)                                       store_local
 * nothing is NULL, broken holds 16. counted points to a long that the linker placed, and is followed there.
 *
 * library: libwatched.so beside the program is loaded by dlopen before anything is printed, and library_store()
 * stores the same to library_counter and the thread-local library_local, which each thread has touched
 * (untouched: has not) before it waits.
 * late: that is done only after the byte; then "loaded" is printed, and one more byte awaited.
 * again: when all is done, THREADS new threads print "tid TID", wait for a byte and do the same.
 * storm: instead, each thread makes N threads and N processes, one after the other, and each of those stores once to
 * pair.low. Prints nothing else; exits with 7.
 */
#include <dlfcn.h>
#include <sys/wait.h>

#include "workload.h"

struct node {
	int key;
	struct node *next;
	volatile long value;
};

struct __attribute__((packed)) packed {
	char tag[3];
	volatile long value;
};

struct pair {
	volatile long low, high;
};

struct local {
	int key;
	volatile long hits;
};

static struct node *volatile head;
static struct node *volatile nothing;
static struct node *volatile broken;
static volatile long count_of_all;
static volatile long *volatile counted = &count_of_all;
static _Alignas(8) struct packed packed;
static _Alignas(16) struct pair pair;
static __thread struct local local;
static __thread volatile char other_local[40];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t ready, gate;
static unsigned long times;
static int touches, storms;
static void (*library_store)(long);
static void (*library_touch)(void);

static KEEP void store_value(long value)
{
	head->next->value = value;
}

static KEEP void store_packed(long value)
{
	packed.value = value;
}

static KEEP void store_pair(long value)
{
	pair.low = value;
	pair.high = value;
}

static KEEP void store_once(long value)
{
	pair.low = value;
}

static KEEP void store_local(long value)
{
	local.hits = value;
}

static KEEP void store_counted(long value)
{
	*counted = value;
}

static KEEP void store_all(void)
{
	for (long i = 1; i <= (long)times; i++) {
		pthread_mutex_lock(&lock);
		store_value(i);
		store_packed(i);
		store_pair(i);
		store_local(i);
		store_counted(i);
		if (library_store)
			library_store(i);
		pthread_mutex_unlock(&lock);
	}
}

static void *store_in_thread(void *unused)
{
	store_once(1);
	return unused;
}

static KEEP void storm(void)
{
	for (unsigned long i = 0; i < times; i++) {
		pthread_t thread;
		pid_t child;

		start_thread_or_exit(&thread, store_in_thread, NULL);
		pthread_join(thread, NULL);
		child = fork();
		if (child == 0) {
			store_once(2);
			_exit(0);
		}
		while (waitpid(child, NULL, 0) < 0)
			;
	}
}

static void work(void)
{
	if (storms)
		storm();
	else
		store_all();
}

static void *run(void *unused)
{
	other_local[0] = 1;
	if (library_touch && touches)
		library_touch();
	announce_tid();
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&gate);
	work();
	return unused;
}

static struct node *add_node(int key, struct node *next)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		exit(1);
	node->key = key;
	node->next = next;
	return node;
}

static void load_library(const char *program)
{
	const char *slash = strrchr(program, '/');
	char path[4096];
	void *library;

	snprintf(path, sizeof(path), "%.*s/libwatched.so", slash ? (int)(slash - program) : 1,
		 slash ? program : ".");
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&library_store = dlsym(library, "library_store");
	*(void **)&library_touch = dlsym(library, "library_touch");
}

static void load_late(const char *program)
{
	wait_for_input();
	load_library(program);
	if (touches)
		library_touch();
	puts("loaded");
	fflush(stdout);
}

static void run_threads(unsigned long count, const char *late)
{
	pthread_t threads[MAX_THREADS];

	pthread_barrier_init(&ready, NULL, (unsigned)count + 1);
	pthread_barrier_init(&gate, NULL, (unsigned)count + 1);
	for (unsigned long i = 0; i < count; i++)
		start_thread_or_exit(&threads[i], run, NULL);
	pthread_barrier_wait(&ready);
	if (late)
		load_late(late);
	wait_for_input();
	pthread_barrier_wait(&gate);
	for (unsigned long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void run_main(const char *late)
{
	other_local[0] = 1;
	if (library_touch && touches)
		library_touch();
	announce_tid();
	if (late)
		load_late(late);
	wait_for_input();
	work();
}

int main(int argc, char **argv)
{
	unsigned long threads = threads_argument(argc, argv, 2);
	const char *late = word_argument(argc, argv, "late") ? argv[0] : NULL;

	times = number_argument(argc, argv, 1, 10);
	touches = !word_argument(argc, argv, "untouched");
	storms = word_argument(argc, argv, "storm");
	head = add_node(1, add_node(2, add_node(3, NULL)));
	broken = (struct node *)16;
	if (word_argument(argc, argv, "library"))
		load_library(argv[0]);
	announce_pid();
	if (threads == 1)
		run_main(late);
	else
		run_threads(threads, late);
	if (word_argument(argc, argv, "again"))
		run_threads(threads, NULL);
	return nothing ? 1 : 7;
}
