/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events that are counted, not sampled: --stat. A group's are scheduled together, and read at one instant. */
#ifndef TRACER_COUNTERS_H
#define TRACER_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "event_open.h"
#include "placement.h"

struct event_list;
struct counters;

/*
 * What was counted since the event was enabled. value is as counted; where running is less than enabled, another
 * event had the counter meanwhile, and value * enabled / running is the estimate for all of it. ns.
 */
struct counter_value {
	uint64_t value, enabled, running;
};

/*
 * Opens each event at each place, not yet enabled. An event that cannot be had is left out everywhere and says
 * why (counters_refusal); its group with it. events and placement stay the caller's, and must outlive it.
 * 0 or -ENOMEM.
 */
int counters_open(const struct event_list *events, const struct placement *placement,
		  struct counters **counters);
/* 0 or -errno. */
int counters_enable(struct counters *counters);
void counters_disable(struct counters *counters);
/* Reads all. 0 or -errno. */
int counters_read(struct counters *counters);
/* What the last reading gave for an event at a place; zero where it is not open. */
struct counter_value counters_value(const struct counters *counters, size_t event, size_t place);
/* EVENT_IS_OPEN, or why it is not. *err: the errno of it, negative. */
enum event_refusal counters_refusal(const struct counters *counters, size_t event, int *err);
/* Was the kernel left out, though the event did not ask for it? */
bool counters_is_user_only(const struct counters *counters, size_t event);
/* Is one event open at all? */
bool counters_any(const struct counters *counters);
void counters_close(struct counters *counters);

#endif
