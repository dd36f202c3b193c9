/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --stat: counts events instead of recording them. Needs no BPF, and for one's own programs no privilege. */
#ifndef TRACER_STAT_H
#define TRACER_STAT_H

struct options;

/* Counts until the end that options say. The exit status. */
int stat_run(const struct options *options);

#endif
