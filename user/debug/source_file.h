/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The source files that DIEs refer to by number. */
#ifndef TRACER_DEBUG_SOURCE_FILE_H
#define TRACER_DEBUG_SOURCE_FILE_H

#include <elfutils/libdw.h>

/*
 * The file that the attribute (DW_AT_decl_file, DW_AT_call_file) names, also of the DIE that this one
 * completes; NULL when it names none. libdw's.
 */
const char *source_file(Dwarf_Die *die, unsigned int name);
/* The line likewise; 0 when it is not told. */
unsigned int source_line(Dwarf_Die *die, unsigned int name);

#endif
