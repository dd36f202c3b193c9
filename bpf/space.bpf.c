// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every new mapping of a file's code makes the description of its address space old, at once: a library
 * may lie where another one was, and must not be taken for it. User space learns of it by side-band, but
 * later. Code without a file has no table that could be the wrong one.
 */
#include "compat.bpf.h"
#include "space.bpf.h"
#include "regs.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define VM_EXEC 4

/* Only where user space has asked to know: see spaces.c. */
SEC("?fentry/uprobe_mmap")
int BPF_PROG(on_mmap, struct vm_area_struct *vma)
{
	__u32 tgid = (__u32)(bpf_get_current_pid_tgid() >> 32);
	__u32 *generation = bpf_map_lookup_elem(&generations, &tgid);

	if (generation && (BPF_CORE_READ(vma, vm_flags) & VM_EXEC) && BPF_CORE_READ(vma, vm_file))
		__sync_fetch_and_add(generation, 1);
	return 0;
}

#define MAP_ANONYMOUS 0x20

/* mmap() for memory without a file is frequent, and brings no code with a table. */
static __always_inline bool may_map_file(void)
{
#if defined(__TARGET_ARCH_x86)
	__u64 flags = 0;

	if (!have_task_pt_regs())
		return true;
	bpf_probe_read_kernel(&flags, sizeof(flags),
			      &((arch_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()))->r10);
	return !(flags & MAP_ANONYMOUS);
#else
	return true;
#endif
}

/*
 * Where functions cannot be hooked: the kernel looks for room before it maps a library. What was there
 * before is gone by then.
 */
SEC("?raw_tp/vm_unmapped_area")
int on_area(void *ctx)
{
	__u32 tgid = (__u32)(bpf_get_current_pid_tgid() >> 32);
	__u32 *generation = bpf_map_lookup_elem(&generations, &tgid);

	if (generation && may_map_file())
		__sync_fetch_and_add(generation, 1);
	return 0;
}
