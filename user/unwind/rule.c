// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Boils a CFI state down to a rule. What is not understood exactly becomes unsupported, never a guess. */
#include "rule.h"

#include "expression.h"

#define REGISTERS 32

static const struct unwind_registers registers[] = {
	[UNWIND_X86_64] = { .fp = 6, .sp = 7, .ra = 16, .pc = 16, .rbx = 3 },
	[UNWIND_ARM64] = { .fp = 29, .sp = 31, .ra = 30, .pc = UINT64_MAX, .rbx = UINT64_MAX },
};

const struct unwind_registers *unwind_registers(enum unwind_machine machine)
{
	return &registers[machine];
}

struct builder {
	int pushed; /* see rule_of_state() */
	enum unwind_machine machine;
	const struct unwind_registers *registers;
	struct unwind_rule rule;
	/* Where the frame pointer is saved, from the CFA, if that is how it was said. */
	bool fp_is_at_cfa;
	int64_t fp_at_cfa;
};

static const struct unwind_rule unsupported = { .cfa = UNWIND_RULE_UNSUPPORTED };

static bool fits_short(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

static bool set_short_cfa(struct builder *b, enum unwind_cfa kind, int64_t offset, int64_t extra)
{
	b->rule.cfa = kind & 15;
	b->rule.cfa_short = (int16_t)offset;
	b->rule.extra = (int16_t)extra;
	return fits_short(offset) && fits_short(extra);
}

static bool set_register_cfa(struct builder *b, uint64_t reg, int64_t offset)
{
	uint64_t general = b->machine == UNWIND_X86_64 ? 16 : 30;

	if (reg == b->registers->sp || reg == b->registers->fp) {
		b->rule.cfa = reg == b->registers->sp ? UNWIND_CFA_SP : UNWIND_CFA_FP;
		b->rule.cfa_offset = (int32_t)offset;
		return offset >= INT32_MIN && offset <= INT32_MAX;
	}
	return reg < general && set_short_cfa(b, UNWIND_CFA_REGISTER, offset, (int64_t)reg);
}

static bool set_deref_cfa(struct builder *b, const struct term *term)
{
	if (term->reg == b->registers->sp)
		return set_short_cfa(b, UNWIND_CFA_SP_DEREF, term->offset, term->inner);
	return term->reg == b->registers->fp &&
	       set_short_cfa(b, UNWIND_CFA_FP_DEREF, term->offset, term->inner);
}

static bool set_cfa(struct builder *b, const struct cfi_state *state)
{
	struct term term;

	if (!state->has_cfa)
		return false;
	if (!state->cfa_is_expression)
		return set_register_cfa(b, state->cfa_register, state->cfa_offset);
	if (expression_understand(state->cfa_expression, false, b->registers->pc, &term))
		return false;
	switch (term.kind) {
	case TERM_REGISTER:
		return set_register_cfa(b, term.reg, term.offset);
	case TERM_DEREF:
		return set_deref_cfa(b, &term);
	case TERM_PLT:
		return term.reg == b->registers->sp &&
		       set_short_cfa(b, UNWIND_CFA_PLT, term.offset, term.inner);
	default:
		return false;
	}
}

/*
 * Saved further below the CFA than a rule can say: in a large frame of arm64 it is at the lower end, near
 * the register that the CFA is told by.
 */
static enum unwind_fp fp_near_base(const struct builder *b, int64_t *offset)
{
	int64_t from_base = b->rule.cfa_offset + *offset;

	if ((b->rule.cfa != UNWIND_CFA_SP && b->rule.cfa != UNWIND_CFA_FP) ||
	    !fits_short(from_base))
		return UNWIND_FP_LOST;
	*offset = from_base;
	return b->rule.cfa == UNWIND_CFA_SP ? UNWIND_FP_AT_SP : UNWIND_FP_AT_FP;
}

/* The frame pointer may be lost: only a caller that needs it suffers then. */
static void set_fp(struct builder *b, const struct saved *fp)
{
	enum unwind_fp kind = UNWIND_FP_LOST;
	int64_t offset = fp->value;
	struct term term;

	if (fp->kind == SAVED_UNSPECIFIED || fp->kind == SAVED_SAME ||
	    (fp->kind == SAVED_IN_REGISTER && (uint64_t)offset == b->registers->fp)) {
		kind = UNWIND_FP_SAME;
		offset = 0;
	} else if (fp->kind == SAVED_AT_CFA) {
		kind = UNWIND_FP_AT_CFA;
		offset -= b->pushed;
	} else if (fp->kind == SAVED_IS_CFA) {
		kind = UNWIND_FP_IS_CFA;
		offset -= b->pushed;
	} else if ((fp->kind == SAVED_AT_EXPRESSION || fp->kind == SAVED_IS_EXPRESSION) &&
		   !expression_understand(fp->expression, true, b->registers->pc, &term)) {
		bool address = fp->kind == SAVED_AT_EXPRESSION;

		offset = term.offset;
		if (term.kind == TERM_CFA)
			kind = address ? UNWIND_FP_AT_CFA : UNWIND_FP_IS_CFA;
		else if (address && term.kind == TERM_REGISTER && term.reg == b->registers->fp)
			kind = UNWIND_FP_AT_FP;
		else if (address && term.kind == TERM_REGISTER && term.reg == b->registers->sp)
			kind = UNWIND_FP_AT_SP;
	}
	b->fp_is_at_cfa = kind == UNWIND_FP_AT_CFA;
	b->fp_at_cfa = offset;
	if (kind == UNWIND_FP_AT_CFA && !fits_short(offset))
		kind = fp_near_base(b, &offset);
	if (!fits_short(offset))
		kind = UNWIND_FP_LOST;
	b->rule.fp_offset = kind == UNWIND_FP_LOST ? 0 : (int16_t)offset;
	b->rule.fp_ra = (uint8_t)kind;
}

static void set_rbx(struct builder *b, const struct saved *rbx)
{
	int64_t at = rbx->value;
	uint64_t slot = -(uint64_t)at / 8 - 1;

	b->rule.rbx = UNWIND_RBX_LOST;
	if (rbx->kind == SAVED_UNSPECIFIED || rbx->kind == SAVED_SAME)
		b->rule.rbx = UNWIND_RBX_SAME;
	else if (rbx->kind == SAVED_AT_CFA && at <= -16 && at > -8 - 8 * UNWIND_RBX_LOST &&
		 at % 8 == 0)
		b->rule.rbx = slot & 15;
}

static bool set_ra_kind(struct builder *b, enum unwind_ra kind)
{
	b->rule.fp_ra = (uint8_t)(b->rule.fp_ra | kind << 4);
	return true;
}

/* In a large frame: told from its lower end. */
static bool set_ra_near_sp(struct builder *b, enum unwind_fp fp, int64_t offset)
{
	int64_t from_sp = b->rule.cfa_offset + offset;

	if (b->rule.cfa != UNWIND_CFA_SP || !fits_short(from_sp) ||
	    (fp != UNWIND_FP_SAME && fp != UNWIND_FP_LOST))
		return false;
	b->rule.fp_offset = (int16_t)from_sp;
	return set_ra_kind(b, UNWIND_RA_AT_SP);
}

/* The return address at CFA + offset, said in whichever way there is room for. */
static bool set_ra_at_cfa(struct builder *b, int64_t offset)
{
	enum unwind_fp fp = b->rule.fp_ra & 15;

	if (offset == -8)
		return set_ra_kind(b, UNWIND_RA_BELOW_CFA);
	if (fp != UNWIND_FP_LOST && b->fp_is_at_cfa && offset == b->fp_at_cfa + 8)
		return set_ra_kind(b, UNWIND_RA_PAIRED);
	if (!fits_short(offset))
		return set_ra_near_sp(b, fp, offset);
	if (fp == UNWIND_FP_SAME || fp == UNWIND_FP_LOST) {
		b->rule.fp_offset = (int16_t)offset;
		return set_ra_kind(b, UNWIND_RA_ALONE);
	}
	if (b->rule.cfa != UNWIND_CFA_SP && b->rule.cfa != UNWIND_CFA_FP)
		return false;
	return set_short_cfa(b, b->rule.cfa, b->rule.cfa_offset, offset) &&
	       set_ra_kind(b, UNWIND_RA_OWN);
}

static bool set_ra_register(struct builder *b, uint64_t reg)
{
	enum unwind_fp fp = b->rule.fp_ra & 15;

	if (b->machine == UNWIND_ARM64 && reg == b->registers->ra)
		return set_ra_kind(b, UNWIND_RA_LINK);
	if (reg >= REGISTERS || (b->machine == UNWIND_X86_64 && reg >= 16) ||
	    (fp != UNWIND_FP_SAME && fp != UNWIND_FP_LOST))
		return false;
	b->rule.fp_offset = (int16_t)reg;
	return set_ra_kind(b, UNWIND_RA_REGISTER);
}

static bool set_ra(struct builder *b, const struct saved *ra)
{
	struct term term;

	switch (ra->kind) {
	case SAVED_UNSPECIFIED:
	case SAVED_SAME:
		/* arm64: the return address is where the call left it. Elsewhere it is no register. */
		return b->machine == UNWIND_ARM64 && set_ra_kind(b, UNWIND_RA_LINK);
	case SAVED_AT_CFA:
		return set_ra_at_cfa(b, ra->value - b->pushed);
	case SAVED_IN_REGISTER:
		return set_ra_register(b, (uint64_t)ra->value);
	case SAVED_AT_EXPRESSION:
		return !expression_understand(ra->expression, true, b->registers->pc, &term) &&
		       term.kind == TERM_CFA && set_ra_at_cfa(b, term.offset);
	default:
		return false;
	}
}

/* By convention the caller's stack pointer is the CFA; a step knows no other. */
static bool sp_is_cfa(const struct saved *sp)
{
	return sp->kind == SAVED_UNSPECIFIED || (sp->kind == SAVED_IS_CFA && !sp->value);
}

/* The caller's stack pointer is above what was pushed; of another CFA than these that cannot be said. */
static bool raise_cfa(struct builder *b)
{
	if (!b->pushed)
		return true;
	b->rule.cfa_offset += b->pushed;
	return b->rule.cfa == UNWIND_CFA_SP || b->rule.cfa == UNWIND_CFA_FP;
}

struct unwind_rule rule_of_state(const struct cfi_cie *cie, const struct cfi_state *state,
				 int pushed)
{
	struct builder b = {
		.pushed = pushed,
		.machine = cie->machine,
		.registers = unwind_registers(cie->machine),
	};

	if (cie->signal_frame)
		return (struct unwind_rule){ .cfa = UNWIND_RULE_SIGNAL };
	if (state->ra.kind == SAVED_UNDEFINED)
		return (struct unwind_rule){ .cfa = UNWIND_RULE_OUTERMOST };
	if (!sp_is_cfa(&state->sp) || !set_cfa(&b, state) || !raise_cfa(&b))
		return unsupported;
	set_fp(&b, &state->fp);
	set_rbx(&b, &state->rbx);
	return set_ra(&b, &state->ra) ? b.rule : unsupported;
}
