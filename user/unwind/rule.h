/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A state of the CFI table, said in the eight bytes of a rule. */
#ifndef TRACER_RULE_H
#define TRACER_RULE_H

#include "cfi.h"

/* DWARF's numbers of the registers that a walk follows. */
struct unwind_registers {
	uint64_t fp, sp, ra;
	/* UINT64_MAX where there is none. */
	uint64_t pc; /* as expressions name it */
	uint64_t rbx;
};

const struct unwind_registers *unwind_registers(enum unwind_machine machine);
/*
 * UNWIND_RULE_UNSUPPORTED for what there is no room or no kind for. pushed: bytes above the CFA that are not the
 * caller's, see cfi_run_fde().
 */
struct unwind_rule rule_of_state(const struct cfi_cie *cie, const struct cfi_state *state,
				 int pushed);

#endif
