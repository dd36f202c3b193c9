// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* BPF ring bytes to records: every length is checked before a field is read. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "from_bpf.h"

/* The wire structs as they may stand in a perf ring: at multiples of 4. */
typedef struct rec_head rec_head_any __attribute__((aligned(4)));
typedef struct rec_stack rec_stack_any __attribute__((aligned(4)));
typedef struct rec_stack_copy rec_stack_copy_any __attribute__((aligned(4)));
typedef struct rec_event rec_event_any __attribute__((aligned(4)));
typedef struct rec_uprobe rec_uprobe_any __attribute__((aligned(4)));
typedef struct rec_uretprobe rec_uretprobe_any __attribute__((aligned(4)));
typedef struct rec_breakpoint rec_breakpoint_any __attribute__((aligned(4)));
typedef struct rec_latency rec_latency_any __attribute__((aligned(4)));
typedef struct rec_offcpu rec_offcpu_any __attribute__((aligned(4)));

static int decode_stack(const rec_stack_any *wire, size_t size, struct record *record)
{
	struct record_stack *stack = &record->stack;

	if (size < sizeof(*wire) || size != sizeof(*wire) + wire->depth * sizeof(uint64_t))
		return -EBADMSG;
	if (wire->depth > TRACER_MAX_STACK || !wire->end || wire->end >= STACK_END_MAX)
		return -EBADMSG;
	if (wire->space != STACK_USER && wire->space != STACK_KERNEL)
		return -EBADMSG;
	record->kind = RECORD_STACK;
	record->pid = record->tid = wire->tgid;
	stack->id = wire->id;
	stack->space = wire->space;
	stack->end = wire->end;
	stack->depth = wire->depth;
	stack->ip = (const void *)(wire + 1);
	return 0;
}

_Static_assert(offsetof(struct rec_stack_copy, stack) - offsetof(struct rec_stack_copy, general) ==
		       RECORD_COPY_STACK_AT,
	       "what record_stack_copy.wire points to");

static int decode_copy(const rec_stack_copy_any *wire, size_t size, struct record *record)
{
	size_t fixed = offsetof(struct rec_stack_copy, stack);
	struct record_stack_copy *copy = &record->copy;

	if (size < fixed || size > sizeof(*wire) || size != fixed + wire->stack_bytes)
		return -EBADMSG;
	if (wire->return_count > TRACER_COPY_RETURNS || !wire->max_stack ||
	    wire->max_stack > TRACER_MAX_STACK)
		return -EBADMSG;
	record->kind = RECORD_STACK_COPY;
	record->pid = record->tid = wire->tgid;
	copy->id = wire->id;
	copy->ip = wire->ip;
	copy->sp = wire->sp;
	copy->fp = wire->fp;
	copy->link = wire->link;
	copy->trampoline = wire->trampoline;
	copy->at_entry = wire->at_entry;
	copy->max_stack = wire->max_stack;
	copy->return_count = wire->return_count;
	copy->size = wire->stack_bytes;
	copy->holes = wire->holes;
	copy->wire = (const void *)wire->general;
	return 0;
}

static void decode_probe(const void *data, enum rec_kind kind, struct record_event *event)
{
	const rec_uprobe_any *entry = data;
	const rec_uretprobe_any *ret = data;

	if (kind == REC_UPROBE) {
		event->site = entry->site;
		memcpy(event->arg, entry->arg, sizeof(event->arg));
	} else {
		event->site = ret->site;
		event->arg[0] = ret->ret;
	}
}

static void decode_latency(const rec_latency_any *wire, struct record_event *event)
{
	event->site = wire->site;
	event->arg[0] = wire->ret;
	event->call_ns = wire->ns;
}

static void decode_breakpoint(const rec_breakpoint_any *wire, struct record_event *event)
{
	event->site = wire->site;
	event->ip = wire->ip;
	event->old_value = wire->old_value;
	event->new_value = wire->new_value;
	event->store_length = wire->store_length;
}

static void decode_offcpu(const rec_offcpu_any *wire, struct record_event *event)
{
	event->blocked_ns = wire->blocked_ns;
	event->state = wire->state;
}

/* The size of a record of that kind, 0 for a kind that is none. */
static size_t event_size(unsigned kind)
{
	switch (kind) {
	case REC_SAMPLE:
		return sizeof(struct rec_sample);
	case REC_UPROBE:
		return sizeof(struct rec_uprobe);
	case REC_URETPROBE:
		return sizeof(struct rec_uretprobe);
	case REC_BREAKPOINT:
		return sizeof(struct rec_breakpoint);
	case REC_LATENCY:
		return sizeof(struct rec_latency);
	case REC_OFFCPU:
		return sizeof(struct rec_offcpu);
	}
	return 0;
}

/* What follows an event of whatever kind; how it is cut up only its plan tells. */
static int decode_captured(const void *data, size_t size, struct record_event *event)
{
	const uint8_t *captured = (const uint8_t *)data + REC_CAPTURED_AT;
	struct rec_captured head;

	if (size < REC_CAPTURED_AT + sizeof(head))
		return -EBADMSG;
	memcpy(&head, captured, sizeof(head));
	event->plan = head.plan;
	event->captured = captured + sizeof(head);
	event->captured_size = (uint32_t)(size - REC_CAPTURED_AT - sizeof(head));
	return 0;
}

static int decode_event(const void *data, size_t size, struct record *record)
{
	const rec_event_any *wire = data;
	struct record_event *event = &record->event;
	size_t wanted = size < sizeof(*wire) ? 0 : event_size(wire->head.kind);

	if (wanted && wire->head.flags & EVENT_CAPTURED) {
		if (decode_captured(data, size, event))
			return -EBADMSG;
	} else if (!wanted || size != wanted) {
		return -EBADMSG;
	}
	record->kind = RECORD_EVENT;
	record->pid = wire->tgid;
	record->tid = wire->tid;
	event->kind = wire->head.kind;
	event->flags = wire->head.flags & ~(uint32_t)EVENT_CAPTURED;
	event->user_stack = wire->user_stack;
	event->kernel_stack = wire->kernel_stack;
	memcpy(event->comm, wire->comm, TRACER_COMM);
	if (event->kind == REC_UPROBE || event->kind == REC_URETPROBE)
		decode_probe(data, event->kind, event);
	else if (event->kind == REC_LATENCY)
		decode_latency(data, event);
	else if (event->kind == REC_BREAKPOINT)
		decode_breakpoint(data, event);
	else if (event->kind == REC_OFFCPU)
		decode_offcpu(data, event);
	return 0;
}

int record_from_bpf(const void *data, size_t size, struct record *record)
{
	const rec_head_any *head = data;

	memset(record, 0, sizeof(*record));
	if (size < sizeof(*head) || head->size > size || head->size < sizeof(*head))
		return -EBADMSG;
	size = head->size;
	record->time = head->time;
	record->cpu = head->cpu;
	if (head->kind == REC_STACK)
		return decode_stack(data, size, record);
	if (head->kind == REC_STACK_COPY)
		return decode_copy(data, size, record);
	return decode_event(data, size, record);
}
