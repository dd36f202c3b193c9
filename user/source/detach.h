/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_DETACH_H
#define TRACER_DETACH_H

#include "source.h"

/* Detaches all sources. When it returns, no event of any of them comes any more. */
void detach_sources(struct source *sources, size_t count);

#endif
