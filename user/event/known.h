/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events that the kernel has numbers for on every machine: hardware, software, caches. */
#ifndef TRACER_EVENT_KNOWN_H
#define TRACER_EVENT_KNOWN_H

#include "text.h"

struct known_event {
	const char *name, *alias; /* alias: NULL if there is none */
	uint32_t type;		  /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
};

extern const struct known_event known_events[];
extern const size_t known_event_count;

/* By its name or alias, or NULL. */
const struct known_event *known_event_find(struct span name);

/*
 * CACHE[-OPERATION][-RESULT], the last two in either order. 0 with a config of PERF_TYPE_HW_CACHE,
 * -ENOENT if it is no such name, -EINVAL if that cache has no such operation, with *why a constant phrase.
 */
int known_cache_find(struct span name, uint64_t *config, const char **why);

/* The cache events' usual names, one after the other from *index 0. False: no more. */
bool known_cache_next(size_t *index, char *name, size_t size);

#endif
