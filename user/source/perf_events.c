// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events that are open: enabled, read, asked about, closed. */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf_events_state.h"

/* How long the last records may take. */
#define FINISH_MS 1000

static int control(struct perf_events *events, unsigned long request, bool sideband)
{
	struct opened *opened, *next;

	HASH_ITER(hh, events->opened, opened, next) {
		if ((opened->event == PERF_EVENTS_SIDEBAND) == sideband &&
		    ioctl(opened->fd, request, 0))
			return -errno;
	}
	return 0;
}

/* What is mapped must be known from before the first sample. */
int perf_events_start_sideband(struct perf_events *events)
{
	return control(events, PERF_EVENT_IOC_ENABLE, true);
}

int perf_events_enable(struct perf_events *events)
{
	return control(events, PERF_EVENT_IOC_ENABLE, false);
}

void perf_events_disable(struct perf_events *events)
{
	control(events, PERF_EVENT_IOC_DISABLE, false);
	control(events, PERF_EVENT_IOC_DISABLE, true);
}

bool perf_events_is_user_only(const struct perf_events *events, size_t event)
{
	return events->user_only[event];
}

bool perf_events_has_aux(const struct perf_events *events, size_t event)
{
	return perf_events_writes_aux(events, event);
}

bool perf_events_find(const struct perf_events *events, uint64_t id, size_t *event, bool *by_thread)
{
	struct opened *opened = NULL;

	HASH_FIND(hh, events->opened, &id, sizeof(id), opened);
	if (!opened || opened->event >= events->config.events->count)
		return false;
	*event = opened->event;
	*by_thread = events->config.placement->inherit && !events->groups_not_inherited;
	return true;
}

bool perf_events_groups_not_inherited(const struct perf_events *events)
{
	return events->groups_not_inherited;
}

struct aux_areas *perf_events_aux(const struct perf_events *events)
{
	return events->areas;
}

size_t perf_events_opened(const struct perf_events *events, size_t event)
{
	return events->counts[event];
}

static void note_aux(struct perf_events *events, uint64_t id,
		     const struct perf_event_header *header)
{
	struct record record;

	if (header->type == PERF_RECORD_AUX &&
	    !record_from_perf_layout(&events->common, header, &record))
		aux_areas_note(events->areas, id, record.aux.flags);
}

static int take(void *context, size_t ring, const struct perf_event_header *header)
{
	struct perf_events *events = context;
	const struct perf_layout *layout = &events->common;
	struct opened *opened = NULL;
	uint64_t id = 0;

	(void)ring;
	if (perf_layout_event_id(&events->common, header, &id))
		HASH_FIND(hh, events->opened, &id, sizeof(id), opened);
	if (opened && opened->event < events->config.events->count)
		layout = &events->layouts[opened->event];
	note_aux(events, id, header);
	if (!events->callback)
		return 0;
	return events->callback(events->context, opened ? opened->event : PERF_EVENTS_SIDEBAND,
				layout, header);
}

int perf_events_consume(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_consume(events->rings, take, events);
}

int perf_events_snapshot(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_snapshot(events->backward, take, events);
}

int perf_events_last_snapshot(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_finish(events->backward, FINISH_MS, take, events);
}

int perf_events_finish(struct perf_events *events, perf_events_fn callback, void *context)
{
	events->callback = callback;
	events->context = context;
	return ring_set_finish(events->rings, FINISH_MS, take, events);
}

void perf_events_woken(struct perf_events *events, const struct epoll_event *event)
{
	ring_set_woken(events->rings, event);
}

const struct ring_set *perf_events_rings(const struct perf_events *events)
{
	return events->rings;
}

const struct ring_set *perf_events_backward_rings(const struct perf_events *events)
{
	return events->backward;
}

void perf_events_close(struct perf_events *events)
{
	struct opened *opened, *next;

	if (!events)
		return;
	aux_areas_free(events->areas);
	ring_set_close(events->rings);
	ring_set_close(events->backward);
	HASH_ITER(hh, events->opened, opened, next) {
		HASH_DEL(events->opened, opened);
		close(opened->fd);
		free(opened);
	}
	free(events->layouts);
	free(events->counts);
	free(events->user_only);
	free(events->aux);
	free(events);
}
