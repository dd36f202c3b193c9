/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One frame step: a rule, this frame's registers and the stack's memory give the caller's registers.
 * A pure function without loops, compiled for BPF and for user space. Whoever includes it says first
 * how the target is read; both give 0, or anything else when there is nothing to be had:
 *
 *   UNWIND_READ(context, address, value)      8 bytes of the target's memory to *value
 *   UNWIND_REGISTER(context, number, value)   a general register of frame 0, in DWARF's numbering; or
 *                                             UNWIND_THREAD
 *   UNWIND_ADDRESS_MASK(context)              the bits of a return address that are no authentication code
 */
#ifndef TRACER_UNWIND_STEP_H
#define TRACER_UNWIND_STEP_H

#include "unwind.h"

#if !defined(UNWIND_READ) || !defined(UNWIND_REGISTER) || !defined(UNWIND_ADDRESS_MASK)
#error "define UNWIND_READ, UNWIND_REGISTER and UNWIND_ADDRESS_MASK first"
#endif

#define UNWIND_INLINE static inline __attribute__((always_inline, unused))

#define UNWIND_THREAD	   58 /* DWARF's number of x86-64's fs.base, which is of all frames */
#define UNWIND_RBX	   3  /* DWARF's number */
#define UNWIND_RBX_NOWHERE 1

/*
 * The address to look a frame's rule up at. A return address may be the next function's first, after
 * a call that never returns, hence the 1.
 */
UNWIND_INLINE __u64 unwind_lookup_ip(const struct unwind_frame *frame)
{
	return frame->exact ? frame->ip : frame->ip - 1;
}

/* From the stack pointer in a signal trampoline to the first of the saved general registers. */
#define UNWIND_X86_64_SIGNAL_REGISTERS 40  /* ucontext: flags, link, stack */
#define UNWIND_ARM64_SIGNAL_REGISTERS  312 /* siginfo, ucontext to sigmask, fault address */

/*
 * Byte offset of a register there. x86-64's order is r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp,
 * rip; DWARF's is rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8-r15. One nibble each, the first lowest.
 */
UNWIND_INLINE __u64 unwind_signal_slot(int machine, __u32 number)
{
	if (machine == UNWIND_ARM64)
		return 8ull * (number & 31);
	return 8 * ((0x76543210fa89becdull >> (4 * (number & 15))) & 15);
}

/*
 * General registers other than sp, fp and link are known where no call has been made since. rbx is
 * followed, but read only when it is asked for.
 */
UNWIND_INLINE int unwind_register(int machine, const struct unwind_frame *frame, __u32 number,
				  void *context, __u64 *value)
{
	int follow = machine == UNWIND_X86_64 && number == UNWIND_RBX && !frame->exact;

	if (follow && frame->rbx_at > UNWIND_RBX_NOWHERE)
		return UNWIND_READ(context, frame->rbx_at, value) ? UNWIND_FAULT : 0;
	if (!frame->exact && (!follow || frame->rbx_at))
		return UNWIND_LOST_REGISTER;
	/* interrupted, and not by a signal */
	if (!frame->signal && frame->rbx_at == UNWIND_RBX_NOWHERE)
		return UNWIND_LOST_REGISTER;
	if (frame->signal) {
		__u64 at = frame->signal + unwind_signal_slot(machine, number);

		return UNWIND_READ(context, at, value) ? UNWIND_FAULT : 0;
	}
	return UNWIND_REGISTER(context, number, value) ? UNWIND_LOST_REGISTER : 0;
}

/* What Go's runtime says that this thread runs. */
UNWIND_INLINE int unwind_find_running(const struct unwind_rule *rule, void *context, __u64 *running)
{
	__u64 at = 0;

	if (UNWIND_REGISTER(context, UNWIND_THREAD, &at))
		return UNWIND_LOST_REGISTER;
	if (UNWIND_READ(context, at + (__s64)rule->fp_offset, &at) ||
	    UNWIND_READ(context, at + (rule->extra & 255), &at) ||
	    UNWIND_READ(context, at + (__s64)rule->cfa_short, running))
		return UNWIND_FAULT;
	return 0;
}

