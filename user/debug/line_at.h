/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The source line of an address. */
#ifndef TRACER_DEBUG_LINE_AT_H
#define TRACER_DEBUG_LINE_AT_H

#include <stdint.h>

struct debug_info;

/* Of the instruction that covers vaddr; the file as the line table has it, the info's. 0, -ENOENT or -ENOMEM. */
int debug_line_at(struct debug_info *info, uint64_t vaddr, const char **file, unsigned int *line);

#endif
