/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_PERF_SAMPLE_H
#define TRACER_PERF_SAMPLE_H

#include "perf_layout.h"

/* record_from_perf_layout() of a PERF_RECORD_SAMPLE, into a record that is all 0. 0 or -EBADMSG. */
int perf_sample_decode(const struct perf_layout *layout, const struct perf_event_header *header,
		       struct record *record);

#endif
