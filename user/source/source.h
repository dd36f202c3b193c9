/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A source of events behind one small vtable. The session calls, for each source in turn: prepare
 * (before the BPF programs load), attach, then detach and close. Messages for people are the source's.
 */
#ifndef TRACER_SOURCE_H
#define TRACER_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/cpulist.h"
#include "../process/object.h"
#include "../process/tasks.h"
#include "../record/source_info.h"
#include "bpf_side.h"
#include "target.h"

struct plans;
struct probe_option;
struct record;
struct source;

/* What sources need of the run; everything is the session's. */
struct source_context {
	struct bpf_side *bpf;
	struct target *target;
	struct tasks *tasks;
	struct objects *objects;
	struct plans *plans;
	uint32_t string_limit;	    /* characters of a string that are recorded */
	bool wants_values;	    /* events have a place for values */
	const struct cpulist *cpus; /* to sample on */
	uint32_t frequency;	    /* Hz */
	bool inherit;
	bool exact_address; /* probes stay where they are meant, whatever that costs */
	bool is_verbose;
};

struct source_ops {
	const char *name;
	/* Looks up what it needs and chooses programs and configuration. 0 or -errno. */
	int (*prepare)(struct source *source, struct source_context *context);
	/* Attaches to the kernel. 0 or -errno. */
	int (*attach)(struct source *source, struct source_context *context);
	/* Right after the recording began: what must be told to programs that run already. May be NULL. */
	int (*begin)(struct source *source, struct source_context *context, uint64_t now);
	/*
	 * What is heard of processes while it records: RECORD_MMAP, COMM, FORK, EXIT, of all of them, and not in
	 * order of time. May be NULL.
	 */
	void (*hear)(struct source *source, struct source_context *context,
		     const struct record *record);
	/* After this no event of the source comes any more. May be called again. */
	void (*detach)(struct source *source);
	void (*close)(struct source *source);
};

struct source {
	const struct source_ops *ops;
	struct source_info info;
	/* One for each of several things that it is on (the functions of a probe): NULL, count 0: info is all. */
	struct source_info *infos;
	size_t info_count;
	uint32_t index; /* of its first info among all of the run; what records carry as site */
	/* An event's line tells more of its stack than the first frame, and the caller at a function's entry. */
	bool lines_need_walks;		   /* known once it is prepared */
	const struct probe_option *option; /* of probes and breakpoints */
	bool attaches_later; /* once prepared: it may have to while it records, when it hears of a mapping */
	void *private; /* the source's own */
};

extern const struct source_ops source_sample, source_sched, source_uprobe, source_breakpoint;
/* Of events that are opened elsewhere: has only detach and close. */
extern const struct source_ops source_passive;

/* Its infos, one or several, which are known once it is prepared. */
static inline struct source_info *source_infos(struct source *source, size_t *count)
{
	*count = source->infos ? source->info_count : 1;
	return source->infos ? source->infos : &source->info;
}

/*
 * Sites are numbers of infos, or (EVENT_SITE_IS_ADDRESS) the address of the probed instruction: what the
 * source has there. NULL: nothing.
 */
const struct source_info *source_info_at(const struct source *source, const struct frame *frame);

#endif
