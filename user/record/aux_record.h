/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of a perf ring that are about its AUX area. */
#ifndef TRACER_AUX_RECORD_H
#define TRACER_AUX_RECORD_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "record.h"

/*
 * Decodes the body of PERF_RECORD_AUX (RECORD_AUX) or PERF_RECORD_ITRACE_START (RECORD_ITRACE_START: pid
 * and tid that the trace is of, and nothing else), whose last trailer bytes are what sample_id_all appended.
 * Pure; leaves what such a record does not say as it was. 0; -ENOMSG for another type; -EBADMSG when it is
 * too short.
 */
int aux_record_decode(const struct perf_event_header *header, size_t trailer,
		      struct record *record);

#endif
