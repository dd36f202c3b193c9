// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs once, before the recording: a system call of our own, recognised by a number that user space
 * chose, tells which ids we have in the initial pid namespace (which may not be ours), and where the
 * kernel saves user registers, for kernels that have no helper to ask (before 5.15).
 */
#include "compat.bpf.h"
#include "config.bpf.h"
#include "regs.bpf.h"

__u64 learn_magic = 0; /* set by user space */

SEC("raw_tp/sys_enter")
int learn(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 saved = ctx->args[0];
	arch_regs regs;

	if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)saved))
		return 0;
	if (!learn_magic || !regs_syscall_is(&regs, learn_magic, ~learn_magic))
		return 0;
	user_regs_offset = saved - (__u64)BPF_CORE_READ(task, stack);
	own_pid_tgid = bpf_get_current_pid_tgid();
	return 0;
}
