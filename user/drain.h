/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* After the recording: what still lies in the kernel's tables becomes events, counts and on-CPU times. */
#ifndef TRACER_DRAIN_H
#define TRACER_DRAIN_H

#include <stdint.h>

#include "aggregate/wall.h"
#include "collector.h"

struct drain {
	struct collector *collector;
	struct wall *wall;	 /* NULL unless --wall */
	uint64_t start, end;	 /* of the recording, ns */
	uint64_t off_cpu_min_ns; /* --off-cpu=MIN */
	uint64_t still_blocked;	 /* out: events made here, which the programs have not seen */
};

/* Everything is detached and the rings are read. 0, -errno, or an output's write error. */
int drain_tables(struct drain *drain);

#endif
