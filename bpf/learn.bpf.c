// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs once, before the recording, in a bpf() call of our own (BPF_PROG_TEST_RUN): tells which ids we
 * have in the initial pid namespace (which may not be ours), and where the kernel saves user registers,
 * for kernels that have no helper to ask (before 5.15). That place is not computed but proved: user space
 * makes the call with two numbers in argument registers that the call itself does not use, and they are
 * looked for.
 */
#include "compat.bpf.h"
#include "config.bpf.h"
#include "regs.bpf.h"

__u64 learn_magic = 0; /* set by user space */

/* The kernel's own register frame, whose size differs between versions. */
struct pt_regs___kernel {
	char any;
} __attribute__((preserve_access_index));

#define SMALLEST_STACK	4096
#define STACK_DOUBLINGS 8 /* to 1 MiB */

/* The frame ends where the stack does, or up to 16 bytes before. */
static __always_inline void learn_user_regs_offset(const char *stack)
{
	__u64 frame = bpf_core_type_size(struct pt_regs___kernel);
	arch_regs regs;

	for (__u32 doublings = 0; doublings < STACK_DOUBLINGS; doublings++) {
		for (__u32 padding = 0; padding <= 16; padding += 8) {
			__u64 offset = ((__u64)SMALLEST_STACK << doublings) - frame - padding;

			if (bpf_probe_read_kernel(&regs, sizeof(regs), stack + offset))
				continue;
			if (!regs_are_user(&regs) ||
			    !regs_syscall_is(&regs, learn_magic, ~learn_magic))
				continue;
			user_regs_offset = offset;
			return;
		}
	}
}

SEC("raw_tp/learn")
int learn(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	own_pid_tgid = bpf_get_current_pid_tgid();
	if (!have_task_pt_regs())
		learn_user_regs_offset(BPF_CORE_READ(task, stack));
	return 0;
}
