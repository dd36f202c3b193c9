// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "follow_state.h"

/* More than any frame; keeps sums from running over. */
#define FAR (1 << 28)

struct follow_state follow_entry(enum unwind_machine machine, bool outermost)
{
	return (struct follow_state){
		.reached = true,
		.outermost = outermost,
		.sp_known = true,
		.ra_register = -1,
		.sp_below = machine == UNWIND_X86_64 ? 8 : 0,
	};
}

static void lose_fp(struct follow_state *state)
{
	state->fp = FP_ANYTHING;
	state->fp_below = 0;
}

static void lose_sp(struct follow_state *state)
{
	state->sp_known = false;
	state->sp_below = 0;
}

static void move_sp(struct follow_state *state, int32_t by)
{
	if (!state->sp_known)
		return;
	state->sp_below -= by;
	if (state->sp_below > FAR || state->sp_below < -FAR)
		lose_sp(state);
}

static void sp_from_fp(struct follow_state *state, int32_t value)
{
	if (state->fp != FP_IS_FRAME) {
		lose_sp(state);
		return;
	}
	state->sp_known = true;
	state->sp_below = state->fp_below - value;
}

static void store(const struct operation *operation, struct follow_state *state)
{
	if (!state->sp_known)
		return;
	if (operation->effects & STORES_FP && state->fp == FP_CALLERS)
		state->fp_saved = state->sp_below - operation->fp_offset;
	if (operation->effects & STORES_RA && !state->ra_lost && !state->ra_saved)
		state->ra_saved = state->sp_below - operation->ra_offset;
}

static void load(const struct operation *operation, struct follow_state *state)
{
	if (operation->effects & LOADS_FP) {
		lose_fp(state);
		if (state->sp_known && state->fp_saved &&
		    state->fp_saved == state->sp_below - operation->fp_offset) {
			state->fp = FP_CALLERS;
			state->fp_saved = 0;
		}
	}
	if (operation->effects & LOADS_RA) {
		state->ra_lost = !state->sp_known || !state->ra_saved ||
				 state->ra_saved != state->sp_below - operation->ra_offset;
		state->ra_saved = 0;
	}
}

static void change_fp(const struct operation *operation, struct follow_state *state)
{
	if (operation->effects & (FP_LOST | FP_FROM_SP))
		lose_fp(state);
	if (!(operation->effects & FP_FROM_SP) || !state->sp_known)
		return;
	state->fp = FP_IS_FRAME;
	state->fp_below = state->sp_below - operation->value;
}

/* What lies below the stack pointer is no longer anybody's. */
static void forget_below(struct follow_state *state)
{
	if (!state->sp_known)
		return;
	if (state->fp_saved > state->sp_below)
		state->fp_saved = 0;
	if (state->ra_saved > state->sp_below) {
		state->ra_saved = 0;
		state->ra_lost = true;
	}
}

/* vfork keeps the return address in a register, since parent and child share the stack. */
static void move_ra(const struct operation *operation, struct follow_state *state)
{
	if (operation->popped >= 0 && state->sp_known && state->sp_below == 0)
		state->ra_register = operation->popped;
	else if (operation->pushed >= 0 && operation->pushed == state->ra_register)
		state->ra_register = -1;
}

bool follow_step(enum unwind_machine machine, const struct operation *operation,
		 struct follow_state *state)
{
	if (operation->effects & SP_FROM_FP)
		sp_from_fp(state, operation->value);
	if (operation->effects & SP_LOST)
		lose_sp(state);
	move_sp(state, operation->before);
	store(operation, state);
	load(operation, state);
	/* The link register may be written once it has been saved. */
	if (operation->effects & RA_LOST)
		state->ra_lost = true;
	change_fp(operation, state);
	move_sp(state, operation->after);
	if (machine == UNWIND_X86_64)
		move_ra(operation, state);
	forget_below(state);
	return state->sp_known || state->fp == FP_IS_FRAME || state->outermost;
}

static bool is_same(const struct follow_state *a, const struct follow_state *b)
{
	return a->reached == b->reached && a->outermost == b->outermost &&
	       a->sp_known == b->sp_known && a->ra_lost == b->ra_lost && a->fp == b->fp &&
	       a->ra_register == b->ra_register && a->sp_below == b->sp_below &&
	       a->fp_below == b->fp_below && a->fp_saved == b->fp_saved &&
	       a->ra_saved == b->ra_saved;
}

