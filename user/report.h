/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a person reads on stderr: the live line while recording, the summary at the end. */
#ifndef TRACER_REPORT_H
#define TRACER_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "output/output.h"

/* Redraws the live line: seconds since the start, events, losses, user stacks walked, those complete. */
void report_live(double seconds, uint64_t events, uint64_t lost, uint64_t stacks,
		 uint64_t complete);
/* Removes the live line, before anything else is printed. */
void report_live_clear(void);
/* path: what was written, NULL for stdout. verbose: the accounting, in a form that programs can read. */
void report_summary(const struct run_summary *summary, const char *path, unsigned verbose);

#endif
