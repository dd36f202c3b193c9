/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What machine.c gives machine.bpf.c, and gets from it. */
#ifndef TRACER_TEST_MACHINE_CASE_H
#define TRACER_TEST_MACHINE_CASE_H

#include <linux/types.h>

struct machine_case {
	__u64 registers[32];
	__u64 arguments[6];
	__u64 cfa, ip, latency;
	char comm[16];
	__u32 pid, tid;
	__u16 cpu;
	__u16 reserved;
	/* what comes back */
	__u32 end; /* enum machine_end */
	__u32 depth;
	__u32 met;
	__u64 value;
};

#endif
