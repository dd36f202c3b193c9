// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads that are traced on the same CPU share its ring, and with it the area: one area, several events. */
#include "aux_areas.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../ring/perf_ring.h"

/* Read of one area before others and rings have their turn. */
#define MOST_AT_ONCE (1u << 20)

struct event {
	int fd;
	uint64_t id;
};

struct area {
	struct aux_origin origin;
	size_t ring;
	struct aux_ring *aux;
	struct event *events; /* the first is the aux_ring's own */
	size_t count;
};

struct aux_areas {
	size_t bytes;
	enum aux_mode mode;
	struct area *areas;
	size_t count;
};

struct aux_areas *aux_areas_new(size_t bytes, enum aux_mode mode)
{
	struct aux_areas *areas = calloc(1, sizeof(*areas));

	if (areas) {
		areas->bytes = bytes;
		areas->mode = mode;
	}
	return areas;
}

void aux_areas_free(struct aux_areas *areas)
{
	if (!areas)
		return;
	for (size_t i = 0; i < areas->count; i++) {
		aux_ring_close(areas->areas[i].aux);
		free(areas->areas[i].events);
	}
	free(areas->areas);
	free(areas);
}

bool aux_areas_possible(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_ring *ring;
	struct aux_ring *aux = NULL;
	bool possible;

	if (perf_ring_open(fd, page, &ring))
		return false;
	/* the least that all kernels allow; for want of memory it would not be the PMU that refuses */
	possible = aux_ring_open(fd, perf_ring_page(ring), 2 * page, AUX_FULL, &aux) != -EOPNOTSUPP;
	aux_ring_close(aux);
	perf_ring_close(ring);
	return possible;
}

static struct area *find_by_ring(struct aux_areas *areas, size_t ring)
{
	for (size_t i = 0; i < areas->count; i++) {
		if (areas->areas[i].ring == ring)
			return &areas->areas[i];
	}
	return NULL;
}

static struct area *new_area(struct aux_areas *areas, size_t ring)
{
	struct area *grown = reallocarray(areas->areas, areas->count + 1, sizeof(*areas->areas));

	if (!grown)
		return NULL;
	areas->areas = grown;
	grown += areas->count++;
	*grown = (struct area){ .ring = ring };
	return grown;
}

int aux_areas_add(struct aux_areas *areas, size_t ring, struct perf_event_mmap_page *page, int fd,
		  uint64_t id, int cpu, pid_t tid)
{
	struct area *area = find_by_ring(areas, ring);
	struct event *grown;

	if (!area) {
		area = new_area(areas, ring);
		if (!area)
			return -ENOMEM;
		area->origin = (struct aux_origin){ .index = (uint32_t)(areas->count - 1),
						    .cpu = cpu,
						    .tid = tid };
	}
	grown = reallocarray(area->events, area->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	area->events = grown;
	grown[area->count++] = (struct event){ .fd = fd, .id = id };
	return area->aux ? 0 : aux_ring_open(fd, page, areas->bytes, areas->mode, &area->aux);
}

static bool has_event(const struct area *area, uint64_t id)
{
	for (size_t i = 0; i < area->count; i++) {
		if (area->events[i].id == id)
			return true;
	}
	return false;
}

void aux_areas_note(struct aux_areas *areas, uint64_t id, uint64_t flags)
{
	for (size_t i = 0; i < areas->count; i++) {
		if (has_event(&areas->areas[i], id))
			aux_ring_note(areas->areas[i].aux, flags);
	}
}

/* Of the events that are not the aux_ring's own, which it knows nothing of. */
static int control_others(const struct area *area, unsigned long request)
{
	for (size_t i = 1; i < area->count; i++) {
		if (ioctl(area->events[i].fd, request, 0))
			return -errno;
	}
	return 0;
}

struct reading {
	const struct aux_origin *origin;
	aux_areas_fn callback;
	void *context;
};

static int take(void *context, const struct aux_span *span)
{
	const struct reading *reading = context;

	return reading->callback(reading->context, reading->origin, span);
}

static int resume(struct area *area)
{
	if (aux_ring_is_stopped(area->aux) && control_others(area, PERF_EVENT_IOC_ENABLE))
		return -errno;
	return aux_ring_resume(area->aux);
}

int aux_areas_read(struct aux_areas *areas, bool is_last, aux_areas_fn callback, void *context)
{
	int err = 0, more = 0;

	for (size_t i = 0; i < areas->count; i++) {
		struct area *area = &areas->areas[i];
		struct reading reading = { &area->origin, callback, context };
		ssize_t seen = aux_ring_read(area->aux, MOST_AT_ONCE, take, &reading);

		if (seen < 0 && seen != -EBADMSG)
			return (int)seen;
		if (seen < 0)
			err = (int)seen;
		more |= seen == MOST_AT_ONCE;
		/* a thread that has ended, or an event that may not: there is nothing to go on */
		if (!is_last)
			resume(area);
	}
	return err ? err : more;
}

static int snapshot(struct area *area, aux_areas_fn callback, void *context)
{
	struct reading reading = { &area->origin, callback, context };
	ssize_t seen;
	int err = control_others(area, PERF_EVENT_IOC_DISABLE);

	if (!err)
		err = aux_ring_snapshot_begin(area->aux);
	if (err)
		return err;
	do
		seen = aux_ring_read(area->aux, MOST_AT_ONCE, take, &reading);
	while (seen > 0);
	err = aux_ring_snapshot_end(area->aux);
	if (!err)
		err = control_others(area, PERF_EVENT_IOC_ENABLE);
	return seen < 0 ? (int)seen : err;
}

int aux_areas_snapshot(struct aux_areas *areas, aux_areas_fn callback, void *context)
{
	int err = 0;

	for (size_t i = 0; !err && i < areas->count; i++)
		err = snapshot(&areas->areas[i], callback, context);
	return err;
}

size_t aux_areas_count(const struct aux_areas *areas)
{
	return areas->count;
}

void aux_areas_sum(const struct aux_areas *areas, struct aux_statistics *sum, size_t *size)
{
	*sum = (struct aux_statistics){};
	*size = 0;
	for (size_t i = 0; i < areas->count; i++) {
		const struct aux_statistics *one = aux_ring_statistics(areas->areas[i].aux);
		size_t bytes = aux_ring_size(areas->areas[i].aux);

		if (!*size || bytes < *size)
			*size = bytes;
		sum->bytes += one->bytes;
		sum->skipped += one->skipped;
		sum->truncated += one->truncated;
		sum->partial += one->partial;
		sum->collision += one->collision;
		sum->resumed += one->resumed;
		sum->snapshots += one->snapshots;
		if (one->high_water > sum->high_water)
			sum->high_water = one->high_water;
	}
}
