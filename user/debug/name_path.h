/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of several parts: "ns::T<a::b>::f" is ns, T<a::b>, f. */
#ifndef TRACER_DEBUG_NAME_PATH_H
#define TRACER_DEBUG_NAME_PATH_H

#include <stdbool.h>
#include <stddef.h>

struct name_part {
	const char *text; /* not terminated */
	size_t length;
};

/* Takes the last part off the name, of which *length is left; false when nothing is left. */
bool name_path_pop(const char *name, size_t *length, struct name_part *part);
/* How much of a part is there without template arguments: 1 of "T<int>", all of "operator<". */
size_t name_path_plain_length(const char *text, size_t length);
/* Does the wanted part mean what is called name? It may leave template arguments out. */
bool name_path_part_is(const struct name_part *wanted, const char *name);

#endif
