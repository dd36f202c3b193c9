/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From options to the places where events of the perf side are opened. */
#ifndef TRACER_PLACING_H
#define TRACER_PLACING_H

#include "source/placement.h"

struct options;

struct placing {
	struct placement_request request; /* what it points to is the caller's */
	struct placement placement;	  /* owned */
};

/*
 * Once target and CPUs are known, which must outlive it. counting: nothing needs a ring, so that one event can go
 * with a task to every CPU.
 */
void placing_begin(struct placing *placing, const struct options *options,
		   const struct target *target, const struct cpulist *cpus, bool counting);
/*
 * Makes the places and has events opened there, again until no thread was started meanwhile: one that was has
 * inherited the events of the thread that started it, or not, which cannot be told. close undoes open. Says what
 * is wrong. 0 or -errno.
 */
int placing_open(struct placing *placing, int (*open)(void *context), void (*close)(void *context),
		 void *context);
void placing_end(struct placing *placing);

#endif
