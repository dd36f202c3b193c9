/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The first pass: where functions begin, and what can be reached from there. */
#ifndef TRACER_FOLLOW_FUNCTIONS_H
#define TRACER_FOLLOW_FUNCTIONS_H

struct entries;
struct followed;

/* Decodes all that can be reached. 0 or -ENOMEM. */
int follow_find_functions(struct followed *f, const struct entries *entries);

#endif
