// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --profile, --wall: one sample of whatever runs on this CPU. */
#include "filter.bpf.h"
#include "stack.bpf.h"

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct scratch *s;

	if (!current_wanted(pid_tgid))
		return 0;
	s = event_begin(REC_SAMPLE, pid_tgid);
	if (!s)
		return 0;
	bpf_get_current_comm(s->event.comm, sizeof(s->event.comm));
	event_stacks(ctx, s, (const arch_regs *)&ctx->regs, false);
	event_end(ctx, &counts_sample, s, sizeof(s->sample), 0,
		  config.keep_cgroup ? bpf_get_current_cgroup_id() : 0, 0);
	return 0;
}
