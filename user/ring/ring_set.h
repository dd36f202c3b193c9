/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rings that many perf events write to: one a CPU, or one a thread for events that follow a thread on
 * any CPU. Each ring belongs to a disabled event of the set's own, its owner, and the real events are
 * redirected to it: so that any of them can come and go, and that all can be moved to a larger ring.
 * What an owner writes itself is counted as lost or dropped, not handed over. One thread uses a set.
 */
#ifndef TRACER_RING_SET_H
#define TRACER_RING_SET_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

#include "perf_ring.h"

struct ring_set;

struct ring_set_options {
	size_t bytes; /* of a ring at first, a power of two of pages */
	/*
	 * A ring that was three quarters full, or had no room for a record, is exchanged for one twice the
	 * size, again and again while that is not more than most_bytes. 0: rings keep their size.
	 */
	size_t most_bytes;
	bool backward; /* all events have attr.write_backward, and are read by ring_set_snapshot() */
	/* the clock of all events: those of one ring must agree */
	bool use_clockid;
	int32_t clockid;
	/*
	 * Where the rings' descriptors are watched, edge-triggered: a descriptor of epoll_create1() that
	 * stays the caller's, or -1 for one of the set's own. Their data.u64 has a mark in its upper half.
	 */
	int epoll;
};

/* Given the index of the ring that the record is from, as ring_set_add() returned it. */
typedef int (*ring_set_record_fn)(void *context, size_t ring,
				  const struct perf_event_header *record);

/* Of a ring, and those that it has taken the place of. */
struct ring_set_stats {
	int cpu;	    /* -1: the thread's, on any CPU */
	pid_t tid;	    /* of the first event added */
	size_t bytes;	    /* now */
	unsigned moves;	    /* to larger ones */
	int move_error;	    /* what kept it from moving, or 0: nothing will be tried again */
	bool is_moving;	    /* a smaller one is not drained yet */
	bool is_lost_exact; /* after ring_set_finish(): it has told all that it has lost */
	struct perf_ring_stats stats; /* high_water: of the ring that is in use now */
};

/* 0 or -errno. */
int ring_set_open(const struct ring_set_options *options, struct ring_set **set);
/* Waits for moves that are under way, unmaps and closes what is the set's. */
void ring_set_close(struct ring_set *set);

/*
 * Makes the event fd, opened for (tid, cpu), write to the ring of that CPU, or with cpu -1 to that of the
 * thread; opens it when there is none. An event of a thread on any CPU must not have attr.inherit: its
 * children would write to one ring from several CPUs at the same time. The descriptor stays the caller's and
 * open until ring_set_remove() or ring_set_close(). The ring's index, or -errno.
 */
int ring_set_add(struct ring_set *set, int cpu, pid_t tid, int fd);
/* Before an event is closed while the set goes on. The ring stays. */
void ring_set_remove(struct ring_set *set, int fd);

/* What to wait on: its own or the caller's. */
int ring_set_epoll(const struct ring_set *set);
/* Waits there, at most ms (-1: for ever); counts wakeups. For a set with an epoll of its own. 0 or -errno. */
int ring_set_wait(struct ring_set *set, int ms);
/* Is this event, from the caller's epoll, one of the set's rings? Then its wakeup is counted. */
bool ring_set_woken(struct ring_set *set, const struct epoll_event *event);

/*
 * Hands over all records of all rings, begins moves that have become necessary, and ends those that can be.
 * While a ring moves, the records of each event come in order, those of different events of a CPU out of it
 * by what one reading brings. The number of records, or what the callback returned, or -EBADMSG after all rings have been read when one
 * was corrupt.
 */
int ring_set_consume(struct ring_set *set, ring_set_record_fn callback, void *context);
/*
 * The last reading, once the events are disabled: also makes every ring tell what it has lost since its
 * last record, which the kernel says only when there is a next one. Returns when all have, or after that many
 * ms; as ring_set_consume(), or of a set of backward rings as ring_set_snapshot().
 */
int ring_set_finish(struct ring_set *set, int ms, ring_set_record_fn callback, void *context);
/*
 * A set of backward rings: pauses all, hands over what each holds, oldest first, and lets them go on. A
 * record is handed over once, by the first snapshot after it. As ring_set_consume().
 */
int ring_set_snapshot(struct ring_set *set, ring_set_record_fn callback, void *context);

/* The metadata page of a ring, as long as it is not moved. */
struct perf_event_mmap_page *ring_set_page(const struct ring_set *set, size_t ring);

size_t ring_set_count(const struct ring_set *set);
void ring_set_stats(const struct ring_set *set, size_t ring, struct ring_set_stats *stats);

#endif
