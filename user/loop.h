/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recording itself: waiting for rings, signals and the target's end, round by round. */
#ifndef TRACER_LOOP_H
#define TRACER_LOOP_H

struct session;

/* From now on SIGINT and SIGTERM end the loop; the second one ends the process. */
void loop_catch_signals(void);
/* What the loop waits for. 0 or -errno. */
int loop_open(struct session *session);
/* Runs until the recording is over by whatever bound comes first. 0, or an output's write error. */
int loop_run(struct session *session);

#endif
