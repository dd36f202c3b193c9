// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A head of fixed size, then the values that the kind has, then indexes of frames. */
#include "own_sample.h"

#include <string.h>

#include "../record/bytes.h"

#define MAGIC "tracer\0\1" /* the last byte is the version */

struct head {
	char magic[8];
	uint8_t kind, user, kernel, exact_count;
	uint32_t flags, state, length;
	char access[4];
	uint16_t value_bytes;
	uint8_t has_values, is_usdt;
};

_Static_assert(sizeof(struct head) + TRACER_ARGS * sizeof(uint64_t) +
			       OWN_SAMPLE_EXACT * sizeof(uint16_t) + OWN_SAMPLE_VALUES <=
		       OWN_SAMPLE_MOST,
	       "OWN_SAMPLE_MOST");

static size_t value_count(enum rec_kind kind)
{
	switch (kind) {
	case REC_UPROBE:
		return TRACER_ARGS;
	case REC_URETPROBE:
		return 1;
	case REC_LATENCY:
		return 2;
	case REC_BREAKPOINT:
		return 3;
	default:
		return 0;
	}
}

void own_sample_of(const struct record_event *event, const struct source_info *source,
		   struct own_sample *own)
{
	*own = (struct own_sample){
		.kind = event->kind,
		.flags = event->flags,
		.state = event->state,
		.length = source->length,
		.is_usdt = source->is_usdt,
	};
	memcpy(own->access, source->access, sizeof(own->access));
	if (event->kind == REC_BREAKPOINT) {
		own->value[0] = event->ip;
		own->value[1] = event->old_value;
		own->value[2] = event->new_value;
		return;
	}
	if (event->kind == REC_LATENCY) {
		own->value[0] = event->arg[0];
		own->value[1] = event->call_ns;
		return;
	}
	memcpy(own->value, event->arg, value_count(event->kind) * sizeof(*own->value));
}

void own_sample_describe(const struct own_sample *own, struct source_info *source)
{
	source->kind = own->kind;
	source->length = own->length;
	source->is_usdt = own->is_usdt;
	memcpy(source->access, own->access, sizeof(source->access));
}

void own_sample_restore(const struct own_sample *own, struct record_event *event)
{
	event->kind = own->kind;
	event->flags = own->flags;
	event->state = own->state;
	if (own->kind == REC_BREAKPOINT) {
		event->ip = own->value[0];
		event->old_value = own->value[1];
		event->new_value = own->value[2];
		return;
	}
	if (own->kind == REC_LATENCY) {
		event->arg[0] = own->value[0];
		event->call_ns = own->value[1];
		return;
	}
	memcpy(event->arg, own->value, sizeof(event->arg));
}

size_t own_sample_encode(const struct own_sample *own, void *bytes)
{
	size_t values = value_count(own->kind) * sizeof(*own->value);
	size_t exact = own->exact_count * sizeof(*own->exact);
	struct head head = {
		.magic = MAGIC,
		.kind = (uint8_t)own->kind,
		.user = (uint8_t)own->user,
		.kernel = (uint8_t)own->kernel,
		.exact_count = (uint8_t)own->exact_count,
		.flags = own->flags,
		.state = own->state,
		.length = own->length,
		.value_bytes = (uint16_t)own->value_bytes,
		.has_values = own->has_values,
		.is_usdt = own->is_usdt != 0,
	};
	uint8_t *at = bytes;

	memcpy(head.access, own->access, sizeof(head.access));
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), own->value, values);
	memcpy(at + sizeof(head) + values, own->exact, exact);
	if (own->value_bytes)
		memcpy(at + sizeof(head) + values + exact, own->values, own->value_bytes);
	return sizeof(head) + values + exact + own->value_bytes;
}

static bool head_is_sound(const struct head *head)
{
	return !memcmp(head->magic, MAGIC, sizeof(head->magic)) && head->kind >= REC_SAMPLE &&
	       head->kind < REC_KIND_MAX && head->user < STACK_END_MAX &&
	       head->kernel < STACK_END_MAX && head->exact_count <= OWN_SAMPLE_EXACT &&
	       !head->access[sizeof(head->access) - 1] && head->value_bytes <= OWN_SAMPLE_VALUES;
}

bool own_sample_decode(const void *raw, size_t size, struct own_sample *own)
{
	struct bytes bytes = { .at = raw, .end = raw };
	struct head head = {};

	if (!raw)
		return false;
	bytes.end += size;
	bytes_copy(&bytes, &head, sizeof(head));
	if (bytes.failed || !head_is_sound(&head))
		return false;
	*own = (struct own_sample){
		.kind = head.kind,
		.flags = head.flags,
		.state = head.state,
		.length = head.length,
		.is_usdt = head.is_usdt,
		.user = head.user,
		.kernel = head.kernel,
		.exact_count = head.exact_count,
	};
	memcpy(own->access, head.access, sizeof(own->access));
	bytes_copy(&bytes, own->value, value_count(own->kind) * sizeof(*own->value));
	bytes_copy(&bytes, own->exact, own->exact_count * sizeof(*own->exact));
	own->value_bytes = head.value_bytes;
	own->has_values = head.has_values;
	own->values = bytes_take(&bytes, head.value_bytes);
	return !bytes.failed;
}
