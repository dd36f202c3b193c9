/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Call frame instructions: what a CIE and an FDE say, run to the state at each address, and that
 * state said as a rule. Only the registers that a walk needs are followed.
 */
#ifndef TRACER_CFI_H
#define TRACER_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "../../bpf/unwind.h"
#include "../object/reader.h"

/* How a register of the caller is found. */
enum saved_kind {
	SAVED_UNSPECIFIED,
	SAVED_UNDEFINED,
	SAVED_SAME,
	SAVED_AT_CFA,	     /* *(CFA + value) */
	SAVED_IS_CFA,	     /* CFA + value */
	SAVED_IN_REGISTER,   /* value */
	SAVED_AT_EXPRESSION, /* *expression */
	SAVED_IS_EXPRESSION,
};

struct saved {
	enum saved_kind kind;
	int64_t value;
	struct reader expression;
};

/* One row of the CFI table, as far as we follow it. */
struct cfi_state {
	bool has_cfa;
	bool cfa_is_expression;
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct reader cfa_expression;
	struct saved fp;
	struct saved sp;
	struct saved ra;
	struct saved rbx; /* x86-64 */
};

struct cfi_cie {
	enum unwind_machine machine;
	uint64_t code_alignment;
	int64_t data_alignment;
	uint8_t pointer_encoding;
	bool sized_augmentation; /* 'z': FDEs say how long their augmentation data is */
	bool signal_frame;	 /* 'S' */
	struct cfi_state initial;
};

/* Called for each row in order: from vaddr on, the rule holds. 0, or an error that ends the run. */
typedef int cfi_row_fn(void *data, uint64_t vaddr, const struct unwind_rule *rule);

/*
 * Runs a CIE's instructions, at section address vaddr, into cie->initial. 0 or -EBADMSG.
 */
int cfi_run_cie(struct cfi_cie *cie, struct reader instructions, uint64_t vaddr);
/*
 * Runs an FDE's instructions over [start, end). 0, -EBADMSG when they are malformed (rows may have
 * been given before), or what row returned.
 */
int cfi_run_fde(const struct cfi_cie *cie, struct reader instructions, uint64_t vaddr,
		uint64_t start, uint64_t end, cfi_row_fn *row, void *data);

#endif
