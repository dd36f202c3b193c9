/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What differs between kernels, each with the version or commit that changed it. */
#ifndef TRACER_COMPAT_BPF_H
#define TRACER_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* 2f064a59a11f (5.14) renamed task_struct.state to __state and made it unsigned int. */
struct task_struct___old_state {
	volatile long state;
} __attribute__((preserve_access_index));

struct task_struct___new_state {
	unsigned int __state;
} __attribute__((preserve_access_index));

static __always_inline __u32 task_state(struct task_struct *task)
{
	struct task_struct___new_state *renamed = (void *)task;

	if (bpf_core_field_exists(renamed->__state))
		return BPF_CORE_READ(renamed, __state);
	return (__u32)BPF_CORE_READ((struct task_struct___old_state *)task, state);
}

/* a396eda5d10a (5.11) added bpf_get_current_task_btf, whose answer can be read from without a helper's help. */
enum bpf_func_id___task_btf {
	BPF_FUNC_get_current_task_btf___task_btf = 158,
};

static __always_inline bool have_current_task_btf(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___task_btf,
					  BPF_FUNC_get_current_task_btf___task_btf);
}

/* dd6e10fbd9fb (5.15) added bpf_task_pt_regs; a396eda5d10a (5.11) bpf_get_current_task_btf before it. */
enum bpf_func_id___pt_regs {
	BPF_FUNC_task_pt_regs___pt_regs = 175,
};

static __always_inline bool have_task_pt_regs(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___pt_regs,
					  BPF_FUNC_task_pt_regs___pt_regs);
}

#endif
