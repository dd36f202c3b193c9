// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Walking stacks into a scratch slot and giving them an id. The functions here are global: the verifier
 * checks each once, whichever programs call it. A global function may only be given scalars on old
 * kernels, hence the slot number; everything else travels in the slot.
 */
#include "stack.bpf.h"
#include "regs.bpf.h"
#include "walk.bpf.h"

struct frame_record {
	__u64 fp;
	__u64 ret;
};

/* More than the kernel's own limit of pending returns a thread (MAX_URETPROBE_DEPTH, 64). */
#define MAX_RETURNS 70

/*
 * Is it the return address that was kept for that slot? The list goes from the innermost function out,
 * so on arm64, where a frame pointer does not tell a frame's exact end, the first that is not below is
 * it.
 */
static __always_inline bool is_of_slot(__u64 kept_for, __u64 slot)
{
#if defined(__TARGET_ARCH_arm64)
	return kept_for >= slot;
#else
	return kept_for == slot;
#endif
}

/*
 * Return probes replace a return address by that of the [uprobes] page and keep the original in a list.
 * Finds the one of s->return_slot.
 */
__noinline int stack_original_return(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	struct task_struct *task = (void *)bpf_get_current_task();
	struct return_instance *instance;

	if (!s)
		return 0;
	s->return_address = 0;
	instance = BPF_CORE_READ(task, utask, return_instances);
	for (int i = 0; i < MAX_RETURNS && instance; i++) {
		if (is_of_slot(BPF_CORE_READ(instance, stack), s->return_slot)) {
			s->return_address = BPF_CORE_READ(instance, orig_ret_vaddr);
			return 0;
		}
		instance = BPF_CORE_READ(instance, next);
	}
	return 0;
}

/*
 * Walks the current task's user stack from s->regs by frame pointers. Fills s->stack but for the
 * record's header. A frame pointer chain can skip functions that were built without one, which is
 * why no end of this walk is STACK_COMPLETE.
 */
__noinline int stack_walk_frame_pointers(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	__u32 depth = 0, end = STACK_DEPTH;
	struct frame_record record;
	__u64 hash, fp, sp, trampoline;

	if (!s)
		return 0;
	trampoline = return_trampoline();
	hash = hash_address_space(s->event.tgid);
	fp = s->regs.fp;
	sp = s->regs.sp;
	PUSH(s->regs.ip);
	if (s->at_entry) {
		__u64 ret = 0;

		if (entry_caller(&s->regs, &ret) || !is_code_address(ret)) {
			end = STACK_FAULT;
			goto out;
		}
		if (ret == trampoline) {
			s->return_slot = return_slot_of(s->regs.sp + ENTRY_CFA);
			stack_original_return(slot);
			ret = s->return_address;
		}
		if (!ret) {
			end = STACK_FP_BROKEN;
			goto out;
		}
		if (depth < config.max_stack)
			PUSH(ret);
	}
	if (config.call_graph == CALL_GRAPH_NONE) {
		end = STACK_FRAME0;
		goto out;
	}
	for (int i = 0; i < TRACER_MAX_STACK; i++) {
		if (!fp) {
			end = STACK_FP_ROOT;
			break;
		}
		if (depth >= config.max_stack)
			break;
		if ((fp & 7) || fp < sp || fp >= USER_ADDRESS_END) {
			end = STACK_FP_BROKEN;
			break;
		}
		if (bpf_probe_read_user(&record, sizeof(record), (void *)fp)) {
			end = STACK_FAULT;
			break;
		}
		record.ret &= address_mask();
		if (record.ret == trampoline) {
			s->return_slot = return_slot_of(fp + sizeof(record));
			stack_original_return(slot);
			record.ret = s->return_address;
		}
		if (!is_code_address(record.ret)) {
			end = STACK_FP_BROKEN;
			break;
		}
		PUSH(record.ret);
		sp = fp + sizeof(record);
		fp = record.fp;
	}
out:
	stack_finish(s, hash, depth, end);
	return 0;
}

/* Gives the kernel stack of depth frames in s->stack its id. */
__noinline int stack_hash_kernel(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	__u64 hash = HASH_SEED;

	if (!s)
		return 0;
	for (__u32 i = 0; i < TRACER_MAX_KERNEL_STACK; i++) {
		if (i >= s->stack.head.depth)
			break;
		hash = hash_add(hash, s->stack.ip[i]);
	}
	s->stack.head.id = hash_finish(hash);
	return 0;
}

/*
 * At a context switch the kernel's walk begins inside our own program. Drops what is above __schedule,
 * so that the stack says where the task stopped. Runs only where kallsyms told where __schedule is.
 */
__noinline int stack_trim_to_schedule(__u32 slot)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &slot);
	__u32 first = 0, depth;

	if (!s)
		return 0;
	depth = s->stack.head.depth;
	for (__u32 i = 0; i < 16; i++) {
		__u64 ip = s->stack.ip[i];

		if (i < depth && ip >= config.schedule_begin && ip < config.schedule_end) {
			first = i;
			break;
		}
	}
	if (!first)
		return 0;
	for (__u32 i = 0; i < TRACER_MAX_KERNEL_STACK; i++) {
		if (i + first >= depth)
			break;
		s->stack.ip[i] = s->stack.ip[(i + first) & (TRACER_MAX_STACK - 1)];
	}
	s->stack.head.depth = (__u16)(depth - first);
	return 0;
}
