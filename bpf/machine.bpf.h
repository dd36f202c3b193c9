/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that ask for something of an event; see machine.h. */
#ifndef TRACER_MACHINE_BPF_H
#define TRACER_MACHINE_BPF_H

#include "emit.bpf.h"
#include "maps.bpf.h"

/*
 * machine.bpf.c: runs program s->machine.program of the scratch slot of that number: enum machine_end. It may ask
 * for what the slot has of the event, which is there then: s->regs, s->at_entry, and the fields of its kind.
 */
extern int machine_run(__u32 slot);

/* Does the event meet the predicate of that number? One that cannot be judged does not, and is counted. */
static __always_inline bool event_meets(struct scratch *s, __u32 program)
{
	int end;

	s->machine.program = program;
	end = machine_run(s->slot);
	if (end != MACHINE_TRUE && end != MACHINE_FALSE)
		stat_add(STAT_UNJUDGED, 1);
	return end == MACHINE_TRUE;
}

#endif
