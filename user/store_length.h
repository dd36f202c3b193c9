/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the program on a breakpoint asks of user space (bpf/store.h): how long an instruction is. The bytes before it do
 * not tell, but from its function's beginning on it can be found.
 */
#ifndef TRACER_STORE_LENGTH_H
#define TRACER_STORE_LENGTH_H

#include <stdbool.h>

struct collector;
struct record;

/* Answers a record that asks. False: it is not known, or not yet. */
bool store_length_answer(struct collector *collector, const struct record *record);
/* Is the new value of an event known, which was not when it was recorded? */
bool store_length_tells(const struct collector *collector, const struct record *record);

#endif
