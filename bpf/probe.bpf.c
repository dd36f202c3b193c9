// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --uprobe, --uretprobe. */
#include "alone.bpf.h"
#include "capture.bpf.h"
#include "filter.bpf.h"
#include "probe.bpf.h"
#include "stack.bpf.h"

/* The place that was meant, if the probe was put behind it: nothing has changed on the way. */
static __always_inline void regs_move_back(void *ctx, struct user_regs *regs)
{
	if (config.cookies)
		regs->ip -= bpf_get_attach_cookie(ctx) >> PROBE_COOKIE_MOVED_SHIFT &
			    PROBE_COOKIE_MOVED_MASK;
}

static __always_inline int uprobe_hit(struct pt_regs *ctx, bool at_entry)
{
	const arch_regs *regs = (const arch_regs *)ctx;
	const struct plan *plan;
	struct scratch *s;
	__u32 number;
	int result;
	__u64 site;

	if (counts_alone() && count_alone(ctx, REC_UPROBE, regs_ip(regs)))
		return 0;
	s = event_begin_current(REC_UPROBE);
	if (!s)
		return 0;
	result = regs_take(&s->regs, regs);
	regs_move_back(ctx, &s->regs);
	s->at_entry = at_entry;
	regs_arguments(s->uprobe.arg, regs);
	site = probe_site(ctx, s, s->regs.ip);
	s->uprobe.site = site;
	number = plan_number_at(ctx, site, false);
	plan = plan_of(number);
	if (!event_passes(s, plan))
		return 0;
	event_capture(s, plan, number);
	event_user_stack(ctx, s, result, at_entry);
	event_end(ctx, &counts_probe, s, sizeof(s->uprobe), site, current_cgroup(), 0);
	return 0;
}

/* A function's first instruction, */
SEC("?uprobe")
int on_uprobe_entry(struct pt_regs *ctx)
{
	return uprobe_hit(ctx, true);
}

/* or one inside it (+OFF, 0xADDR): two programs, because not every kernel could tell one which it is. */
SEC("?uprobe")
int on_uprobe_inside(struct pt_regs *ctx)
{
	return uprobe_hit(ctx, false);
}

static __always_inline int return_hit(struct pt_regs *ctx, bool at_site)
{
	const arch_regs *regs = (const arch_regs *)ctx;
	const struct plan *plan;
	struct scratch *s;
	__u32 number;
	int result;
	__u64 site;

	s = event_begin_current(REC_URETPROBE);
	if (!s)
		return 0;
	result = regs_take(&s->regs, regs);
	s->at_entry = false;
	s->uretprobe.ret = regs_return_value(regs);
	site = probe_site(ctx, s, at_site ? s->regs.ip : returning_function());
	s->uretprobe.site = site;
	if (at_site)
		regs_return(&s->regs);
	number = plan_number_at(ctx, site, true);
	plan = plan_of(number);
	if (!event_passes(s, plan))
		return 0;
	event_capture(s, plan, number);
	event_user_stack(ctx, s, result, false);
	event_end(ctx, &counts_probe, s, sizeof(s->uretprobe), site, current_cgroup(), 0);
	return 0;
}

/* The kernel has made the function return to it. */
SEC("?uretprobe")
int on_uretprobe(struct pt_regs *ctx)
{
	return return_hit(ctx, false);
}

/* An instruction by which a function returns, about to do so. */
SEC("?uprobe")
int on_return_site(struct pt_regs *ctx)
{
	return return_hit(ctx, true);
}

/* Entry of a function whose return is probed: only says when the kernel will leave the return out. */
SEC("?uprobe")
int on_uretprobe_entry(struct pt_regs *ctx)
{
	if (!current_wanted(bpf_get_current_pid_tgid()) || return_will_be_seen())
		return 0;
	stat_add(STAT_SEEN, 1);
	stat_add(STAT_LOST_RETURN_DEPTH, 1);
	return 0;
}
