/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is asked and recorded at a probe; see plan.h. */
#ifndef TRACER_CAPTURE_BPF_H
#define TRACER_CAPTURE_BPF_H

#include "machine.bpf.h"

/*
 * capture.bpf.c: puts the values that plan s->plan wants into s->captured of the scratch slot of that number. They
 * may ask for what the slot has of the event, as predicates do.
 */
extern int capture_values(__u32 slot);

/* The plan of that number; NULL: none. */
static __always_inline const struct plan *plan_of(__u32 number)
{
	__u32 index = number - PLAN_FIRST;

	if (!config.has_plans || number < PLAN_FIRST)
		return NULL;
	return bpf_map_lookup_elem(&plans, &index);
}

static __always_inline bool plan_asks(const struct plan *plan)
{
	return config.predicates && plan && plan->predicate;
}

/* Is the event that has begun wanted after all? If not it is forgotten, and its scratch slot free. */
static __always_inline bool event_passes(struct scratch *s, const struct plan *plan)
{
	if (!plan_asks(plan) || event_meets(s, plan->predicate - 1))
		return true;
	stat_add(STAT_SEEN, -1ull);
	scratch_release(s);
	return false;
}

/* Records the values that the plan of that number wants. What is counted has no place for them. */
static __always_inline void event_capture(struct scratch *s, const struct plan *plan, __u32 number)
{
	if (!config.captures || config.aggregate || !plan || !plan->has_values)
		return;
	s->plan = number - PLAN_FIRST;
	capture_values(s->slot);
}

#endif
