/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_FROM_PERF_H
#define TRACER_FROM_PERF_H

#include <linux/perf_event.h>

#include "record.h"

/* The sample_type our side-band events use, together with sample_id_all: what their records end in. */
#define SIDEBAND_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* record_from_perf_layout() for an event of that sample_type. */
int record_from_perf(const struct perf_event_header *header, struct record *record);

#endif
