/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summary of a run in words, for every format that has room for it. */
#ifndef TRACER_SUMMARY_H
#define TRACER_SUMMARY_H

#include <stdio.h>

#include "output.h"

/* "1200 seen, 1198 delivered, 2 lost (2 ring full)"; no newline */
void summary_print_losses(FILE *stream, const struct run_summary *summary);
/* "user stacks 99.2 % complete (7 max depth, 2 lost)", or nothing without user stacks; no newline */
void summary_print_quality(FILE *stream, const struct run_summary *summary);
/* Both, with the duration, as lines that begin with '#'. */
void summary_print_comment(FILE *stream, const struct run_summary *summary);
/* The duration in ns, 0 when it is no sensible number. */
uint64_t summary_duration(const struct run_summary *summary);

/* One cause of loss. */
struct loss_cause {
	const char *name; /* for people: "ring full" */
	const char *key;  /* for programs: "ring_full" */
	uint64_t count;
};

#define LOSS_CAUSES 9
/* Those that lose events come first. */
#define LOSS_EVENT_CAUSES 7

void summary_loss_causes(const struct loss *loss, struct loss_cause causes[LOSS_CAUSES]);

#endif
