// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel exchanges an event's ring at one moment (kernel/events/core.c, ring_buffer_attach): a record goes
 * to one of the two. A writer that has just looked up the old one is waited for in the end.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "grace.h"
#include "ring_move.h"

struct ring_move {
	pthread_t thread;
	bool is_done;
	int err;
	int to_fd;
	size_t count;
	int fds[];
};

static void *redirect_all(void *context)
{
	struct ring_move *move = context;

	for (size_t i = 0; i < move->count; i++)
		if (ioctl(move->fds[i], PERF_EVENT_IOC_SET_OUTPUT, move->to_fd) && !move->err)
			move->err = -errno;
	ring_grace();
	__atomic_store_n(&move->is_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Signals are for the thread that reads. */
static int start_thread(struct ring_move *move)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&move->thread, NULL, redirect_all, move);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

int ring_move_start(const int *fds, size_t count, int to_fd, struct ring_move **move_out)
{
	struct ring_move *move = calloc(1, sizeof(*move) + count * sizeof(*fds));
	int err;

	if (!move)
		return -ENOMEM;
	move->to_fd = to_fd;
	move->count = count;
	if (count)
		memcpy(move->fds, fds, count * sizeof(*fds));
	err = start_thread(move);
	if (err) {
		free(move);
		return err;
	}
	*move_out = move;
	return 0;
}

bool ring_move_is_done(const struct ring_move *move)
{
	return __atomic_load_n(&move->is_done, __ATOMIC_ACQUIRE);
}

int ring_move_end(struct ring_move *move)
{
	int err;

	pthread_join(move->thread, NULL);
	err = move->err;
	free(move);
	return err;
}
