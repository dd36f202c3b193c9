/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Contradictions: functions that do not leave the stack as they found it. */
#ifndef TRACER_FOLLOW_JUDGE_H
#define TRACER_FOLLOW_JUDGE_H

#include <stdbool.h>

struct followed;

/* Marks nodes as wrong and right. */
void follow_judge(struct followed *f);
/*
 * A call that may come back is believed to when what follows it leaves the function as it should. Was
 * one not?
 */
bool follow_doubt_calls(struct followed *f);

#endif
