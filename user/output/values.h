/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Captured values of an event, as text and as JSON. */
#ifndef TRACER_OUTPUT_VALUES_H
#define TRACER_OUTPUT_VALUES_H

#include <stdio.h>

#include "../value/leaves.h"

/* "fd=3, path=\"/etc\", p.x=1": with what is no value in angle brackets. */
void values_print_text(FILE *stream, const struct leaves *values);
/* The value alone. */
void value_print_text(FILE *stream, const struct leaf *leaf);
/*
 * ,"values":{PATH:VALUE,...} with null for what has none; then, if there are any, ,"missing":{PATH:WHY,...} and
 * ,"cut":{PATH:"goes on",...} for strings of which more was there.
 */
void values_print_json(FILE *stream, const struct leaves *values);

#endif
