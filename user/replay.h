/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --replay: a recording made before, by perf or by us, in any format. Needs no privilege. */
#ifndef TRACER_REPLAY_H
#define TRACER_REPLAY_H

struct options;

/* The exit status. */
int replay_run(const struct options *options);

#endif