bool follow_merge(struct follow_state *state, const struct follow_state *other)
{
	struct follow_state before = *state;

	if (!state->reached) {
		*state = *other;
		return true;
	}
	if (state->sp_known && (!other->sp_known || state->sp_below != other->sp_below))
		lose_sp(state);
	if (state->fp != other->fp || state->fp_below != other->fp_below)
		lose_fp(state);
	if (state->fp_saved != other->fp_saved)
		state->fp_saved = 0;
	if (state->ra_saved != other->ra_saved || state->ra_lost != other->ra_lost ||
	    state->ra_register != other->ra_register) {
		state->ra_lost = true;
		state->ra_saved = 0;
		state->ra_register = -1;
	}
	if (state->outermost != other->outermost) {
		state->outermost = false;
		state->ra_lost = true;
	}
	return !is_same(&before, state);
}

/* The frame pointer's half of a rule; false when it leaves no room for a return address elsewhere. */
static void set_fp(const struct follow_state *state, struct unwind_rule *rule)
{
	if (state->fp == FP_CALLERS) {
		rule->fp_ra = UNWIND_FP_SAME;
	} else if (state->fp_saved && state->fp_saved <= INT16_MAX) {
		rule->fp_ra = UNWIND_FP_AT_CFA;
		rule->fp_offset = (int16_t)-state->fp_saved;
	} else {
		rule->fp_ra = UNWIND_FP_LOST;
	}
}

static bool set_saved_ra(const struct follow_state *state, struct unwind_rule *rule)
{
	enum unwind_ra kind = UNWIND_RA_ALONE;

	if (state->ra_saved > INT16_MAX || rule->cfa_offset > INT16_MAX)
		return false;
	if (rule->fp_ra == UNWIND_FP_AT_CFA) {
		kind = state->ra_saved == state->fp_saved - 8 ? UNWIND_RA_PAIRED : UNWIND_RA_OWN;
	} else {
		rule->fp_offset = (int16_t)-state->ra_saved;
	}
	if (kind == UNWIND_RA_OWN) {
		rule->cfa_short = (int16_t)rule->cfa_offset;
		rule->extra = (int16_t)-state->ra_saved;
	}
	rule->fp_ra = (uint8_t)(rule->fp_ra | kind << 4);
	return true;
}

static bool set_ra(enum unwind_machine machine, const struct follow_state *state,
		   struct unwind_rule *rule)
{
	if (machine == UNWIND_ARM64 && state->ra_saved)
		return set_saved_ra(state, rule);
	if (state->ra_lost)
		return false;
	if (machine == UNWIND_ARM64) {
		rule->fp_ra |= UNWIND_RA_LINK << 4;
	} else if (state->ra_register >= 0) {
		if (rule->fp_ra == UNWIND_FP_AT_CFA)
			return false;
		rule->fp_offset = (int16_t)(unsigned char)state->ra_register;
		rule->fp_ra |= UNWIND_RA_REGISTER << 4;
	}
	return true;
}

struct unwind_rule follow_rule(enum unwind_machine machine, const struct follow_state *state)
{
	static const struct unwind_rule gap = { .cfa = UNWIND_RULE_GAP };
	int32_t least = machine == UNWIND_X86_64 && state->ra_register < 0 ? 8 : 0;
	struct unwind_rule rule = {};

	if (state->outermost)
		return (struct unwind_rule){ .cfa = UNWIND_RULE_OUTERMOST };
	if (state->sp_known && state->sp_below >= least) {
		rule.cfa = UNWIND_CFA_SP;
		rule.cfa_offset = state->sp_below;
	} else if (!state->sp_known && state->fp == FP_IS_FRAME) {
		rule.cfa = UNWIND_CFA_FP;
		rule.cfa_offset = state->fp_below;
	} else {
		return gap;
	}
	/* Nobody follows it here. */
	rule.rbx = machine == UNWIND_X86_64 ? UNWIND_RBX_LOST : UNWIND_RBX_SAME;
	set_fp(state, &rule);
	return set_ra(machine, state, &rule) ? rule : gap;
}
