/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The AUX areas of a recording: one beside each ring that an event of a tracing PMU writes to. */
#ifndef TRACER_AUX_AREAS_H
#define TRACER_AUX_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../ring/aux_ring.h"

struct aux_areas;

/* Whose bytes they are. */
struct aux_origin {
	uint32_t index; /* of the area */
	int cpu;	/* -1: the thread's, wherever it ran */
	pid_t tid;	/* the first that was traced there; -1: all */
};

/* A negative return ends the reading and is passed on. The span is valid during the call. */
typedef int (*aux_areas_fn)(void *context, const struct aux_origin *origin,
			    const struct aux_span *span);

/* bytes: of an area, a power of two of pages; less where that much cannot be had. NULL without memory. */
struct aux_areas *aux_areas_new(size_t bytes, enum aux_mode mode);
void aux_areas_free(struct aux_areas *areas);

/* Has the PMU of this event, disabled and without a ring, AUX areas? Opens and closes one. */
bool aux_areas_possible(int fd);
/*
 * Adds the area of an event whose output goes to that ring, or takes notice of one more event of an area
 * that is there. id: as its records say. The descriptor stays the caller's, open until aux_areas_free(). 0 or
 * -errno as aux_ring_open().
 */
int aux_areas_add(struct aux_areas *areas, size_t ring, struct perf_event_mmap_page *page, int fd,
		  uint64_t id, int cpu, pid_t tid);
/* A PERF_RECORD_AUX of that event said so. */
void aux_areas_note(struct aux_areas *areas, uint64_t id, uint64_t flags);

/*
 * Full mode: hands out what is there, of each area so much that rings need not wait long, and lets go on what
 * the kernel stopped, but not when it is the last reading. 1: there is more; 0; or what the callback returned,
 * or -EBADMSG for an area that was corrupt.
 */
int aux_areas_read(struct aux_areas *areas, bool is_last, aux_areas_fn callback, void *context);
/* Snapshot mode: hands out the newest bytes of all areas. The same, but never 1. */
int aux_areas_snapshot(struct aux_areas *areas, aux_areas_fn callback, void *context);

size_t aux_areas_count(const struct aux_areas *areas);
/* Of all areas; size: bytes of the smallest, high_water of the fullest. */
void aux_areas_sum(const struct aux_areas *areas, struct aux_statistics *sum, size_t *size);

#endif
