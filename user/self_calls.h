/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function to probe in ourselves, for --check. */
#ifndef TRACER_SELF_CALLS_H
#define TRACER_SELF_CALLS_H

#define SELF_ARGUMENT 0x7ace
#define SELF_RESULT   (SELF_ARGUMENT + 1)

/* Returns value + 1. Never inlined, never cloned: it must be found by this name. */
unsigned long self_call(unsigned long value);

#endif
