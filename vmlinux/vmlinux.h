/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's own types, hand-cut to the fields that our BPF programs read, so that building needs no
 * BTF on the build host. Offsets come from the running kernel's BTF at load time (CO-RE). What user
 * space knows as well (map types, helper flags, register layouts) comes from the UAPI headers.
 * `tools/gen-vmlinux` writes the running kernel's full header, for reading.
 */
#ifndef TRACER_VMLINUX_H
#define TRACER_VMLINUX_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/bpf_perf_event.h>

typedef _Bool bool;
enum { false, true };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	struct file *vm_file;
};

struct mm_struct {
	unsigned long exec_vm;
	unsigned long end_code;
	unsigned long start_stack;
	struct uprobes_state uprobes_state;
};

struct return_instance {
	unsigned long func;
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

enum uprobe_task_state {
	UTASK_RUNNING,
	UTASK_SSTEP,
	UTASK_SSTEP_ACK,
	UTASK_SSTEP_TRAPPED,
};

struct uprobe_task {
	enum uprobe_task_state state;
	unsigned long vaddr;
	unsigned long xol_vaddr;
	struct return_instance *return_instances;
	unsigned int depth;
};

/* x86-64's */
struct thread_struct {
	unsigned long fsbase;
};

struct task_struct {
	void *stack;
	unsigned int flags;
	struct mm_struct *mm;
	unsigned int in_execve : 1;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	__u64 start_time;
	struct signal_struct *signal;
	__u64 self_exec_id;
	char comm[16];
	struct uprobe_task *utask;
	struct thread_struct thread;
};

/* arm64's */
struct thread_struct___arm64 {
	struct {
		unsigned long tp_value;
	} uw;
};

struct task_struct___arm64 {
	struct thread_struct___arm64 thread;
};

struct linux_binprm;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
