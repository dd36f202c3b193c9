/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What counters have counted since they were last seen: samples of a leader (:S) carry the values of its group. */
#ifndef TRACER_COUNTER_DELTAS_H
#define TRACER_COUNTER_DELTAS_H

#include <stdint.h>

struct counter_delta; /* of all counters, by id */

/*
 * What was added to a counter, whose first value counts from 0. tid: of counters that each thread has one of
 * by that id (inherited), else 0. 0 or -ENOMEM.
 */
int counter_deltas_take(struct counter_delta **deltas, uint64_t id, uint32_t tid, uint64_t value,
			uint64_t *delta);
void counter_deltas_free(struct counter_delta **deltas);

#endif
