/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recording itself: waiting for rings, signals and the target's end, round by round. */
#ifndef TRACER_LOOP_H
#define TRACER_LOOP_H

#include <stdbool.h>

struct session;

/*
 * From now on SIGINT, SIGTERM and SIGHUP end the loop; the second one ends the process, wherever it is
 * (SA_RESETHAND). While recording, a write that is under way goes on; before, whatever we wait for does not.
 */
void loop_catch_signals(bool recording);
/* From now on SIGUSR2 asks for a dump of what is kept back. */
void loop_catch_dumps(void);
/* Has one of them come? */
bool loop_is_stopped(void);
/*
 * The last dump of what is only looked at on demand (SIGUSR2, or what --dump-on names), once the events are
 * disabled. 0 or an output's write error.
 */
int loop_dump_last(struct session *session);
/* session->epoll, if it is not there yet. 0 or -errno. */
int loop_create(struct session *session);
/* What the loop waits for. 0 or -errno. */
int loop_open(struct session *session);
/* Runs until the recording is over by whatever bound comes first. 0, or an output's write error. */
int loop_run(struct session *session);

#endif
