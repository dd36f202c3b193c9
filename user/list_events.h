/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --list events: what -e can name on this machine. */
#ifndef TRACER_LIST_EVENTS_H
#define TRACER_LIST_EVENTS_H

struct options;

/* The exit status. */
int list_events(const struct options *options);

#endif
