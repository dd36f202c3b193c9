// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --breakpoint: a hardware breakpoint or watchpoint was hit. */
#include "filter.bpf.h"
#include "capture.bpf.h"
#include "stack.bpf.h"

/* Reads a watched variable. Only 1, 2, 4 and 8 bytes exist; little-endian, so the rest stays 0. */
static __always_inline long read_variable(__u64 *value, __u32 length, __u64 address)
{
	void *from = (void *)address;

	*value = 0;
	if (address >= USER_ADDRESS_END) {
		switch (length) {
		case 1:
			return bpf_probe_read_kernel(value, 1, from);
		case 2:
			return bpf_probe_read_kernel(value, 2, from);
		case 4:
			return bpf_probe_read_kernel(value, 4, from);
		}
		return bpf_probe_read_kernel(value, 8, from);
	}
	switch (length) {
	case 1:
		return bpf_probe_read_user(value, 1, from);
	case 2:
		return bpf_probe_read_user(value, 2, from);
	case 4:
		return bpf_probe_read_user(value, 4, from);
	}
	return bpf_probe_read_user(value, 8, from);
}

#if defined(__TARGET_ARCH_arm64)

/* The access is made in user mode, so all its registers are where the kernel saves the task's. */
#define ACCESS_REGISTER(context, number, value) \
	bpf_probe_read_kernel(value, sizeof(*(value)), (const __u64 *)(context) + (number))
#include "access.h"

/*
 * The CPU traps before the access: the value read here is the old one, the new one is found out by what
 * the instruction does. Another thread may store in between.
 */
static __always_inline bool record_values(void *ctx, struct scratch *s, const arch_regs *regs,
					  __u64 address, const struct watch *watch)
{
	struct access_variable variable = { .address = address, .length = watch->length };
	__u32 instruction;
	void *saved;

	if (read_variable(&variable.value, watch->length, address))
		return true;
	s->breakpoint.old_value = variable.value;
	s->event.head.flags |= EVENT_OLD_KNOWN;
	if (!have_task_pt_regs() ||
	    bpf_probe_read_user(&instruction, sizeof(instruction), (void *)regs_ip(regs)))
		return true;
	saved = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	if (access_made(saved, &variable, instruction))
		return true;
	s->breakpoint.new_value = variable.value;
	s->event.head.flags |= EVENT_NEW_KNOWN;
	return true;
}

#else

/* x86-64 numbers them 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi; these are DWARF's numbers, 4 bits each. */
#define DWARF_NUMBERS 0xfedcba9854673120ull

static __always_inline __u64 store_register(const struct scratch *s, __u32 number)
{
	return s->regs.general[DWARF_NUMBERS >> (4 * (number & 15)) & 15];
}

#define STORE_REGISTER(context, number) store_register((const struct scratch *)(context), number)
#include "store.h"

/* A function of its own, so that the verifier goes through it once and not as often as it may run. */
__noinline int store_try_way(__u32 slot, __u32 at, __u32 way)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);

	if (s)
		store_try(&s->store, s, at, way);
	return 0;
}

/* What is looked for, and where: not 0 when the code cannot be read. */
static __always_inline int store_begin(struct scratch *s, const struct watch_key *place,
				       __u64 address, __u32 length)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 *size = bpf_map_lookup_elem(&store_lengths, place);
	struct store_search *search = &s->store;

	search->ip = place->addr;
	search->size = size ? *size : 0;
	search->address = address;
	search->length = length;
	search->memory = s->breakpoint.new_value;
	search->fs_base = BPF_CORE_READ(task, thread.fsbase);
	search->found = search->differs = search->prefixes = 0;
	return (int)bpf_probe_read_user(search->code, STORE_CODE,
					(void *)(search->ip - STORE_CODE));
}

/* Once; and again if that is lost. */
static __always_inline void ask_length(void *ctx, struct scratch *s, const struct watch_key *place)
{
	__u16 flags = s->event.head.flags;
	__u32 unknown = 0;

	if (bpf_map_update_elem(&store_lengths, place, &unknown, BPF_NOEXIST))
		return;
	s->event.head.flags |= EVENT_ASKS_LENGTH;
	s->event.head.size = sizeof(s->breakpoint);
	if (emit_now(ctx, &s->event, sizeof(s->breakpoint)))
		bpf_map_delete_elem(&store_lengths, place);
	s->event.head.flags = flags;
}

/*
 * Makes of what memory holds what this thread has stored, as another one may have been faster than we are. Not 0: it
 * may have been this or that.
 */