/* Where a function left its caller's stack, as it will find it again itself: at the return address. */
UNWIND_INLINE int unwind_find_other_stack(const struct unwind_rule *rule,
					  const struct unwind_frame *frame, void *context,
					  __u64 *place)
{
	__u64 at = 0, depth = 0;
	int end;

	if (rule->cfa == UNWIND_CFA_THREAD) {
		end = unwind_find_running(rule, context, &at);
		if (end)
			return end;
		return UNWIND_READ(context, at + (rule->extra >> 8 & 255), place) ? UNWIND_FAULT :
										    0;
	}
	if (UNWIND_READ(context, frame->sp + (__s64)rule->fp_offset, &at) ||
	    UNWIND_READ(context, at + (__s64)rule->extra, &at) ||
	    UNWIND_READ(context, frame->sp + (__s64)rule->cfa_short, &depth))
		return UNWIND_FAULT;
	*place = at - depth;
	return 0;
}

/* Is the caller's frame on another stack? */
UNWIND_INLINE int unwind_changes_stacks(const struct unwind_rule *rule)
{
	return rule->cfa == UNWIND_CFA_THREAD || rule->cfa == UNWIND_CFA_OTHER_STACK;
}

UNWIND_INLINE int unwind_find_cfa(int machine, const struct unwind_rule *rule,
				  const struct unwind_frame *frame, void *context, __u64 *cfa)
{
	int by_fp = rule->cfa == UNWIND_CFA_FP || rule->cfa == UNWIND_CFA_FP_DEREF;
	__u64 base = by_fp ? frame->fp : frame->sp;
	__s64 offset = rule->cfa_short;
	int end;

	if (by_fp && frame->fp_lost)
		return UNWIND_LOST_REGISTER;
	if (rule->cfa == UNWIND_CFA_SP || rule->cfa == UNWIND_CFA_FP) {
		if (rule->fp_ra >> 4 != UNWIND_RA_OWN)
			offset = rule->cfa_offset;
	} else if (rule->cfa == UNWIND_CFA_SP_DEREF || rule->cfa == UNWIND_CFA_FP_DEREF) {
		if (UNWIND_READ(context, base + (__s64)rule->extra, &base))
			return UNWIND_FAULT;
	} else if (rule->cfa == UNWIND_CFA_PLT) {
		if (!frame->exact)
			return UNWIND_LOST_REGISTER;
		offset += (__s64)(frame->ip & 15) >= rule->extra ? 8 : 0;
	} else if (rule->cfa == UNWIND_CFA_REGISTER) {
		end = unwind_register(machine, frame, (__u32)rule->extra, context, &base);
		if (end)
			return end;
	} else if (unwind_changes_stacks(rule)) {
		end = unwind_find_other_stack(rule, frame, context, &base);
		if (end)
			return end;
		offset = 8;
	} else {
		return UNWIND_UNSUPPORTED;
	}
	*cfa = base + (__u64)offset;
	return 0;
}

/*
 * What the caller's frame pointer is by now. GCC's epilogue of a realigned function restores it while
 * its CFI still says *fp; but a frame pointer of this frame would lie in this frame.
 */
UNWIND_INLINE __u32 unwind_fp_kind(const struct unwind_rule *rule, const struct unwind_frame *frame,
				   __u64 cfa)
{
	__u32 kind = rule->fp_ra & 15;

	if (kind == UNWIND_FP_AT_FP &&
	    (frame->fp_lost || frame->fp < frame->sp || frame->fp >= cfa))
		return UNWIND_FP_SAME;
	return kind;
}

/* Where the caller's frame pointer is saved; 0 when it is nowhere. */
UNWIND_INLINE __u64 unwind_fp_place(const struct unwind_rule *rule, __u32 kind,
				    const struct unwind_frame *frame, __u64 cfa)
{
	if (kind == UNWIND_FP_AT_CFA)
		return cfa + (__s64)rule->fp_offset;
	if (kind == UNWIND_FP_AT_SP)
		return frame->sp + (__s64)rule->fp_offset;
	if (kind == UNWIND_FP_AT_FP)
		return frame->fp + (__s64)rule->fp_offset;
	return 0;
}

