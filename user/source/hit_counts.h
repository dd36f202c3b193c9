/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters that each CPU has of hits of which nothing else is asked (bpf/alone.bpf.h). */
#ifndef TRACER_HIT_COUNTS_H
#define TRACER_HIT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "bpf_side.h"

/* Before loading: does this run use them? Otherwise they take no memory. */
bool hit_counts_used(const struct tracer_config *config);
/* A probe's program is about to be put on so many more places, of which the first has that cookie. */
void hit_counts_note_places(struct bpf_side *side, uint64_t cookie, size_t count);
/* Adds up all of them. 0 or -errno. */
int hit_counts_sum(const struct bpf_side *side, uint64_t *sum);
/* As bpf_side_each_count(): a key may come several times, from several CPUs. */
int hit_counts_each(const struct bpf_side *side, bpf_count_fn callback, void *context);

#endif
