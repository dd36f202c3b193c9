/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_FROM_BPF_H
#define TRACER_FROM_BPF_H

#include <stddef.h>

#include "record.h"

/*
 * Decodes what a BPF program emitted. Pure. 0, or -EBADMSG when it is not a record of ours (unknown
 * kind, wrong size). The record points into data.
 */
int record_from_bpf(const void *data, size_t size, struct record *record);

#endif