UNWIND_INLINE int unwind_find_return(int machine, const struct unwind_rule *rule,
				     const struct unwind_frame *frame, void *context, __u64 cfa,
				     __u64 fp_place, __u64 *ip)
{
	__u32 kind = rule->fp_ra >> 4;
	__u64 place;

	if (kind == UNWIND_RA_LINK) {
		*ip = frame->link;
		return frame->exact ? 0 : UNWIND_LOST_REGISTER;
	}
	if (kind == UNWIND_RA_REGISTER)
		return unwind_register(machine, frame, (__u32)rule->fp_offset, context, ip);
	if (kind == UNWIND_RA_BELOW_CFA || kind == UNWIND_RA_INTERRUPTED ||
	    kind == UNWIND_RA_LET_GO)
		place = cfa - 8;
	else if (kind == UNWIND_RA_ALONE)
		place = cfa + (__s64)rule->fp_offset;
	else if (kind == UNWIND_RA_AT_SP)
		place = frame->sp + (__s64)rule->fp_offset;
	else if (kind == UNWIND_RA_OWN)
		place = cfa + (__s64)rule->extra;
	else if (kind == UNWIND_RA_PAIRED && fp_place)
		place = fp_place + 8;
	else
		return UNWIND_LOST_REGISTER;
	return UNWIND_READ(context, place, ip) ? UNWIND_FAULT : 0;
}

/* The registers at the interruption, as the kernel left them in the signal frame. */
UNWIND_INLINE int unwind_signal_step(int machine, struct unwind_frame *frame, void *context)
{
	int arm64 = machine == UNWIND_ARM64;
	__u64 at = frame->sp +
		   (arm64 ? UNWIND_ARM64_SIGNAL_REGISTERS : UNWIND_X86_64_SIGNAL_REGISTERS);
	struct unwind_frame next = {};

	if (UNWIND_READ(context, at + 8 * (arm64 ? 32 : 16), &next.ip) ||
	    UNWIND_READ(context, at + 8 * (arm64 ? 31 : 15), &next.sp) ||
	    UNWIND_READ(context, at + 8 * (arm64 ? 29 : 10), &next.fp) ||
	    (arm64 && UNWIND_READ(context, at + 8 * 30, &next.link)))
		return UNWIND_FAULT;
	next.signal = at;
	next.rbx_at = arm64 ? 0 : at + unwind_signal_slot(machine, UNWIND_RBX);
	next.exact = 1;
	*frame = next;
	return frame->ip ? UNWIND_STEPPED : UNWIND_ZERO;
}

UNWIND_INLINE int unwind_call_step(int machine, const struct unwind_rule *rule,
				   struct unwind_frame *frame, void *context)
{
	__u64 cfa = 0, fp_place, ip = 0, fp = frame->fp;
	__u32 fp_lost = frame->fp_lost, kind;
	int end = unwind_find_cfa(machine, rule, frame, context, &cfa);

	if (end)
		return end;
	/*
	 * A call leaves something on the stack, but for the last one: its return address may be in a
	 * register. Only there can a frame have no size, so a walk cannot go round in circles; but between two
	 * stacks, where its bound ends it.
	 */
	if (!unwind_changes_stacks(rule) &&
	    (cfa < frame->sp || (cfa == frame->sp && !frame->exact)))
		return UNWIND_STUCK;
	kind = unwind_fp_kind(rule, frame, cfa);
	fp_place = unwind_fp_place(rule, kind, frame, cfa);
	end = unwind_find_return(machine, rule, frame, context, cfa, fp_place, &ip);
	if (end)
		return end;
	if (fp_place)
		fp_lost = UNWIND_READ(context, fp_place, &fp) != 0;
	else if (kind != UNWIND_FP_SAME)
		fp_lost = kind != UNWIND_FP_IS_CFA;
	if (kind == UNWIND_FP_IS_CFA)
		fp = cfa + (__s64)rule->fp_offset;
	ip &= UNWIND_ADDRESS_MASK(context);
	if (!ip)
		return UNWIND_ZERO;
	frame->ip = ip;
	frame->sp = cfa;
	if (rule->rbx == UNWIND_RBX_LOST)
		frame->rbx_at = UNWIND_RBX_NOWHERE;
	else if (rule->rbx != UNWIND_RBX_SAME)
		frame->rbx_at = cfa - 8 - 8 * (__u64)rule->rbx;
	frame->fp = fp;
	frame->link = 0;
	frame->signal = 0;
	frame->exact = rule->fp_ra >> 4 == UNWIND_RA_INTERRUPTED;
	frame->fp_lost = (__u16)fp_lost;
	frame->let_go |= rule->fp_ra >> 4 == UNWIND_RA_LET_GO;
	return UNWIND_STEPPED;
}

