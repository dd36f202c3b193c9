/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF expressions in CFI, understood rather than computed: a small stack machine runs them on
 * symbols, and names the few shapes of result that a rule can say.
 */
#ifndef TRACER_EXPRESSION_H
#define TRACER_EXPRESSION_H

#include <stdint.h>

#include "../object/reader.h"

enum term_kind {
	TERM_CONSTANT, /* offset */
	TERM_REGISTER, /* reg + offset */
	TERM_CFA,      /* CFA + offset: what the rule of a register begins with */
	TERM_DEREF,    /* *(reg + inner) + offset */
	/* What PLT entries need, step by step; reg is the pc's number, inner their constant. */
	TERM_PC_LOW,	 /* pc & 15 */
	TERM_PC_REACHED, /* (pc & 15) >= inner: 1 or 0 */
	TERM_PC_EIGHT,	 /* the same << 3 */
	TERM_PLT,	 /* reg + offset + TERM_PC_EIGHT */
};

struct term {
	enum term_kind kind;
	uint64_t reg;
	int64_t inner;
	int64_t offset;
};

/*
 * with_cfa: the CFA lies on the stack at the start, as it does for registers' rules. pc: the number
 * that stands for the pc (x86-64: 16), or none that exists. 0, -ENOTSUP when the result has no such
 * shape, -EBADMSG when the expression is malformed.
 */
int expression_understand(struct reader expression, bool with_cfa, uint64_t pc,
			  struct term *result);

#endif
