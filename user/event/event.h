/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events as perf's -e takes them, as attributes for perf_event_open(2):
 *
 *   EVENT[:MODIFIERS][,...]    several; those of one group in braces: {EVENT,...}[:MODIFIERS]
 *
 *   cycles, page-faults        what the kernel calls so on every machine
 *   L1-dcache-load-misses      CACHE[-OPERATION][-RESULT]
 *   rHEX, TYPE:CONFIG          numbers of this CPU, of any type
 *   sched:sched_switch         tracepoints; * and ? may stand for parts of both names
 *   mem:ADDR[/LEN][:rwx]       hardware breakpoints
 *   PMU/TERM[=VALUE],.../      what a PMU describes in sysfs: its fields and its named events
 *   NAME                       an event that a PMU names
 *
 * All but mem: take perf's general terms between slashes, as "cycles/period=10000,name=work/u".
 * MODIFIERS are perf's letters ukhGHIpPSDWe.
 *
 * Nothing is opened here, and nothing is read but files below the two roots, so that a made-up tree
 * shows any machine's PMUs.
 */
#ifndef TRACER_EVENT_H
#define TRACER_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/cpulist.h"

/* Words of the configuration that a PMU's fields can lie in: config, config1, config2, config3. */
#define EVENT_CONFIG_WORDS 4

/* The attribute's size on the kernels (6.3) that know config3. */
#define EVENT_ATTR_SIZE_CONFIG3 136

struct event_roots {
	const char *sysfs;   /* "/sys" */
	const char *tracefs; /* see event_tracefs_find(); NULL: not mounted */
};

enum event_call_graph {
	EVENT_CALL_GRAPH_UNSAID = -1,
	EVENT_CALL_GRAPH_NONE,
	EVENT_CALL_GRAPH_FP,
	EVENT_CALL_GRAPH_AUTO, /* "dwarf" or "auto": by unwind tables */
};

/* What a term may have said, or not. */
enum event_choice {
	EVENT_UNSAID = -1,
	EVENT_NO,
	EVENT_YES,
};

struct event_spec {
	/*
	 * type, config words, exclude_*, precise_ip, pinned, exclusive, aux_output, aux_sample_size,
	 * bp_*, and sample_period or freq with sample_freq; those are 0 if unsaid, but the period is 1 for
	 * tracepoints and breakpoints, as perf has it. The rest is the opener's: sample_type,
	 * read_format, inherit, disabled, and a sample_period of 0 where it only counts.
	 *
	 * Where CPUs are of several kinds, the upper half of a generic event's config is the type of one
	 * kind's PMU. Kernels that do not know this refuse it (x86 before 5.13, arm64 before 6.6); there
	 * the event without it, opened on the CPUs below, is the same.
	 *
	 * attr.size is EVENT_ATTR_SIZE_CONFIG3 if a term needs config3, which may be beyond the struct
	 * of this build's headers: who copies the attribute copies attr_bytes.
	 */
	union {
		struct perf_event_attr attr;
		uint8_t attr_bytes[EVENT_ATTR_SIZE_CONFIG3];
	};
	/* The user's spelling, with the PMU's own name where he wrote another; or that of name=. Owned. */
	char *name;
	char *pmu; /* its name in sysfs; NULL for events that are not of a named PMU; owned */

	/* Specs of one group have the same number; 0: in none. The first of each is the leader. */
	uint32_t group;
	bool is_leader;
	bool weak_group;  /* W: may be opened apart if the PMU cannot have all of it */
	bool sample_read; /* S: the leader samples, and the samples carry the counts of all */
	bool precise_max; /* P: as precise as the PMU can; precise_ip is 0 and the opener's to find */

	bool has_period, has_freq; /* said by a term */
	/* exclude_guest is only perf's default: may be cleared for a PMU that refuses it. */
	bool exclude_guest_unsaid;

	enum event_call_graph call_graph;
	uint32_t stack_size; /* bytes of stack to copy; 0: not said */
	uint32_t max_stack;  /* frames; 0: not said */
	enum event_choice time, inherit, overwrite;

	struct cpulist cpus; /* to open it on; none: on every CPU */
	/* Of a PMU's named event: a count times the scale is in this unit. */
	double scale;	  /* 1 if there is none */
	char *unit;	  /* NULL if there is none; owned */
	bool per_package; /* counts for a whole package: one CPU of each is enough */
};

/* Zeroed at first. Specs are in the order of the text; an event that means several PMUs has one each. */
struct event_list {
	struct event_spec *specs;
	size_t count;
	uint32_t groups; /* so far */
};

/*
 * Appends the events of a text. 0, -ENOMEM, or -EINVAL with *message for people (one line without a
 * newline, owned by the caller), which says where in the text what is wrong, and what would be right.
 * After an error the list is as it was.
 */
int event_list_parse(const char *text, const struct event_roots *roots, struct event_list *list,
		     char **message);
/* Frees what the list owns, and leaves it empty. */
void event_list_free(struct event_list *list);

/*
 * Where tracefs is mounted, by a table of mounts as /proc/self/mounts; *root is the caller's. 0,
 * -ENOENT if it is not, -ENOMEM, or -errno of the table.
 */
int event_tracefs_find(const char *mounts, char **root);

enum event_kind {
	EVENT_KIND_HARDWARE,
	EVENT_KIND_SOFTWARE,
	EVENT_KIND_CACHE,
	EVENT_KIND_RAW,
	EVENT_KIND_BREAKPOINT,
	EVENT_KIND_PMU,
	EVENT_KIND_TRACEPOINT,
};

struct event_entry {
	const char *name; /* as -e takes it; of raw, breakpoint and PMU terms a form to fill in */
	enum event_kind kind;
	const char *description; /* an alias, the terms, the unit; "" if there is nothing to say */
	bool is_form;		 /* the name is a form, not an event */
};

/* A result other than 0 ends it. */
typedef int (*event_visitor)(void *data, const struct event_entry *entry);

/*
 * Visits all events that this machine names: those of the kernel by kind, then PMUs and tracepoints,
 * sorted. pattern: NULL for all, or what a name must match, or contain if it has no * or ?. That an
 * event is named does not mean that it can be opened here. 0, -ENOMEM, or what the visitor returned.
 */
int event_list_available(const struct event_roots *roots, const char *pattern, event_visitor visit,
			 void *data);

/* "hardware", "cache", ... */
const char *event_kind_name(enum event_kind kind);

#endif