UNWIND_INLINE int unwind_running_step(const struct unwind_rule *rule, struct unwind_frame *frame,
				      void *context)
{
	__u64 at = 0, sp = 0, ip = 0;
	int end;

	if (frame->let_go)
		return UNWIND_OUTERMOST;
	end = unwind_find_running(rule, context, &at);
	if (end)
		return end;
	at += rule->extra >> 8 & 255;
	if (UNWIND_READ(context, at, &sp) || UNWIND_READ(context, at + 8, &ip))
		return UNWIND_FAULT;
	*frame = (struct unwind_frame){
		.ip = ip, .sp = sp, .rbx_at = UNWIND_RBX_NOWHERE, .fp_lost = 1
	};
	return ip ? UNWIND_STEPPED : UNWIND_ZERO;
}

/* Of a program that is in clone: is it the child? UNWIND_STEPPED for the parent, whose rule *rule becomes. */
UNWIND_INLINE int unwind_leave_clone(int machine, const struct unwind_frame *frame, void *context,
				     struct unwind_rule *rule)
{
	__u64 result = 0;
	int end = unwind_register(machine, frame, 0, context, &result);

	if (end)
		return end;
	*rule = (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_offset = 8 };
	return result ? UNWIND_STEPPED : UNWIND_OUTERMOST;
}

/*
 * Makes *frame its caller. UNWIND_STEPPED, or why there is none; *frame is unchanged then, but
 * after UNWIND_ZERO.
 */
UNWIND_INLINE int unwind_step(int machine, const struct unwind_rule *rule,
			      struct unwind_frame *frame, void *context)
{
	struct unwind_rule own = *rule;
	int end;

	if (rule->cfa == UNWIND_RULE_OUTERMOST)
		return UNWIND_OUTERMOST;
	if (rule->cfa == UNWIND_RULE_SIGNAL)
		return unwind_signal_step(machine, frame, context);
	if (rule->cfa == UNWIND_RULE_RUNNING)
		return unwind_running_step(rule, frame, context);
	if (rule->cfa == UNWIND_RULE_GAP)
		return UNWIND_GAP;
	if (rule->cfa == UNWIND_RULE_CLONE) {
		end = unwind_leave_clone(machine, frame, context, &own);
		if (end != UNWIND_STEPPED)
			return end;
	}
	return unwind_call_step(machine, &own, frame, context);
}

/*
 * Is the frame one that a frame pointer may be believed in? For code without a table only; a step
 * made so is a guess, and the rule for it is that of `push fp; mov sp to fp` at the function's start.
 */
UNWIND_INLINE int unwind_may_guess(const struct unwind_frame *frame)
{
	return !frame->fp_lost && !(frame->fp & 7) && frame->fp >= frame->sp;
}

UNWIND_INLINE struct unwind_rule unwind_guess_rule(int machine)
{
	int ra = machine == UNWIND_ARM64 ? UNWIND_RA_PAIRED : UNWIND_RA_BELOW_CFA;
	struct unwind_rule rule = {
		.cfa = UNWIND_CFA_FP,
		.rbx = UNWIND_RBX_LOST,
		.fp_ra = (__u8)(UNWIND_FP_AT_CFA | ra << 4),
		.fp_offset = -16,
		.cfa_offset = 16,
	};

	return rule;
}

#endif
