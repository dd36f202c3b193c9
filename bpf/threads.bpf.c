// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The thread pointer of every thread, without stopping any. The kernel keeps it with the task whenever that
 * is not on a CPU; of one that runs, it is what arch_prctl() or clone() set (x86-64), or what it was when the
 * task last left a CPU (arm64): C libraries set it once, when the thread begins.
 */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "tracer.h"

#if defined(__TARGET_ARCH_arm64)
#define THREAD_POINTER(task) ((const struct task_struct___arm64 *)(task))->thread.uw.tp_value
#else
#define THREAD_POINTER(task) (task)->thread.fsbase
#endif

SEC("?iter/task")
int list_thread_pointers(struct bpf_iter__task *ctx)
{
	const struct task_struct *task = ctx->task;
	struct thread_pointer thread = {};

	if (!task)
		return 0;
	thread.tgid = (__u32)task->tgid;
	thread.tid = (__u32)task->pid;
	thread.pointer = THREAD_POINTER(task);
	bpf_seq_write(ctx->meta->seq, &thread, sizeof(thread));
	return 0;
}
