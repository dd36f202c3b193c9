/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tells where and when a record is from: the fields that samples and sample ids share. */
#ifndef TRACER_PERF_IDENTITY_H
#define TRACER_PERF_IDENTITY_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "bytes.h"

struct perf_identity {
	uint32_t pid, tid, cpu;
	uint64_t time, id, identifier;
};

static inline void perf_identity_take_tid(struct bytes *bytes, uint64_t sample_type,
					  struct perf_identity *identity)
{
	identity->pid = identity->tid = UINT32_MAX;
	if (!(sample_type & PERF_SAMPLE_TID))
		return;
	identity->pid = bytes_take32(bytes);
	identity->tid = bytes_take32(bytes);
}

static inline void perf_identity_take_cpu(struct bytes *bytes, uint64_t sample_type,
					  struct perf_identity *identity)
{
	identity->cpu = UINT32_MAX;
	if (!(sample_type & PERF_SAMPLE_CPU))
		return;
	identity->cpu = bytes_take32(bytes);
	bytes_take32(bytes); /* reserved */
}

static inline uint64_t perf_identity_event(const struct perf_identity *identity)
{
	return identity->identifier ? identity->identifier : identity->id;
}

#endif
