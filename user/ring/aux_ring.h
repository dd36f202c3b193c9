/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The AUX area beside one event's ring: the raw bytes of a PMU that traces (Intel PT, SPE, CoreSight).
 * They are no records; those about them, PERF_RECORD_AUX and ITRACE_START, come on the ring itself.
 *
 * The order that the kernel wants: open the event disabled, map its ring, aux_ring_open, enable.
 * Then, beside each reading of the ring:
 *
 *   full mode      aux_ring_note for each PERF_RECORD_AUX, one aux_ring_read, aux_ring_resume
 *   snapshot mode  nothing; when one is wanted aux_ring_snapshot_begin, then one aux_ring_read a round until
 *                  it returns 0, then aux_ring_snapshot_end
 *
 * The kernel wakes who polls the event's descriptor at each half of the area that was filled, or attr.aux_watermark
 * bytes, and when it stopped the event.
 *
 * A read hands out at most the bytes it is told to, in one call of the callback: however large the area
 * is, the ring waits for no more than that.
 */
#ifndef TRACER_AUX_RING_H
#define TRACER_AUX_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum aux_mode {
	AUX_FULL,     /* what was not read is never overwritten: the PMU stops instead */
	AUX_SNAPSHOT, /* the newest bytes replace the oldest, and are read on demand */
};

struct aux_piece {
	const void *data;
	size_t size; /* bytes, may be 0 */
};

/* Bytes [from, to) of all that the PMU wrote, which wrap round the area's end at most once. */
struct aux_span {
	uint64_t from, to;
	struct aux_piece piece[2];
};

struct aux_statistics {
	uint64_t bytes;	  /* handed out */
	uint64_t skipped; /* bytes that head ran past unread, which it must not */
	uint64_t truncated, partial, collision; /* PERF_RECORD_AUX that said so */
	uint64_t resumed;			/* times the event was enabled again in full mode */
	uint64_t snapshots;
	size_t high_water; /* most bytes that were waiting at one time, or a snapshot had */
};

struct aux_ring;

/* The pieces are valid only during the call. A negative return becomes that of the read. */
typedef int (*aux_span_fn)(void *context, const struct aux_span *span);

/*
 * Maps an AUX area of bytes (a power of two of pages) over an event's descriptor, whose ring with its
 * metadata page is mapped already; both stay the caller's and must outlive the area. Where there is not that
 * much memory, or not that much of it may be locked, half is tried, and so on: see aux_ring_size. 0 or
 * -errno: -EINVAL for bytes (5.10 wants two pages in full mode), -EOPNOTSUPP for a PMU without AUX area,
 * -EPERM, -ENOMEM.
 */
int aux_ring_open(int fd, struct perf_event_mmap_page *page, size_t bytes, enum aux_mode mode,
		  struct aux_ring **ring);
void aux_ring_close(struct aux_ring *ring);
/* Bytes of the area. */
size_t aux_ring_size(const struct aux_ring *ring);

/*
 * Hands out the oldest bytes there are, at most that many (rounded down to a multiple of 8, at least 8),
 * and gives their place back. How many; 0 without a call when there are none; what the callback returned
 * if negative; -EBADMSG, and all of them skipped, for a head that cannot be. In snapshot mode it reads the
 * snapshot that has begun.
 */
ssize_t aux_ring_read(struct aux_ring *ring, size_t most, aux_span_fn callback, void *context);

/* Takes notice of a PERF_RECORD_AUX by its flags. */
void aux_ring_note(struct aux_ring *ring, uint64_t flags);
/* May the kernel have disabled the event, so that it must be enabled again? */
bool aux_ring_is_stopped(const struct aux_ring *ring);
/*
 * The kernel disables an event that found no room. Enables it again where that may have happened. Call it in
 * each round after reading, also when no record came, but not when the recording is over. 0 or -errno.
 */
int aux_ring_resume(struct aux_ring *ring);

/*
 * Disables the event, so that the newest bytes, up to the area's size, stay as they are. Those that a snapshot had are
 * not in the next one, but of a PMU whose head starts again at the area's end, where that cannot be told. 0 or -errno.
 */
int aux_ring_snapshot_begin(struct aux_ring *ring);
/* Leaves what was not read, and enables the event again. 0 or -errno. */
int aux_ring_snapshot_end(struct aux_ring *ring);

const struct aux_statistics *aux_ring_statistics(const struct aux_ring *ring);

#endif
