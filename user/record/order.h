/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of many rings into one order of time. A record may be read later than a younger one of
 * another ring, but not later than the next round of reading all rings: so what is older than the
 * beginning of the previous round is in order, and handed on (perf's "finished round").
 */
#ifndef TRACER_ORDER_H
#define TRACER_ORDER_H

#include <stddef.h>

#include "record.h"

struct record_order;

/*
 * A negative return stops the flush and is passed on; the record counts as handed over, but after -EAGAIN:
 * then it comes again with the next flush.
 */
typedef int (*record_fn)(void *context, const struct record *record);

struct record_order *record_order_new(void);
void record_order_free(struct record_order *order);
/* Keeps a copy of the record and of all it points to. 0 or -ENOMEM. */
int record_order_add(struct record_order *order, const struct record *record);
/*
 * Hands on the side-band, then the stacks with a time at or before limit, then the events (samples and
 * switches of a perf ring are such, too) at or before the limit of the call before; each kind in order
 * of time. Side-band says from when it holds, so it may be applied before older events. Events wait a
 * round longer because a stack may carry a later time than an event of another CPU that names it.
 * Limit UINT64_MAX hands on everything.
 */
int record_order_flush(struct record_order *order, uint64_t limit, record_fn callback,
		       void *context);
size_t record_order_pending(const struct record_order *order);

#endif