static __always_inline int correct_new_value(void *ctx, struct scratch *s, __u64 address,
					     __u32 length)
{
	struct watch_key place = { .addr = s->breakpoint.ip, .tgid = s->event.tgid };

	if (store_begin(s, &place, address, length))
		return 0;
	for (__u32 at = 0; at < STORE_CODE - 1; at++) {
		__u32 opcode = s->store.code[at] & 0xfe;

		if (opcode != 0x88 && opcode != 0xc6)
			continue;
		for (__u32 way = 0; way < STORE_WAYS; way++)
			store_try_way(s->slot, at, way);
	}
	if (s->store.found > 1)
		ask_length(ctx, s, &place);
	return store_answer(&s->store, &s->breakpoint.new_value);
}

/*
 * The CPU traps after the access: what is in memory is the new value, unless another thread has stored since; the old
 * one is what the last hit (or the attach, or fork) left there. False: the new one is this or that.
 */
static __always_inline bool record_values(void *ctx, struct scratch *s, const arch_regs *regs,
					  __u64 address, const struct watch *watch)
{
	struct watch_key key = { .addr = address };
	__u64 *last;

	/* kernel memory is one for all processes */
	key.tgid = address < USER_ADDRESS_END ? s->event.tgid : 0;
	last = bpf_map_lookup_elem(&watched_values, &key);
	if (last) {
		s->breakpoint.old_value = *last;
		s->event.head.flags |= EVENT_OLD_KNOWN;
	}
	if (read_variable(&s->breakpoint.new_value, watch->length, address))
		return true;
	if (last)
		*last = s->breakpoint.new_value;
	else
		bpf_map_update_elem(&watched_values, &key, &s->breakpoint.new_value, BPF_ANY);
	if (regs_are_user(regs) && !regs_are_32bit(regs) &&
	    correct_new_value(ctx, s, address, watch->length))
		return false;
	s->event.head.flags |= EVENT_NEW_KNOWN;
	return true;
}

#endif

#if defined(__TARGET_ARCH_x86)

/* Who may have written what is asked for is shown. User space, which is being asked, may know which it is. */
static __always_inline bool unsure_passes(struct scratch *s, const struct plan *plan)
{
	bool passes = !plan_asks(plan);

	s->event.head.flags |= EVENT_NEW_KNOWN;
	if (!passes)
		passes = event_meets(s, plan->predicate - 1);
	s->breakpoint.new_value = s->store.longest;
	s->breakpoint.store_length = s->store.longest_size;
	if (!passes)
		passes = event_meets(s, plan->predicate - 1);
	s->event.head.flags &= ~EVENT_NEW_KNOWN;
	if (passes)
		return true;
	stat_add(STAT_SEEN, -1ull);
	scratch_release(s);
	return false;
}

#else

static __always_inline bool unsure_passes(struct scratch *s, const struct plan *plan)
{
	return event_passes(s, plan); /* there is none */
}

#endif

static __always_inline int breakpoint_hit(struct bpf_perf_event_data *ctx, bool at_entry)
{
	const arch_regs *regs = (const arch_regs *)&ctx->regs;
	__u64 address = ctx->addr;
	const struct plan *plan;
	struct watch *watch;
	struct scratch *s;
	bool is_sure = true;

	watch = bpf_map_lookup_elem(&watches, &address);
	if (!watch)
		return 0;
	s = event_begin_current(REC_BREAKPOINT);
	if (!s)
		return 0;
	s->breakpoint.site = watch->index;
	s->breakpoint.ip = regs_ip(regs);
	s->breakpoint.old_value = 0;
	s->breakpoint.new_value = 0;
	s->breakpoint.store_length = 0;
	s->breakpoint.reserved = 0;
	regs_take(&s->regs, regs);
	if (watch->reads_value)
		is_sure = record_values(ctx, s, regs, address, watch);
	s->at_entry = at_entry;
	plan = plan_of(watch->plan);
	if (!(is_sure ? event_passes(s, plan) : unsure_passes(s, plan)))
		return 0;
	event_stacks(ctx, s, regs, at_entry);
	if (config.aggregate)
		s->event.head.flags &= ~(EVENT_OLD_KNOWN | EVENT_NEW_KNOWN);
	event_end(ctx, &counts_breakpoint, s, sizeof(s->breakpoint), watch->index, current_cgroup(),
		  0);
	return 0;
}

SEC("?perf_event")
int on_breakpoint(struct bpf_perf_event_data *ctx)
{
	return breakpoint_hit(ctx, false);
}

/* Execution of a function's first instruction */
SEC("?perf_event")
int on_breakpoint_entry(struct bpf_perf_event_data *ctx)
{
	return breakpoint_hit(ctx, true);
}
