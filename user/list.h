/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_LIST_H
#define TRACER_LIST_H

#include "options.h"

/* --list functions|variables|usdt BIN [PATTERN]: one a line on stdout. The exit status. */
int list_run(const struct options *options);

#endif
