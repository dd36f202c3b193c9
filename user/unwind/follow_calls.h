/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The second pass: which calls come back. */
#ifndef TRACER_FOLLOW_CALLS_H
#define TRACER_FOLLOW_CALLS_H

#include <stdbool.h>

#include "follow_nodes.h"

/* Finds out for every node whether its function returns from there. */
void follow_find_returns(struct followed *f);
/* Does what is called return? */
enum returning follow_call_returning(const struct followed *f, const struct node *call);
/* Is the call believed to come back? */
bool follow_comes_back(const struct followed *f, const struct node *call);

#endif
