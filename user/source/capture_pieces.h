/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values that are no single number and not in one stretch of memory: structs in registers, and strings of Go and Rust,
 * which are an address and a length.
 */
#ifndef TRACER_CAPTURE_PIECES_H
#define TRACER_CAPTURE_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "capture_add.h"

struct program_scope;

/*
 * Parameter number index of the function at the place. 0, with what is to be captured; -ENOENT: it is nothing of that
 * kind, or is not where it could be read; -ENOMEM. Strings of up to so many characters.
 */
int capture_pieces(const struct program_scope *program, size_t index, uint32_t string,
		   struct capture_want *want);
/* What the function returns, when it has; also -ENODATA: not in general registers. */
int capture_result(const struct program_scope *program, struct capture_want *want);

#endif
