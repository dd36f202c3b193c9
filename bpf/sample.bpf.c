// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --profile, --wall: one sample of whatever runs on this CPU. */
#include "filter.bpf.h"
#include "stack.bpf.h"

SEC("?perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	struct scratch *s;

	s = event_begin_current(REC_SAMPLE);
	if (!s)
		return 0;
	event_stacks(ctx, s, (const arch_regs *)&ctx->regs, false);
	event_end(ctx, &counts_sample, s, sizeof(s->sample), 0, current_cgroup(), 0);
	return 0;
}
