/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The last of an output: what was added up, and the summary. */
#ifndef TRACER_WRITE_OUTPUT_H
#define TRACER_WRITE_OUTPUT_H

struct run_summary;
struct session;

/* 0 or a write error. */
int write_output(struct session *session, const struct run_summary *summary);

#endif
