// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * race N [unlocked]: 16 threads, each of which writes config.limit N times, all below 100, in their own functions; and
 * one of them, the eighth, once 4000, in set_bad_limit(), on the line that 60-breakpoints.sh looks for. So are
 * config.wide, shifted left by 33, in set_wide() and set_bad_wide(). table[3].state is set to IDLE, BUSY and BROKEN
 * once. Prints the thread that did it. Exits with 0. Writers hold a lock, so that each value stays until it has been
 * seen; or unlocked none.
 */
#include "workload.h"

enum race_state { IDLE = 1, BUSY, BROKEN = -2 };

struct race_config {
	char name[12];
	int limit;
	unsigned int bits : 4;
	unsigned long wide;
};

struct race_row {
	short key;
	enum race_state state;
};

static volatile struct race_config config = { .name = "race", .limit = 10 };
static volatile struct race_row table[5];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long times;
static int is_locked;

static KEEP void set_limit(int value)
{
	config.limit = value;
}

static KEEP void set_bad_limit(void)
{
	config.limit = 4000; /* the bad write */
}

/* As in machine code the longer form of a shorter store, which it could be taken for. */
static KEEP void set_wide(unsigned long value)
{
	config.wide = value;
}

static KEEP void set_bad_wide(unsigned long value)
{
	config.wide = value << 33;
}

static void *run(void *context)
{
	long number = (long)context;

	for (unsigned long i = 0; i < times; i++) {
		if (is_locked)
			pthread_mutex_lock(&lock);
		set_limit((int)((i + (unsigned long)number) % 100));
		set_wide((i + (unsigned long)number) % 100 << 33);
		if (number == 7 && i == times / 2) {
			set_bad_limit();
			set_bad_wide(4000);
			printf("%ld\n", sys_gettid());
		}
		if (is_locked)
			pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static KEEP void set_state(enum race_state state)
{
	table[3].state = state;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];

	times = number_argument(argc, argv, 1, 100);
	is_locked = !word_argument(argc, argv, "unlocked");
	set_state(IDLE);
	set_state(BUSY);
	set_state(BROKEN);
	for (long i = 0; i < 16; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	for (int i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
