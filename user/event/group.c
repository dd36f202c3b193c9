// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * {EVENT,...}: which events the kernel takes as one group. All that a PMU counts must be of the same
 * one; software events, tracepoints and breakpoints may join any, also as the leader.
 */
#include <errno.h>
#include <stdlib.h>

#include "parser.h"

/* Generic events on the only PMU of CPUs. */
#define CPU_TYPE PERF_TYPE_RAW

static const struct pmu *find_type(const struct pmu_set *set, uint32_t type)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->pmus[i].type == type)
			return &set->pmus[i];
	return NULL;
}

static size_t count_cores(const struct pmu_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		count += set->pmus[i].is_core;
	return count;
}

/* The type of the PMU that counts an event, or false if it may be with those of any. */
static bool counting_type(const struct pmu_set *set, const struct event_spec *spec, uint32_t *type)
{
	const struct pmu *pmu;

	switch (spec->attr.type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return false;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		*type = (uint32_t)(spec->attr.config >> PERF_PMU_TYPE_SHIFT);
		break;
	default:
		*type = spec->attr.type;
	}
	pmu = find_type(set, *type);
	if (*type == 0 || (pmu && pmu->is_core && count_cores(set) == 1))
		*type = CPU_TYPE;
	return !pmu || *type == CPU_TYPE || !pmu_joins_any(pmu);
}

static const char *pmu_name(const struct pmu_set *set, const struct event_spec *spec, uint32_t type)
{
	const struct pmu *pmu = find_type(set, type);

	if (spec->pmu)
		return spec->pmu;
	return pmu ? pmu->name : type == CPU_TYPE ? "cpu" : "another";
}

/* Are both PMUs known, and siblings? */
static bool are_siblings(const struct pmu_set *set, uint32_t a, uint32_t b)
{
	const struct pmu *one = find_type(set, a), *other = find_type(set, b);

	return one && other && pmu_family(one) == pmu_family(other) &&
	       memcmp(one->name, other->name, pmu_family(one)) == 0;
}

/*
 * Events that mean several PMUs each, as a CPU package's memory controllers, are a group on each of the
 * PMUs: brings those of the first event's PMU to the front. How many these are.
 */
static size_t part_siblings(const struct pmu_set *set, struct event_spec *specs, size_t count)
{
	uint32_t first = 0, type = 0;
	size_t kept = 1;

	counting_type(set, &specs[0], &first);
	for (size_t i = 1; i < count; i++) {
		struct event_spec spec = specs[i];

		if (!counting_type(set, &spec, &type) || type != first)
			continue;
		memmove(&specs[kept + 1], &specs[kept], (i - kept) * sizeof(spec));
		specs[kept++] = spec;
	}
	return kept;
}

static int check_members(struct event_parser *parser, size_t first, struct span where,
			 bool *has_siblings)
{
	const struct event_spec *counted = NULL;
	uint32_t type = 0, other;

	for (size_t i = first; i < parser->list->count; i++) {
		const struct event_spec *spec = &parser->list->specs[i];

		if (i > first && (spec->attr.pinned || spec->attr.exclusive))
			return event_refuse(
				&parser->text, where,
				"%s cannot be pinned or exclusive (D, e) by itself: the first of a group is, for all",
				spec->name);
		if (!counting_type(&parser->pmus, spec, &other))
			continue;
		if (!counted) {
			counted = spec;
			type = other;
		} else if (type != other && are_siblings(&parser->pmus, type, other)) {
			*has_siblings = true;
		} else if (type != other) {
			return event_refuse(
				&parser->text, where,
				"%s is counted by the PMU %s and %s by %s; a group is counted by one, so they need a group each",
				counted->name, pmu_name(&parser->pmus, counted, type), spec->name,
				pmu_name(&parser->pmus, spec, other));
		}
	}
	return 0;
}

static void mark(struct event_list *list, struct event_spec *specs, size_t count)
{
	list->groups++;
	for (size_t i = 0; i < count; i++) {
		specs[i].group = list->groups;
		specs[i].is_leader = i == 0;
	}
}

int event_make_group(struct event_parser *parser, size_t first, struct span where)
{
	struct event_spec *specs = parser->list->specs + first;
	size_t count = parser->list->count - first;
	bool has_siblings = false;
	int err;

	err = check_members(parser, first, where, &has_siblings);
	if (err)
		return err;
	while (has_siblings && count > 0) {
		size_t part = part_siblings(&parser->pmus, specs, count);

		mark(parser->list, specs, part);
		specs += part;
		count -= part;
	}
	if (count > 0)
		mark(parser->list, specs, count);
	return 0;
}

int event_check_sampling(struct event_parser *parser, const struct event_spec *spec,
			 struct span where)
{
	const struct pmu *pmu = find_type(&parser->pmus, spec->attr.type);
	const char *why = NULL;

	if (!spec->sample_read || !spec->is_leader)
		return 0;
	if (spec->attr.type == PERF_TYPE_SOFTWARE && spec->attr.config == PERF_COUNT_SW_DUMMY)
		why = "it never happens";
	else if (spec->pmu && pmu && pmu->has_cpumask)
		why = "its PMU only counts";
	else if (spec->pmu && pmu && pmu_is_tracer(pmu))
		why = "its PMU writes a trace in place of samples";
	if (!why)
		return 0;
	return event_refuse(&parser->text, where,
			    "with S the first event samples, and %s cannot: %s", spec->name, why);
}
