/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a session does otherwise when its samples come through perf rings, without BPF. */
#ifndef TRACER_SETUP_PERF_H
#define TRACER_SETUP_PERF_H

struct session;

/*
 * Which engine records: the one that was asked for, or BPF unless what is asked for needs perf's, or nothing more
 * is permitted to us. Sets session->by_perf and session->events. Says what is wrong. 0 or -errno.
 */
int setup_choose_engine(struct session *session);
/* A source for each event. 0 or -errno. */
int setup_perf_sources(struct session *session);
/* Opens events, rings and side-band. Says what is wrong. 0 or -errno. */
int setup_perf(struct session *session);

#endif
