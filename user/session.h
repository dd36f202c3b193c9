/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_SESSION_H
#define TRACER_SESSION_H

#include "options.h"

struct session;

/* Records as the options say. The exit status: the COMMAND's own, 0, or 1 after a message. */
int session_run(const struct options *options);
/* Frees and closes everything there is. */
void session_tear_down(struct session *session);

#endif
