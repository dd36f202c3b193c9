/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A perf event whose only job is to have a ring, to which others are redirected. It is disabled, but for
 * when it is asked to write a record: the kernel tells what a ring has lost only in front of the next one.
 */
#ifndef TRACER_RING_OWNER_H
#define TRACER_RING_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf_ring.h"

struct ring_owner_options {
	int cpu;   /* or -1 */
	pid_t tid; /* with cpu -1: the thread of all events that will write here */
	size_t bytes;
	bool backward;
	bool use_clockid;
	int32_t clockid;
};

struct ring_owner {
	int fd;
	int cpu;
	struct perf_ring *ring;
	uint64_t id; /* as the kernel names it in LOST records */
	bool is_borrowed; /* a real event with a ring of its own: nothing of it is ours but the mapping */
	bool is_of_self;	 /* counts only the thread that opened it */
	bool is_asked;		 /* and has not told yet */
	bool has_told;		 /* the record that it was asked for has been read */
	uint64_t records, bytes; /* read, of its own */
};

/* Opens an event, on the CPU if that is allowed, otherwise for the calling thread there, and maps. 0 or -errno. */
int ring_owner_open(const struct ring_owner_options *options, struct ring_owner *owner);
/* For an event that cannot be redirected: maps a ring over it. 0 or -errno. */
int ring_owner_borrow(int fd, const struct ring_owner_options *options, struct ring_owner *owner);
/* May be closed twice, or never opened if ring is NULL. */
void ring_owner_close(struct ring_owner *owner);

/*
 * Asks for one record, which comes as soon as the CPU, or the thread, runs; room for it is the caller's
 * matter. One that counts the calling thread takes that to its CPU, for at most a few ms; and so does any of
 * a CPU that is asked again, as there are machines where a CPU that idles takes no samples. 0 or -errno.
 */
int ring_owner_ask(struct ring_owner *owner);
/* From now on, until it is asked, it writes nothing. */
void ring_owner_hush(struct ring_owner *owner);
/* Is a record that was read from its ring its own? Notes it. */
bool ring_owner_wrote(struct ring_owner *owner, const struct perf_event_header *record);

#endif
