/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User registers: from the program's context when that is user mode, else from where the kernel saved
 * them when the task entered it. The one file that knows register layouts.
 */
#ifndef TRACER_REGS_BPF_H
#define TRACER_REGS_BPF_H

#include "compat.bpf.h"
#include "config.bpf.h"
#include "maps.bpf.h"

#define PF_KTHREAD 0x00200000

#if defined(__TARGET_ARCH_x86)

typedef struct pt_regs arch_regs;
#define USER_CS32 0x23
/* From the stack pointer at a function's first instruction to its CFA. */
#define ENTRY_CFA 8
/* DWARF's number of the register that a function's return value is in */
#define RETURN_REGISTER	 0
#define USER_ADDRESS_END 0x00fffffffffff000ull /* five-level page tables reach 2^56 */

static __always_inline bool regs_are_user(const arch_regs *regs)
{
	return (regs->cs & 3) == 3;
}

static __always_inline bool regs_are_32bit(const arch_regs *regs)
{
	return (regs->cs & 0xffff) == USER_CS32;
}

static __always_inline void regs_copy(struct user_regs *to, const arch_regs *from)
{
	to->ip = from->rip;
	to->sp = from->rsp;
	to->fp = from->rbp;
	to->lr = 0;
	to->general[0] = from->rax;
	to->general[1] = from->rdx;
	to->general[2] = from->rcx;
	to->general[3] = from->rbx;
	to->general[4] = from->rsi;
	to->general[5] = from->rdi;
	to->general[6] = from->rbp;
	to->general[7] = from->rsp;
	to->general[8] = from->r8;
	to->general[9] = from->r9;
	to->general[10] = from->r10;
	to->general[11] = from->r11;
	to->general[12] = from->r12;
	to->general[13] = from->r13;
	to->general[14] = from->r14;
	to->general[15] = from->r15;
}

static __always_inline void regs_arguments(__u64 *arg, const arch_regs *regs)
{
	arg[0] = regs->rdi;
	arg[1] = regs->rsi;
	arg[2] = regs->rdx;
	arg[3] = regs->rcx;
	arg[4] = regs->r8;
	arg[5] = regs->r9;
}

static __always_inline __u64 regs_sp(const arch_regs *regs)
{
	return regs->rsp;
}

static __always_inline __u64 regs_ip(const arch_regs *regs)
{
	return regs->rip;
}

static __always_inline __u64 regs_return_value(const arch_regs *regs)
{
	return regs->rax;
}

/* Arguments 4 and 5 of a system call, by which the learning program knows its own. */
static __always_inline bool regs_syscall_is(const arch_regs *regs, __u64 first, __u64 second)
{
	return regs->r10 == first && regs->r8 == second;
}

#elif defined(__TARGET_ARCH_arm64)

typedef struct user_pt_regs arch_regs;
#define ENTRY_CFA	 0
#define RETURN_REGISTER	 0
#define USER_ADDRESS_END 0x00fffffffffff000ull

static __always_inline bool regs_are_user(const arch_regs *regs)
{
	return (regs->pstate & PSR_MODE_MASK) == 0;
}

static __always_inline bool regs_are_32bit(const arch_regs *regs)
{
	return regs->pstate & PSR_MODE32_BIT;
}

static __always_inline void regs_copy(struct user_regs *to, const arch_regs *from)
{
	to->ip = from->pc;
	to->sp = from->sp;
	to->fp = from->regs[29];
	to->lr = from->regs[30];
	/* a context may only be read at places that are written in the instruction */
#pragma clang loop unroll(full)
	for (int i = 0; i < 31; i++)
		to->general[i] = from->regs[i];
}

static __always_inline void regs_arguments(__u64 *arg, const arch_regs *regs)
{
	for (int i = 0; i < TRACER_ARGS; i++)
		arg[i] = regs->regs[i];
}

static __always_inline __u64 regs_sp(const arch_regs *regs)
{
	return regs->sp;
}

static __always_inline __u64 regs_ip(const arch_regs *regs)
{
	return regs->pc;
}

static __always_inline __u64 regs_return_value(const arch_regs *regs)
{
	return regs->regs[0];
}

/* Arguments 4 and 5 of a system call, by which the learning program knows its own. */
static __always_inline bool regs_syscall_is(const arch_regs *regs, __u64 first, __u64 second)
{
	return regs->regs[3] == first && regs->regs[4] == second;
}

#else
#error "no register layout for this architecture"
#endif

/* How the registers were found; everything but REGS_OK means: no stack. */
enum regs_result {
	REGS_OK,
	REGS_NO_STACK, /* has no user stack: a kernel thread, or a program on its way out or in */
	REGS_32BIT,
	REGS_UNKNOWN,
};

static __always_inline int regs_take(struct user_regs *to, const arch_regs *from)
{
	regs_copy(to, from);
	return regs_are_32bit(from) ? REGS_32BIT : REGS_OK;
}

/*
 * Exit gives the memory up before the task has ended, and exec has a new one long before there is anything
 * to run in it: where its code is is noted last. The registers are still those of before.
 */
static __always_inline bool has_user_memory(struct task_struct *task)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	return mm && BPF_CORE_READ(mm, end_code);
}

/*
 * Between the time that exec notes where the new code is and sets the registers for it, they are still those of
 * the program before, whose stack is gone.
 */
static __always_inline bool stack_is_there(bool in_execve, const arch_regs *regs)
{
	__u64 value;

	return !in_execve || !bpf_probe_read_user(&value, sizeof(value), (void *)regs_sp(regs));
}

/* The saved user registers of the current task, which is inside the kernel, to s->regs. */
static __always_inline int regs_of_current(struct scratch *s)
{
	/* not on our own stack, which is short where programs call each other */
	arch_regs *copy = (arch_regs *)s->saved_regs;
	bool in_execve = false;
	void *saved;

	_Static_assert(sizeof(*copy) <= sizeof(s->saved_regs), "saved_regs");
	if (have_task_pt_regs()) {
		struct task_struct *task = bpf_get_current_task_btf();

		if (task->flags & PF_KTHREAD || !has_user_memory(task))
			return REGS_NO_STACK;
		if (bpf_core_field_exists(task->in_execve))
			in_execve = BPF_CORE_READ_BITFIELD(task, in_execve);
		saved = (void *)bpf_task_pt_regs(task);
	} else {
		struct task_struct *task = (void *)bpf_get_current_task();

		if (BPF_CORE_READ(task, flags) & PF_KTHREAD || !has_user_memory(task))
			return REGS_NO_STACK;
		if (!user_regs_offset)
			return REGS_UNKNOWN;
		if (bpf_core_field_exists(task->in_execve))
			in_execve = BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
		saved = (char *)BPF_CORE_READ(task, stack) + user_regs_offset;
	}
	if (bpf_probe_read_kernel(copy, sizeof(*copy), saved) || !regs_are_user(copy))
		return REGS_UNKNOWN;
	if (!stack_is_there(in_execve, copy))
		return REGS_NO_STACK;
	return regs_take(&s->regs, copy);
}

#endif
