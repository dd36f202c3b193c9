/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Feature sections out of struct perf_data_info: the reverse of perf_data_info_add(). */
#ifndef TRACER_PERF_DATA_SECTIONS_H
#define TRACER_PERF_DATA_SECTIONS_H

#include <stdint.h>

#include "events.h"
#include "info.h"
#include "sink.h"

/* A bit for each feature, of the first 64, that there is something to say of. */
uint64_t sections_of(const struct perf_data_info *info);
void sections_put(struct sink *sink, unsigned feature, const struct perf_data_info *info,
		  const struct perf_data_events *events);

#endif
