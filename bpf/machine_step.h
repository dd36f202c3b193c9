/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One instruction of the machine (machine.h), as a pure function without loops, and the match of a string.
 * Compiled for BPF and for user space. Whoever includes it says first how the target is read; all give 0, or
 * anything else when there is nothing to be had:
 *
 *   MACHINE_READ(context, address, size, value)   size (1 to 8) bytes of the target's memory to *value
 *   MACHINE_READ_REGISTER(context, number, value) a general register, in DWARF's numbering
 *   MACHINE_READ_FIELD(context, field, value)     enum machine_field
 *   MACHINE_READ_CFA(context, value)
 *   MACHINE_READ_IP(context, value)
 *   MACHINE_READ_COMM(context)                    the task's name, 16 bytes, to the machine's text
 *
 * and two that give a number:
 *
 *   MACHINE_READ_TEXT(context, address, limit)    a string, at most limit bytes with its NUL, to the machine's
 *                                                 text: bytes with the NUL, not above 0 when it cannot be read
 *   MACHINE_TRY_MATCH(context)                    machine_match() of the machine's text and pattern
 */
#ifndef TRACER_MACHINE_STEP_H
#define TRACER_MACHINE_STEP_H

#include "machine.h"

#define MACHINE_INLINE static inline __attribute__((always_inline, unused))

#define MACHINE_ONES 0x0101010101010101ull
#define MACHINE_LOW7 0x7f7f7f7f7f7f7f7full
/* Moves the lowest bit of each byte into the uppermost byte, byte 0's to its lowest bit. */
#define MACHINE_BYTES 0x0102040810204080ull

/* Which of the text's bytes are that character: a bit each. */
MACHINE_INLINE __u64 machine_places(const __u64 *text, __u8 character)
{
	__u64 all = MACHINE_ONES * character, places = 0;

#pragma GCC unroll 8
	for (int i = 0; i < MACHINE_TEXT_BYTES / 8; i++) {
		__u64 differ = text[i] ^ all;
		/* the uppermost bit of each byte that is 0 */
		__u64 same = ~(((differ & MACHINE_LOW7) + MACHINE_LOW7) | differ | MACHINE_LOW7);

		places |= ((same >> 7) * MACHINE_BYTES >> 56) << (8 * i);
	}
	return places;
}

/*
 * Matches the machine's text against a pattern: 1, 0, or -1 when that hangs on what was cut off.
 *
 * The pattern is gone through once; bit i of `at` says that what there was of it matches the first i
 * characters of the text. So there is nothing to go back to, however many stars there are.
 */
MACHINE_INLINE int machine_match(const struct machine *m, const struct machine_text *pattern)
{
	__u64 within = ~0ull >>
		       (MACHINE_TEXT_BYTES - 1 - (m->text_length & (MACHINE_TEXT_BYTES - 1)));
	__u64 at = 1, starred = 0, last_is_star = 0;

	/* without branches, of which the verifier would go every way */
	for (__u32 i = 0; i < MACHINE_PATTERN_BYTES; i++) {
		__u64 any = -(pattern->any >> i & 1), one = -(pattern->one >> i & 1);
		__u64 next = at & (machine_places(m->text, (__u8)pattern->text[i]) | one);

		if (i >= pattern->length)
			break;
		starred |= any & at;
		last_is_star = any;
		/* of a star: from the lowest bit on, all */
		at = ((any & (at | -at)) | (~any & next << 1)) & within;
	}
	if (m->text_cut && last_is_star)
		return at ? 1 : starred ? -1 : 0;
	if (m->text_cut)
		return starred ? -1 : 0;
	return at >> (m->text_length & (MACHINE_TEXT_BYTES - 1)) & 1;
}

/* A string of the target: an array's, which may end without a NUL, or of a pointer. */
MACHINE_INLINE int machine_read_text(struct machine *m, __u32 array, __u64 address, void *context)
{
	__u32 limit = array && array < MACHINE_TEXT_BYTES ? array + 1 : MACHINE_TEXT_BYTES;
	long bytes = MACHINE_READ_TEXT(context, address, limit);

	if (bytes <= 0 || bytes > MACHINE_TEXT_BYTES)
		return -1;
	m->text_length = (__u32)bytes - 1;
	m->text_cut = bytes == MACHINE_TEXT_BYTES && array != MACHINE_TEXT_BYTES - 1;
	return 0;
}

