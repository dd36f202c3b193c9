// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Copies wait in an array; a flush sorts it, by phase and time, hands on what is due, and keeps the rest.
 * Rounds are short (the reader's timer), so the array is too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

struct entry {
	struct record record;
	uint64_t sequence; /* arrival, so that equal times keep their order */
	void *payload;	   /* what record points to */
};

struct record_order {
	struct entry *entries;
	size_t count, capacity;
	uint64_t sequence;
	uint64_t last_limit;
};

struct record_order *record_order_new(void)
{
	return calloc(1, sizeof(struct record_order));
}

void record_order_free(struct record_order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->count; i++)
		free(order->entries[i].payload);
	free(order->entries);
	free(order);
}

/* The pointer to all that a record has elsewhere, and its size in bytes; NULL when it has nothing. */
static const void **payload_of(struct record *record, size_t *size)
{
	const char **string = NULL;

	switch (record->kind) {
	case RECORD_STACK:
		*size = record->stack.depth * sizeof(uint64_t);
		return (const void **)&record->stack.ip;
	case RECORD_STACK_COPY:
		*size = RECORD_COPY_STACK_AT + record->copy.size;
		return (const void **)&record->copy.wire;
	case RECORD_MMAP:
		string = &record->mmap.path;
		break;
	case RECORD_COMM:
		string = &record->comm.comm;
		break;
	case RECORD_KSYMBOL:
		string = &record->ksymbol.name;
		break;
	case RECORD_CGROUP:
		string = &record->cgroup.path;
		break;
	case RECORD_EVENT:
		*size = record->event.captured_size;
		return record->event.captured ? (const void **)&record->event.captured : NULL;
	case RECORD_SAMPLE:
		*size = record->sample.wire_size;
		return (const void **)&record->sample.wire;
	default:
		return NULL;
	}
	*size = strlen(*string) + 1;
	return (const void **)string;
}

static void move_pointer(const void **pointer, const uint8_t *from, const uint8_t *to)
{
	if (*pointer)
		*pointer = to + ((const uint8_t *)*pointer - from);
}

/* All that a sample points to is in the one record: to its copy. */
static void move_sample(struct record_sample *sample, const uint8_t *to)
{
	const uint8_t *from = sample->wire;

	move_pointer((const void **)&sample->chain, from, to);
	move_pointer((const void **)&sample->regs, from, to);
	move_pointer((const void **)&sample->stack, from, to);
	move_pointer(&sample->raw, from, to);
	move_pointer((const void **)&sample->counters, from, to);
}

static int copy_payload(struct entry *entry)
{
	size_t size = 0;
	const void **pointer = payload_of(&entry->record, &size);

	entry->payload = NULL;
	if (!pointer)
		return 0;
	entry->payload = malloc(size ? size : 1);
	if (!entry->payload)
		return -ENOMEM;
	memcpy(entry->payload, *pointer, size);
	if (entry->record.kind == RECORD_SAMPLE)
		move_sample(&entry->record.sample, entry->payload);
	*pointer = entry->payload;
	return 0;
}

static int grow(struct record_order *order)
{
	size_t capacity = order->capacity ? order->capacity * 2 : 256;
	struct entry *entries = reallocarray(order->entries, capacity, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	order->entries = entries;
	order->capacity = capacity;
	return 0;
}

int record_order_add(struct record_order *order, const struct record *record)
{
	struct entry *entry;
	int err;

	if (order->count == order->capacity) {
		err = grow(order);
		if (err)
			return err;
	}
	entry = &order->entries[order->count];
	entry->record = *record;
	entry->sequence = order->sequence++;
	err = copy_payload(entry);
	if (err)
		return err;
	order->count++;
	return 0;
}

/* What happened to a thread, and not what is known about it from then on. */
static bool is_event(const struct record *record)
{
	return record->kind == RECORD_EVENT || record->kind == RECORD_SAMPLE ||
	       record->kind == RECORD_SWITCH;
}

static int phase(const struct record *record)
{
	if (is_event(record))
		return 2;
	return record->kind == RECORD_STACK || record->kind == RECORD_STACK_COPY;
}

static int compare(const void *left_, const void *right_)
{
	const struct entry *left = left_, *right = right_;
	int left_phase = phase(&left->record), right_phase = phase(&right->record);

	if (left_phase != right_phase)
		return left_phase - right_phase;
	if (left->record.time != right->record.time)
		return left->record.time < right->record.time ? -1 : 1;
	return left->sequence < right->sequence ? -1 : 1;
}

int record_order_flush(struct record_order *order, uint64_t limit, record_fn callback,
		       void *context)
{
	uint64_t event_limit = limit == UINT64_MAX ? limit : order->last_limit;
	size_t kept = 0;
	int err = 0;

	order->last_limit = limit;
	if (order->count)
		qsort(order->entries, order->count, sizeof(*order->entries), compare);
	for (size_t i = 0; i < order->count; i++) {
		struct entry *entry = &order->entries[i];

		uint64_t due = is_event(&entry->record) ? event_limit : limit;

		if (err < 0 || entry->record.time > due) {
			order->entries[kept++] = *entry;
			continue;
		}
		err = callback(context, &entry->record);
		if (err == -EAGAIN)
			order->entries[kept++] = *entry;
		else
			free(entry->payload);
	}
	order->count = kept;
	return err;
}

size_t record_order_pending(const struct record_order *order)
{
	return order->count;
}
