/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One mmap'ed ring of a perf event, read without a system call per record: forward, where each record is
 * read once and its place given back, or backward (attr.write_backward), where the kernel overwrites the
 * oldest records until somebody pauses the ring to look.
 */
#ifndef TRACER_PERF_RING_H
#define TRACER_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_ring;

/* Since the ring was opened. */
struct perf_ring_stats {
	uint64_t bytes, records; /* handed over */
	uint64_t high_water;	 /* most bytes that were waiting at one time */
	uint64_t lost_records;	 /* as PERF_RECORD_LOST told: of any type, for want of room */
	uint64_t lost_samples; /* as PERF_RECORD_LOST_SAMPLES told: by the hardware, before the ring */
	uint64_t wakeups;      /* perf_ring_woken() calls */
	uint64_t corrupt;      /* times that what stood there could not be a record */
};

/* Called for each record (header->size bytes), valid only during the call. A negative return stops. */
typedef int (*perf_record_fn)(void *context, const struct perf_event_header *record);

/* Maps bytes (a power of two of pages) of ring over an event's descriptor, which stays the caller's. 0 or -errno. */
int perf_ring_open(int fd, size_t bytes, struct perf_ring **ring);
/* The same for an event with attr.write_backward: read-only, which is what makes the kernel overwrite. */
int perf_ring_open_backward(int fd, size_t bytes, struct perf_ring **ring);
/* A ring over memory that is mapped already, page and data, and stays the caller's. 0 or -ENOMEM. */
int perf_ring_over(struct perf_event_mmap_page *page, size_t bytes, struct perf_ring **ring);
void perf_ring_close(struct perf_ring *ring);

/* Hands over all records there are now. Their number, what the callback returned, or -EBADMSG for a corrupt ring. */
int perf_ring_consume(struct perf_ring *ring, perf_record_fn callback, void *context);
/* Where the records end that there are now, for perf_ring_consume_to(), which hands over those up to there only. */
uint64_t perf_ring_head(const struct perf_ring *ring);
int perf_ring_consume_to(struct perf_ring *ring, uint64_t head, perf_record_fn callback,
			 void *context);
/*
 * Hands over, oldest first, what a backward ring holds of the records written since the last call. Nobody
 * may be writing: perf_ring_pause() first. A record whose end has been overwritten is none. Returns as
 * perf_ring_consume does, or -ENOMEM; after any error, too, the next call has only what came later.
 */
int perf_ring_read_backward(struct perf_ring *ring, perf_record_fn callback, void *context);
/*
 * Stops, or starts again, all output to the ring that fd's event writes to. Records that come meanwhile are
 * lost, and told in a LOST record later. Writers that had begun go on until ring_grace(). 0 or -errno.
 */
int perf_ring_pause(int fd, bool pause);

/* Its descriptor was ready: counted. */
void perf_ring_woken(struct perf_ring *ring);
const struct perf_ring_stats *perf_ring_stats(const struct perf_ring *ring);
/* Bytes of data it holds. */
size_t perf_ring_bytes(const struct perf_ring *ring);
/* The metadata page, for perf_meta_read(). */
struct perf_event_mmap_page *perf_ring_page(const struct perf_ring *ring);

#endif