MACHINE_INLINE int machine_read_comm(struct machine *m, void *context)
{
	__u64 ends;

	if (MACHINE_READ_COMM(context))
		return -1;
	/* 16 bytes, the last a NUL; so many that are not above the first NUL */
	ends = machine_places(m->text, 0) | 1ull << 15;
	ends &= -ends;
	m->text_length = 0;
#pragma GCC unroll 4
	for (__u32 bits = 8; bits; bits /= 2) {
		__u32 above = ends >> bits != 0 ? bits : 0;

		m->text_length += above;
		ends >>= above;
	}
	m->text_cut = 0;
	return 0;
}

/* What is above the 64 bits of a number. */
MACHINE_INLINE __u64 machine_upper(__u64 value, int is_signed)
{
	return is_signed ? (__u64)((__s64)value >> 63) : 0;
}

/* a + b or a - b, with 64 bits more than a value has. Not 0: it does not fit. */
MACHINE_INLINE int machine_sum(const struct machine_insn *insn, __u64 a, __u64 b, __u64 *sum)
{
	__u64 upper_a = machine_upper(a, insn->flags & MACHINE_LEFT_SIGNED);
	__u64 upper_b = machine_upper(b, insn->flags & MACHINE_RIGHT_SIGNED);
	__u64 upper;

	if (insn->op == MACHINE_ADD) {
		*sum = a + b;
		upper = upper_a + upper_b + (*sum < a);
	} else {
		*sum = a - b;
		upper = upper_a - upper_b - (a < b);
	}
	return upper != machine_upper(*sum, insn->flags & MACHINE_SIGNED);
}

MACHINE_INLINE __u64 machine_bits(__u64 value, __u64 from, __u32 count, int is_signed)
{
	__u64 unused = (64 - count) & 63;

	value = value >> (from & 63) << unused;
	return is_signed ? (__u64)((__s64)value >> unused) : value >> unused;
}

MACHINE_INLINE __u64 machine_compare(__u8 op, __u64 a, __u64 b)
{
	switch (op) {
	case MACHINE_EQUAL:
		return a == b;
	case MACHINE_LESS:
		return a < b;
	case MACHINE_LESS_SIGNED:
		return (__s64)a < (__s64)b;
	case MACHINE_EQUAL_MIXED:
		return (__s64)a >= 0 && a == b;
	case MACHINE_LESS_MIXED:
		return (__s64)a < 0 || a < b;
	default: /* MACHINE_LESS_MIXED_TOO */
		return (__s64)b >= 0 && a < b;
	}
}

/* What an operation without operands pushes. */
MACHINE_INLINE int machine_fetch(const struct machine_insn *insn, void *context, __u64 *value)
{
	int err = 0;

	*value = 0;
	switch (insn->op) {
	case MACHINE_REGISTER:
		err = MACHINE_READ_REGISTER(context, insn->size, value);
		break;
	case MACHINE_CFA:
		err = MACHINE_READ_CFA(context, value);
		break;
	case MACHINE_IP:
		err = MACHINE_READ_IP(context, value);
		break;
	case MACHINE_FIELD:
		return MACHINE_READ_FIELD(context, insn->size, value);
	}
	*value += insn->value;
	return err;
}

/* Does the string that is there match? The answer takes the place of the value at `place`. */
MACHINE_INLINE int machine_answer(struct machine *m, const struct machine_insn *insn, __u32 place,
				  void *context)
{
	int matches;

	m->pattern = (__u32)insn->value;
	matches = MACHINE_TRY_MATCH(context);
	if (matches != 0 && matches != 1)
		return MACHINE_FAULT;
	m->value[place & (MACHINE_VALUES - 1)] = (__u64)matches;
	return MACHINE_GOES_ON;
}

/* Operations that push what they find. */
MACHINE_INLINE int machine_push(struct machine *m, const struct machine_insn *insn, void *context)
{
	__u32 depth = m->depth;
	__u64 value;

	if (depth >= MACHINE_VALUES)
		return MACHINE_BROKEN;
	m->depth = depth + 1;
	if (insn->op == MACHINE_MATCH_COMM)
		return machine_read_comm(m, context) ? MACHINE_FAULT :
						       machine_answer(m, insn, depth, context);
	if (machine_fetch(insn, context, &value))
		return MACHINE_FAULT;
	m->value[depth & (MACHINE_VALUES - 1)] = value;
	return MACHINE_GOES_ON;
}

