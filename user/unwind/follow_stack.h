/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The third pass: what is known about the stack before each instruction. */
#ifndef TRACER_FOLLOW_STACK_H
#define TRACER_FOLLOW_STACK_H

#include <stdbool.h>

struct followed;
struct node;

/* What the start code jumps to, and nobody calls, is outermost as it is. */
void follow_find_start(struct followed *f);
/* Follows the stack from where functions are entered. 0 or -ENOMEM. */
int follow_stack(struct followed *f);
/* Is what follows the instruction another function, which is not run into? */
bool follow_ends_function(const struct followed *f, const struct node *node);

#endif
