/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --latency's histograms as text and as JSON. */
#ifndef TRACER_LATENCY_ROWS_H
#define TRACER_LATENCY_ROWS_H

#include <stdio.h>

#include "../aggregate/latency.h"

/* A heading with count, mean, median, 99th percentile and maximum; a line for each power of two; a note. */
void latency_print_text(FILE *stream, const struct latency_row *row);
/* One object on a line. */
void latency_print_json(FILE *stream, const struct latency_row *row);

/* "12.3 us": four digits at most and the unit that fits; returns text, of LATENCY_TIME bytes. */
#define LATENCY_TIME 32
const char *latency_time(char *text, uint64_t ns);

#endif
