/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plans of a probe's sites. */
#ifndef TRACER_PROBE_PLANS_H
#define TRACER_PROBE_PLANS_H

#include <stdint.h>

#include "source.h"

struct probe_sites;

/*
 * numbers[sites->count] gets the plan of each site, as the kernel's tables have it. Says what is wrong with an
 * expression. 0 or -errno.
 */
int probe_plans_make(const struct source *source, struct source_context *context,
		     struct probe_sites *sites, uint32_t *numbers);

#endif
