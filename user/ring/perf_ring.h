/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One mmap'ed ring of a perf event, read without a system call per record. */
#ifndef TRACER_PERF_RING_H
#define TRACER_PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>

struct perf_ring;

/* Called for each record (header->size bytes), valid only during the call. A negative return stops. */
typedef int (*perf_record_fn)(void *context, const struct perf_event_header *record);

/* Maps bytes (a power of two of pages) of ring over an event's descriptor, which stays the caller's. 0 or -errno. */
int perf_ring_open(int fd, size_t bytes, struct perf_ring **ring);
void perf_ring_close(struct perf_ring *ring);
/* Hands over all records there are now. Their number, what the callback returned, or -EBADMSG for a corrupt ring. */
int perf_ring_consume(struct perf_ring *ring, perf_record_fn callback, void *context);
/* Most bytes that were waiting at one time. */
size_t perf_ring_high_water(const struct perf_ring *ring);

#endif
