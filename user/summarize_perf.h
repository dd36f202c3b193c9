/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the rings of the perf engine tell about themselves at the end of a recording. */
#ifndef TRACER_SUMMARIZE_PERF_H
#define TRACER_SUMMARIZE_PERF_H

#include <stdint.h>

struct perf_events;
struct run_summary;
struct session;

/* Records and samples that were lost in any ring so far. */
uint64_t perf_lost(const struct perf_events *events);
/* Fills in the losses, and says with -v how each ring did. */
void summarize_perf(const struct session *session, struct run_summary *summary);

#endif
