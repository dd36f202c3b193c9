/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which FDE counts for an address. */
#ifndef TRACER_SETTLE_H
#define TRACER_SETTLE_H

#include <stddef.h>

struct code_range;
struct entries;

/*
 * Leaves FDEs sorted by address, disjoint and within the code. Those of a section with a lower number
 * count before others; of one section, the one that begins later does.
 */
void entries_settle(struct entries *entries, const struct code_range *code, size_t code_count);

#endif
