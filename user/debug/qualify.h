/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names with all their scopes, as the source would write them from outside. */
#ifndef TRACER_DEBUG_QUALIFY_H
#define TRACER_DEBUG_QUALIFY_H

#include <elfutils/libdw.h>

struct debug_info;

/*
 * "ns::T::f"; in C just the name; "(anonymous namespace)" is told. NULL when it has no name, or without
 * memory. The info's.
 */
const char *qualified_name(struct debug_info *info, Dwarf_Die *die);
void qualified_free(struct debug_info *info);

#endif
