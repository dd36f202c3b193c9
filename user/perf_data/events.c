// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attrs, ids and names; a table from id to event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "events.h"
#include "section_string.h"

struct perf_data_event_id {
	uint64_t id;
	size_t index;
	UT_hash_handle hh;
};

#define ID_BITS (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)
/* What stands before or behind the id when it is no identifier. */
#define PLACE_BITS                                                                                 \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)

static bool same_id_place(const struct perf_layout *one, const struct perf_layout *other)
{
	if (one->sample_id_all != other->sample_id_all)
		return false;
	if (one->sample_type & other->sample_type & PERF_SAMPLE_IDENTIFIER)
		return true;
	return one->sample_type & ID_BITS &&
	       !((one->sample_type ^ other->sample_type) & (PLACE_BITS | PERF_SAMPLE_IDENTIFIER));
}

static bool same_layout(const struct perf_layout *one, const struct perf_layout *other)
{
	return one->sample_type == other->sample_type && one->read_format == other->read_format &&
	       one->branch_sample_type == other->branch_sample_type &&
	       one->sample_regs_user == other->sample_regs_user &&
	       one->sample_regs_intr == other->sample_regs_intr &&
	       one->sample_id_all == other->sample_id_all;
}

static int add_id(struct perf_data_events *events, uint64_t id, size_t index)
{
	struct perf_data_event_id *entry;

	HASH_FIND(hh, events->by_id, &id, sizeof(id), entry);
	if (entry)
		return 0; /* the first one has it */
	entry = malloc(sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->id = id;
	entry->index = index;
	HASH_ADD(hh, events->by_id, id, sizeof(entry->id), entry);
	return 0;
}

static int add_ids(struct perf_data_events *events, struct perf_data_event *event, const void *ids,
		   size_t count)
{
	size_t index = (size_t)(event - events->events);
	int err = 0;

	if (!count)
		return 0;
	event->ids = calloc(count, sizeof(*event->ids));
	if (!event->ids)
		return -ENOMEM;
	memcpy(event->ids, ids, count * sizeof(*event->ids));
	event->id_count = count;
	for (size_t i = 0; !err && i < count; i++)
		err = add_id(events, event->ids[i], index);
	return err;
}

/* Records of several events: how far do they have to be told apart, and can they be? */
static void compare(struct perf_data_events *events, const struct perf_data_event *event)
{
	const struct perf_layout *first = &events->events[0].layout;

	if (event == events->events) {
		events->id_everywhere = first->sample_type & ID_BITS;
		events->all_alike = true;
		return;
	}
	events->id_everywhere &= same_id_place(first, &event->layout);
	events->all_alike &= same_layout(first, &event->layout);
}

int perf_data_events_add(struct perf_data_events *events, const void *attr, size_t attr_size,
			 const void *ids, size_t count)
{
	struct perf_data_event *grown, *event;

	if (attr_size < PERF_ATTR_SIZE_VER0)
		return -EBADMSG;
	if (attr_size > sizeof(event->attr))
		attr_size = sizeof(event->attr);
	grown = reallocarray(events->events, events->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	events->events = grown;
	event = &grown[events->count];
	*event = (struct perf_data_event){};
	memcpy(&event->attr, attr, attr_size);
	perf_layout_of(&event->attr, &event->layout);
	events->count++;
	compare(events, event);
	return add_ids(events, event, ids, count);
}

static int set_name(struct perf_data_event *event, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	free(event->name);
	event->name = copy;
	return 0;
}

static struct perf_data_event *by_id(const struct perf_data_events *events, uint64_t id)
{
	struct perf_data_event_id *entry;

	HASH_FIND(hh, events->by_id, &id, sizeof(id), entry);
	return entry ? &events->events[entry->index] : NULL;
}

bool perf_data_events_index(const struct perf_data_events *events, uint64_t id, size_t *index)
{
	const struct perf_data_event *event = by_id(events, id);

	if (event)
		*index = (size_t)(event - events->events);
	return event;
}

int perf_data_events_set_name(struct perf_data_events *events, uint64_t id, const char *name)
{
	struct perf_data_event *event = by_id(events, id);

	return event ? set_name(event, name) : -ENOENT;
}

int perf_data_events_describe(struct perf_data_events *events, const void *data, size_t size)
{
	struct bytes bytes = { .at = data, .end = (const uint8_t *)data + size };
	uint32_t count = bytes_take32(&bytes);
	uint32_t attr_size = bytes_take32(&bytes);
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		uint32_t id_count;
		const char *name;

		bytes_take(&bytes, attr_size);
		id_count = bytes_take32(&bytes);
		name = section_string(&bytes);
		bytes_take(&bytes, (uint64_t)id_count * sizeof(uint64_t));
		if (bytes.failed)
			return -EBADMSG;
		if (i < events->count)
			err = set_name(&events->events[i], name);
	}
	return err;
}

bool perf_data_events_distinct(const struct perf_data_events *events)
{
	return events->id_everywhere || events->all_alike;
}

const struct perf_data_event *perf_data_events_find(const struct perf_data_events *events,
						    const struct perf_event_header *header)
{
	const struct perf_data_event *first = events->events;
	uint64_t id;

	if (!events->count)
		return NULL;
	if (events->count == 1 || !events->id_everywhere)
		return events->all_alike ? first : NULL;
	if (header->type != PERF_RECORD_SAMPLE && !first->layout.sample_id_all)
		return first;
	if (!perf_layout_event_id(&first->layout, header, &id))
		return NULL;
	return id ? by_id(events, id) : first;
}

void perf_data_events_free(struct perf_data_events *events)
{
	struct perf_data_event_id *entry, *next;

	HASH_ITER(hh, events->by_id, entry, next) {
		HASH_DEL(events->by_id, entry);
		free(entry);
	}
	for (size_t i = 0; i < events->count; i++) {
		free(events->events[i].name);
		free(events->events[i].ids);
	}
	free(events->events);
	*events = (struct perf_data_events){};
}
