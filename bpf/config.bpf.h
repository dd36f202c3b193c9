/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What user space sets: before loading (config, constant to the verifier) and while running (recording). */
#ifndef TRACER_CONFIG_BPF_H
#define TRACER_CONFIG_BPF_H

#include "vmlinux.h"
#include "tracer.h"

#ifdef TRACER_DEFINE_MAPS
const volatile struct tracer_config config = {};
volatile __u32 recording = 0;
__u64 recording_since = 0;
__u64 only_site = 0;
__u64 own_pid_tgid = 0;
__u64 user_regs_offset = 0;
#else
extern const volatile struct tracer_config config;
/* 0 until everything is attached, and again when the recording is over. */
extern volatile __u32 recording;
/* ns, CLOCK_MONOTONIC */
extern __u64 recording_since;
/* ONLY_SITE_KNOWN and the number that all probes of calls have, which need not be asked for then. */
extern __u64 only_site;
/* The tracer itself, as bpf_get_current_pid_tgid would say it (learn.bpf.c): never recorded. */
extern __u64 own_pid_tgid;
/* Where the kernel saves a task's user registers, in bytes from task_struct.stack (learn.bpf.c). */
extern __u64 user_regs_offset;
#endif

#endif
