// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A source that somebody else opens and closes: events of the perf engine, and of a recording made before. */
#include "source.h"

static void nothing(struct source *source)
{
	(void)source;
}

const struct source_ops source_passive = {
	.name = "event",
	.detach = nothing,
	.close = nothing,
};
