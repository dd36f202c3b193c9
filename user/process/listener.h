/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who wants to hear of what becomes known of processes: to write it down as side-band is. */
#ifndef TRACER_LISTENER_H
#define TRACER_LISTENER_H

#include <stdint.h>
#include <sys/types.h>

struct mapping;
struct object;
struct record;

struct tasks_listener {
	/*
	 * RECORD_MMAP, COMM, FORK or EXIT; what /proc told comes as the records that would have told it.
	 * object: what a mapping with code is of, else NULL.
	 */
	void (*tell)(void *context, const struct record *record, const struct object *object);
	void *context;
};

/* listener->tell NULL: nobody listens. */
void listener_tell(const struct tasks_listener *listener, const struct record *record,
		   const struct object *object);
/* As valid from mapping->since on. */
void listener_tell_mapping(const struct tasks_listener *listener, pid_t pid,
			   const struct mapping *mapping);
void listener_tell_comm(const struct tasks_listener *listener, pid_t pid, pid_t tid, uint64_t time,
			const char *comm);

#endif
