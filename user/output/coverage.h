/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* On how much of the target breakpoints are, in words and for programs. */
#ifndef TRACER_COVERAGE_H
#define TRACER_COVERAGE_H

#include <stddef.h>
#include <stdio.h>

#include "../record/source_info.h"

/* Calls for each breakpoint: of its parts, which are sources of their own, for the first. */
void coverage_each(const struct source_info *const *sources, size_t count,
		   void (*callback)(void *context, const struct source_info *breakpoint),
		   void *context);
/* "app:counter: 4 of 5 threads watched (1 without a free debug register)"; no newline */
void coverage_print(FILE *stream, const struct source_info *breakpoint);
/* ,"breakpoints":[...]; nothing where there are none */
void coverage_print_json(FILE *stream, const struct source_info *const *sources, size_t count);

#endif
