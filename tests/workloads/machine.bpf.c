// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs the machine of --if and --args on what user space has put into test_case; see machine.c. */
#include "../../bpf/machine.bpf.h"
#include "../../bpf/regs.bpf.h"
#include "machine_case.h"

struct machine_case test_case = {};

SEC("raw_tp/machine_test")
int run_machine(void *ctx)
{
	struct scratch *s = scratch_claim();

	if (!s)
		return 0;
	__builtin_memcpy(s->regs.general, test_case.registers, sizeof(s->regs.general));
	__builtin_memcpy(s->uprobe.arg, test_case.arguments, sizeof(s->uprobe.arg));
	__builtin_memcpy(s->event.comm, test_case.comm, sizeof(s->event.comm));
	s->regs.sp = test_case.cfa - ENTRY_CFA;
	s->regs.ip = test_case.ip;
	s->at_entry = true;
	s->event.tgid = test_case.pid;
	s->event.tid = test_case.tid;
	s->event.head.cpu = test_case.cpu;
	s->event.head.flags = EVENT_OLD_KNOWN | EVENT_NEW_KNOWN;
	s->machine.latency = test_case.latency;
	s->machine.program = 0;
	test_case.end = machine_run(s->slot);
	test_case.depth = s->machine.depth;
	test_case.value = s->machine.value[0];
	test_case.met = event_meets(s, 0);
	scratch_release(s);
	return 0;
}
