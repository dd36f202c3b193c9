/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The first half of a session: open, configure, load, attach, begin. */
#ifndef TRACER_SETUP_H
#define TRACER_SETUP_H

#include <stdbool.h>

struct session;

/* Everything up to the moment before the recording, from session->options. Says what is wrong. 0 or -errno. */
int setup_session(struct session *session);
/* The recording begins: session->start. A COMMAND is still stopped. 0 or -errno. */
int setup_begin(struct session *session);
/* Mappings as they are now; side-band, already running, tells the rest. 0 or -errno. */
int setup_scan_tasks(struct session *session);
/* Lines of text without -g show an event's own place, and a probe's caller: no stack is wanted then. */
bool setup_wants_stacks(const struct session *session);
/* Objects, tasks, stacks, names. 0 or -ENOMEM. */
int setup_open_stages(struct session *session);
/* The file and the format. Says what is wrong. 0 or -errno. */
int setup_open_output(struct session *session);
/* Once all that it collects from is there. 0 or -ENOMEM. */
int setup_open_collector(struct session *session);
/* What sources need to know of the session. */
struct source_context setup_source_context(struct session *session);

#endif
