/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records into the form of perf: the reverse of record_from_perf_layout(). */
#ifndef TRACER_PERF_DATA_ENCODE_H
#define TRACER_PERF_DATA_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "../record/perf_layout.h"

/* Room for any record. */
#define PERF_ENCODE_MOST 65536

/*
 * Writes a record, aligned to 8, as an event of that layout would, with event_id where the layout has one.
 * RECORD_MMAP (as MMAP2, with the build id if it has one), COMM, FORK, EXIT, KSYMBOL, LOST, LOST_SAMPLES, AUX,
 * ITRACE_START and SAMPLE with the fields that struct record_sample has but registers, stack and counters. A call chain too
 * long for a record loses its end. Returns the size; -EINVAL for another kind, or a layout with more; -E2BIG
 * when a string or the raw bytes are too long.
 */
int perf_encode(const struct perf_layout *layout, uint64_t event_id, const struct record *record,
		void *buffer);

/*
 * A call chain with its marks, as record_sample has it: kernel, then user addresses, each leaf first. count
 * is at most both and 2. Returns how many there are in chain.
 */
size_t perf_encode_chain(uint64_t *chain, const uint64_t *kernel, size_t kernel_count,
			 const uint64_t *user, size_t user_count);

#endif
