/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a watched variable held and holds, in its own type. */
#ifndef TRACER_WATCHED_VALUES_H
#define TRACER_WATCHED_VALUES_H

#include "output/output.h"

/*
 * Appends rows "old" and "new", as far as they are known; of a pointer to code "old.symbol" and "new.symbol", too.
 */
void watched_values_render(const struct event *event, struct tasks *tasks,
			   struct symbolizer *symbolizer, struct leaves *leaves);

#endif
