/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting for writers in the kernel that began before a ring was paused, or exchanged for another. */
#ifndef TRACER_GRACE_H
#define TRACER_GRACE_H

/* Returns when all of them are through: milliseconds later. */
void ring_grace(void);

#endif
