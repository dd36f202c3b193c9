/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What tracer knows of an event and perf's format has no field for: kept as the raw bytes of our samples, so that
 * --replay tells as much as the recording did. Other readers pass it over.
 */
#ifndef TRACER_OWN_SAMPLE_H
#define TRACER_OWN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../record/source_info.h"

/* Frames in the middle of a stack that were interrupted: more are rare, and then forgotten. */
#define OWN_SAMPLE_EXACT  8
#define OWN_SAMPLE_VALUES 4096 /* bytes of captured values; what is more is left out */
#define OWN_SAMPLE_MOST	  (128 + OWN_SAMPLE_VALUES) /* bytes of one */

struct own_sample {
	enum rec_kind kind;
	uint32_t flags, state;	     /* record_event's */
	uint32_t length;	     /* source_info's, of a breakpoint */
	char access[4];		     /* the same */
	uint32_t is_usdt;	     /* the same, of a uprobe: 0 or 1 */
	enum stack_end user, kernel; /* how the stacks ended */
	uint64_t value
		[TRACER_ARGS]; /* arg[], or ip, old_value and new_value of a breakpoint, or [0] and ns of a call */
	uint16_t exact[OWN_SAMPLE_EXACT]; /* indexes of user frames that are no return addresses */
	size_t exact_count;
	const void *values; /* as leaves_encoded() gives them; points into what was decoded */
	size_t value_bytes;
	bool has_values; /* if only that there are none */
};

/* Everything but stack ends and exact frames. */
void own_sample_of(const struct record_event *event, const struct source_info *source,
		   struct own_sample *own);
/* The reverse: kind, flags, values. */
void own_sample_restore(const struct own_sample *own, struct record_event *event);
/* The reverse: how all events of a source are to be read. */
void own_sample_describe(const struct own_sample *own, struct source_info *source);

/* Into bytes of native order; the size, at most OWN_SAMPLE_MOST. */
size_t own_sample_encode(const struct own_sample *own, void *bytes);
/* False: the raw bytes are none of ours. What they say is in the bounds of its fields. */
bool own_sample_decode(const void *raw, size_t size, struct own_sample *own);

#endif
