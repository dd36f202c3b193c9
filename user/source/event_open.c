// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* perf_event_open(2) gives a dozen errors, each for several reasons: they are told apart here. */
#include "event_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../base/caps.h"
#include "../event/event.h"
#include "perf_open.h"

static bool is_permitted(void)
{
	return caps_have(CAP_PERFMON);
}

/*
 * Counted in the kernel itself: with the kernel left out they would count nothing, and that would look like a
 * measurement.
 */
static bool happens_in_kernel(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return true;
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static enum event_refusal refusal_of(const struct event_spec *spec, int leader, int err)
{
	switch (err) {
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
	case -ENXIO:
		return EVENT_NO_PMU;
	case -EACCES:
	case -EPERM:
		return EVENT_NOT_PERMITTED;
	case -EBUSY:
		return EVENT_BUSY;
	case -ESRCH:
		return EVENT_TASK_GONE;
	case -EMFILE:
	case -ENFILE:
		return EVENT_OUT_OF_DESCRIPTORS;
	case -ENOSPC:
		return spec->attr.type == PERF_TYPE_BREAKPOINT ? EVENT_NO_BREAKPOINT :
								 EVENT_REFUSED;
	case -EINVAL:
		return leader >= 0 && spec->group ? EVENT_GROUP_TOO_LARGE : EVENT_REFUSED;
	default:
		return EVENT_REFUSED;
	}
}

/* Of its callchains too: newer kernels (6.12.117 of Debian) refuse them by themselves. */
static void leave_kernel_out(struct perf_event_attr *attr)
{
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->exclude_callchain_kernel = 1;
	if (attr->exclude_callchain_user)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

int event_open(const struct event_spec *spec, struct perf_event_attr *attr,
	       const struct placement *placement, const struct place *place, int leader,
	       enum event_refusal *refusal)
{
	unsigned long flags = placement_flags(placement);
	int fd;

	*refusal = EVENT_IS_OPEN;
	if (spec->cpus.count && place->pid >= 0 && placement->mode != PLACE_CGROUP) {
		*refusal = EVENT_NOT_PER_TASK;
		return -ENOTSUP;
	}
	fd = perf_open_flags(attr, place->pid, place->cpu, leader, flags);
	/* not every PMU can leave guests out, and nobody asked for that */
	if (fd == -EINVAL && spec->exclude_guest_unsaid && attr->exclude_guest) {
		attr->exclude_guest = 0;
		fd = perf_open_flags(attr, place->pid, place->cpu, leader, flags);
	}
	if ((fd == -EACCES || fd == -EPERM) && !attr->exclude_kernel && !attr->exclude_user &&
	    !is_permitted() && !happens_in_kernel(attr)) {
		leave_kernel_out(attr);
		fd = perf_open_flags(attr, place->pid, place->cpu, leader, flags);
	}
	if (fd < 0)
		*refusal = refusal_of(spec, leader, fd);
	if (fd == -ENOENT && placement->mode == PLACE_CGROUP)
		*refusal = EVENT_NO_CGROUP;
	return fd;
}

static const char *remedy(const struct event_spec *spec, enum event_refusal refusal)
{
	switch (refusal) {
	case EVENT_NO_PMU:
		return spec->attr.type == PERF_TYPE_HARDWARE ||
				       spec->attr.type == PERF_TYPE_HW_CACHE ||
				       spec->attr.type == PERF_TYPE_RAW ?
			       "this machine has no such counter (cpu-clock is always there; --list events)" :
			       "this kernel does not have it (--list events)";
	case EVENT_NO_CGROUP:
		return "the cgroup has no perf_event: it is of another hierarchy than that, or no controller was "
		       "ever enabled above it (echo +pids >cgroup.subtree_control there)";
	case EVENT_NOT_PERMITTED:
		return "not permitted: it needs cap_perfmon, or a lower kernel.perf_event_paranoid";
	case EVENT_NOT_PER_TASK:
		return "counts for whole sockets, not for tasks: needs -a or -C";
	case EVENT_GROUP_TOO_LARGE:
		return "does not fit on the PMU together with the others of its group: a smaller group, or "
		       "none, which takes turns";
	case EVENT_WITH_GROUP:
		return "another event of its group cannot be had";
	case EVENT_BUSY:
		return "another program has it for itself";
	case EVENT_NO_BREAKPOINT:
		return "no debug register is left: a CPU has few (four on x86-64), which all that watches shares";
	case EVENT_OUT_OF_DESCRIPTORS:
		return "too many open files: fewer events, threads or CPUs, or a higher ulimit -n";
	default:
		return NULL;
	}
}

void event_refusal_reason(const struct event_spec *spec, enum event_refusal refusal, int err,
			  char *text, size_t size)
{
	const char *why = remedy(spec, refusal);

	if (!why && err == -EINVAL)
		why = "the kernel refuses it as it is (its PMU cannot do that: other terms, no sampling)";
	snprintf(text, size, "%s", why ? why : strerror(-err));
}

/* The letters behind the last colon, when they are perf's modifiers; else NULL. */
static const char *modifiers_of(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "ukhGHIpPSDWe")])
		return NULL;
	return colon + 1;
}

char *event_label(const struct event_spec *spec, bool user_only)
{
	const struct perf_event_attr *attr = &spec->attr;
	const char *modifiers = modifiers_of(spec->name), *missing = "";
	char *label;

	if ((user_only || attr->exclude_kernel) && !attr->exclude_user)
		missing = "u";
	else if (attr->exclude_user && !attr->exclude_kernel)
		missing = "k";
	if (modifiers && (!*missing || strchr(modifiers, *missing)))
		missing = "";
	if (asprintf(&label, "%s%s%s", spec->name, *missing && !modifiers ? ":" : "", missing) < 0)
		return NULL;
	return label;
}
