/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef WORKLOADS_TRACED_H
#define WORKLOADS_TRACED_H

/*
 * Calls traced_function(i, 2 * i, 3, 4, 5, 6), then returns_value(i), for i = 1 .. calls, with a sleep of
 * pause_us after each round (0: none). calls 0: for ever. Returns the sum of what returns_value gave.
 */
unsigned long caller_function(unsigned long calls, unsigned long pause_us);
/* Does nothing that can be seen. */
void traced_function(unsigned long a, unsigned long b, unsigned long c, unsigned long d,
		     unsigned long e, unsigned long f);
/* 2 * i + 1 */
unsigned long returns_value(unsigned long i);

#endif
