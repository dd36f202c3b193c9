/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Redirects events from one ring to another, in a thread: for each event the kernel waits for an RCU grace
 * period, and meanwhile both rings must be read.
 */
#ifndef TRACER_RING_MOVE_H
#define TRACER_RING_MOVE_H

#include <stdbool.h>
#include <stddef.h>

struct ring_move;

/* Begins; the descriptors, of which it keeps a copy, must stay open until it has ended. 0 or -errno. */
int ring_move_start(const int *fds, size_t count, int to_fd, struct ring_move **move);
/* Does nobody write to the old ring any more, or has it failed? Does not wait. */
bool ring_move_is_done(const struct ring_move *move);
/*
 * Waits until it is done and frees it. 0, or what kept an event from being redirected, as -errno: then some
 * still write to the old ring, others to the new one.
 */
int ring_move_end(struct ring_move *move);

#endif
