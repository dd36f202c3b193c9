/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locations of DIEs. */
#ifndef TRACER_DEBUG_LOCATE_H
#define TRACER_DEBUG_LOCATE_H

#include <elfutils/libdw.h>

#include "location.h"

/*
 * Where the variable or parameter is when the program is at pc in function, whose own code it is (NULL:
 * of no function). 0 or -ENOMEM; what is not known is DEBUG_PLACE_UNKNOWN. The location is to be freed.
 */
int locate(Dwarf_Die *variable, Dwarf_Die *function, uint64_t pc, struct debug_location *location);

#endif
