/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What walking by frame pointers and by tables have in common. */
#ifndef TRACER_WALK_BPF_H
#define TRACER_WALK_BPF_H

#include "config.bpf.h"
#include "maps.bpf.h"
#include "regs.bpf.h"

/* Each works on the scratch slot of that number, and fills s->stack but for the record's header. */
extern int stack_walk_frame_pointers(__u32 slot);
extern int stack_walk_tables(__u32 slot);
/* Finds what a return probe has replaced at s->return_slot: s->return_address, 0 when it is not known. */
extern int stack_original_return(__u32 slot);

#define HASH_SEED  0x243f6a8885a308d3ull
#define HASH_PRIME 0x9e3779b97f4a7c15ull

static __always_inline __u64 hash_add(__u64 hash, __u64 value)
{
	hash = (hash ^ value) * HASH_PRIME;
	return hash ^ (hash >> 32);
}

/* 0 means "no stack", so no stack has the id 0. */
static __always_inline __u64 hash_finish(__u64 hash)
{
	return hash ? hash : 1;
}

static __always_inline __u32 generation_of(__u32 tgid)
{
	__u32 *generation = bpf_map_lookup_elem(&generations, &tgid);

	return generation ? *generation : 0;
}

/*
 * The same addresses are another stack in another address space. exec gives a new one (self_exec_id),
 * a library loaded or unloaded changes exec_vm at once, and every new executable mapping the generation.
 */
static __always_inline __u64 hash_address_space(__u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 hash = HASH_SEED;

	hash = hash_add(hash, tgid);
	hash = hash_add(hash, BPF_CORE_READ(task, self_exec_id));
	hash = hash_add(hash, BPF_CORE_READ(task, mm, exec_vm));
	return hash_add(hash, generation_of(tgid));
}

/* Where a return probe makes functions return to; 0 where none was ever pending in the process. */
static __always_inline __u64 return_trampoline(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);

	return area ? BPF_CORE_READ(area, vaddr) : 0;
}

/* The bits of a return address that are no authentication code. */
static __always_inline __u64 address_mask(void)
{
#if defined(__TARGET_ARCH_arm64)
	return config.address_mask;
#else
	return ~0ull;
#endif
}

/* The return address of a function that has not run its first instruction yet. */
static __always_inline int entry_caller(const struct user_regs *regs, __u64 *ret)
{
#if defined(__TARGET_ARCH_arm64)
	*ret = regs->lr & address_mask();
	return 0;
#else
	return (int)bpf_probe_read_user(ret, sizeof(*ret), (void *)regs->sp);
#endif
}

/* What a call puts on the stack. */
static __always_inline __u64 return_address_size(void)
{
#if defined(__TARGET_ARCH_arm64)
	return 0;
#else
	return 8;
#endif
}

/*
 * Where the kernel keeps a replaced return address in mind, told by the CFA of the function it is of:
 * x86-64 has the address of the return address, arm64 the stack pointer at the function's entry.
 */
static __always_inline __u64 return_slot_of(__u64 cfa)
{
	return cfa - return_address_size();
}

static __always_inline bool is_code_address(__u64 ip)
{
	return ip >= 4096 && ip < USER_ADDRESS_END;
}

/* Appends to s->stack; needs variables depth and hash. */
#define PUSH(value)                                                    \
	do {                                                           \
		__u64 pushed_ = (value);                               \
		s->stack.ip[depth & (TRACER_MAX_STACK - 1)] = pushed_; \
		hash = hash_add(hash, pushed_);                        \
		depth++;                                               \
	} while (0)

static __always_inline void stack_finish(struct scratch *s, __u64 hash, __u32 depth, __u32 end)
{
	s->stack.head.id = hash_finish(hash_add(hash, end));
	s->stack.head.tgid = s->event.tgid;
	s->stack.head.depth = (__u16)depth;
	s->stack.head.space = STACK_USER;
	s->stack.head.end = (__u8)end;
}

#endif
