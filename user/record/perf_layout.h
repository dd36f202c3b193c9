/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the records of a perf event are laid out, by what its attr asked for, and their decoding. */
#ifndef TRACER_PERF_LAYOUT_H
#define TRACER_PERF_LAYOUT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* The parts of struct perf_event_attr of the same names. */
struct perf_layout {
	uint64_t sample_type, read_format, branch_sample_type;
	uint64_t sample_regs_user, sample_regs_intr;
	bool sample_id_all;
};

void perf_layout_of(const struct perf_event_attr *attr, struct perf_layout *layout);

/* Bytes of the sample id that ends each record but samples; 0 without sample_id_all. */
size_t perf_layout_id_size(const struct perf_layout *layout);

/*
 * The id of the event that a record (not one of perf's own, from 64 on) is of, where it has one. False
 * without PERF_SAMPLE_ID and PERF_SAMPLE_IDENTIFIER, and when the record is too short.
 */
bool perf_layout_event_id(const struct perf_layout *layout, const struct perf_event_header *header,
			  uint64_t *id);

/*
 * Decodes a record of header->size bytes, aligned to 8. Pure; every length in it is checked. 0; -ENOMSG for
 * a type that does not concern us; -EBADMSG when it is malformed or not of that layout. The record
 * points into the bytes given. Its time is that of the sample id; without one, FORK, EXIT and THROTTLE
 * give their own.
 */
int record_from_perf_layout(const struct perf_layout *layout,
			    const struct perf_event_header *header, struct record *record);

#endif