/* && and ||: what decides stays, and the rest is left out; what does not is taken off. */
MACHINE_INLINE int machine_branch(struct machine *m, const struct machine_insn *insn, __u64 value)
{
	__u64 truth = value != 0;

	if (truth != (insn->op == MACHINE_IF_TRUE)) {
		m->depth--;
		return MACHINE_GOES_ON;
	}
	if (insn->value < m->next || insn->value >= MACHINE_INSNS)
		return MACHINE_BROKEN;
	m->next = (__u32)insn->value;
	m->value[(m->depth - 1) & (MACHINE_VALUES - 1)] = truth;
	return MACHINE_GOES_ON;
}

/* Operations that put a value in the place of one. */
MACHINE_INLINE int machine_change(struct machine *m, const struct machine_insn *insn, void *context)
{
	__u32 place = (m->depth - 1) & (MACHINE_VALUES - 1);
	__u64 value;

	if (!m->depth)
		return MACHINE_BROKEN;
	value = m->value[place];
	switch (insn->op) {
	case MACHINE_IF_FALSE:
	case MACHINE_IF_TRUE:
		return machine_branch(m, insn, value);
	case MACHINE_MATCH:
		return machine_read_text(m, insn->size, value, context) ?
			       MACHINE_FAULT :
			       machine_answer(m, insn, place, context);
	case MACHINE_LOAD:
		if (!insn->size || insn->size > 8)
			return MACHINE_BROKEN;
		if (MACHINE_READ(context, value + insn->value, insn->size, &value))
			return MACHINE_FAULT;
		value = machine_bits(value, 0, 8 * insn->size, insn->flags & MACHINE_SIGNED);
		break;
	case MACHINE_BITS:
		value = machine_bits(value, insn->value, insn->size, insn->flags & MACHINE_SIGNED);
		break;
	case MACHINE_SHIFT:
		value <<= insn->value & 63;
		break;
	default: /* MACHINE_NOT, MACHINE_TRUTH */
		value = (value == 0) == (insn->op == MACHINE_NOT);
		break;
	}
	m->value[place] = value;
	return MACHINE_GOES_ON;
}

/* Operations that put a value in the place of two. */
MACHINE_INLINE int machine_combine(struct machine *m, const struct machine_insn *insn)
{
	__u32 place = (m->depth - 2) & (MACHINE_VALUES - 1);
	__u64 a, b;

	if (m->depth < 2)
		return MACHINE_BROKEN;
	a = m->value[place];
	b = m->value[(m->depth - 1) & (MACHINE_VALUES - 1)];
	if (insn->op == MACHINE_AND)
		a &= b;
	else if (insn->op >= MACHINE_EQUAL)
		a = machine_compare(insn->op, a, b);
	else if (machine_sum(insn, a, b, &a))
		return MACHINE_FAULT;
	m->value[place] = a;
	m->depth--;
	return MACHINE_GOES_ON;
}

MACHINE_INLINE void machine_begin(struct machine *m)
{
	m->next = 0;
	m->depth = 0;
}

/* Runs the next instruction: MACHINE_GOES_ON, or how the program ended. */
MACHINE_INLINE int machine_step(struct machine *m, const struct machine_program *program,
				void *context)
{
	const struct machine_insn *insn = &program->insns[m->next & (MACHINE_INSNS - 1)];
	__u8 op = insn->op;

	if (m->next >= MACHINE_INSNS)
		return MACHINE_BROKEN;
	m->next++;
	if (op == MACHINE_END)
		return m->depth != 1 ? MACHINE_BROKEN : m->value[0] ? MACHINE_TRUE : MACHINE_FALSE;
	if (op <= MACHINE_FIELD || op == MACHINE_MATCH_COMM)
		return machine_push(m, insn, context);
	if (op >= MACHINE_ADD && op <= MACHINE_LESS_MIXED_TOO)
		return machine_combine(m, insn);
	return op < MACHINE_OPS ? machine_change(m, insn, context) : MACHINE_BROKEN;
}

#endif
