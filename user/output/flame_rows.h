/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From counted rows to a flame tree: which frames a row has, root first, and what they are called. */
#ifndef TRACER_FLAME_ROWS_H
#define TRACER_FLAME_ROWS_H

#include "flame_tree.h"
#include "output.h"

/* One of base/escape.h, applied to every name. */
typedef char *flame_escape(char *dst, size_t size, const char *src);

/*
 * Adds all rows to tree. Weights are events, or ns with config.by_time; rows without weight (events
 * that took no time, by time) are left out. 0 or -ENOMEM.
 */
int flame_tree_add_rows(struct flame_tree *tree, const struct output *output, struct counts *counts,
			flame_escape *escape);

#endif
