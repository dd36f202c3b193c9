/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRACER_CHECK_H
#define TRACER_CHECK_H

#include "options.h"

/*
 * --check: a row for each facility, tried for real on something known, with the remedy where it does not
 * work. The exit status: 0 when recording works here at all, else 1.
 */
int check_run(const struct options *options);

#endif
