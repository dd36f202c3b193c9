/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known before an instruction, and how it goes on. */
#ifndef TRACER_FOLLOW_STATE_H
#define TRACER_FOLLOW_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "operation.h"

enum follow_fp {
	FP_CALLERS,  /* as the caller left it */
	FP_IS_FRAME, /* CFA - fp_below */
	FP_ANYTHING,
};

/* Distances are those below the CFA, in bytes. */
struct follow_state {
	bool reached;
	bool outermost;
	bool sp_known, ra_lost;
	uint8_t fp;	    /* enum follow_fp */
	int8_t ra_register; /* x86-64: the return address has been popped into it; or -1 */
	int32_t sp_below;
	int32_t fp_below;
	int32_t fp_saved; /* 0: nowhere */
	int32_t ra_saved; /* arm64; 0: in the link register, unless it is lost */
};

struct follow_state follow_entry(enum unwind_machine machine, bool outermost);
/* false when nothing is known after it. */
bool follow_step(enum unwind_machine machine, const struct operation *operation,
		 struct follow_state *state);
/* Makes *state what holds on both ways. Did it change? */
bool follow_merge(struct follow_state *state, const struct follow_state *other);
struct unwind_rule follow_rule(enum unwind_machine machine, const struct follow_state *state);

#endif
