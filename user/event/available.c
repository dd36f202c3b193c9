// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Everything that this machine names: for --list events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "event.h"
#include "files.h"
#include "known.h"
#include "pmu.h"

struct listing {
	struct span pattern; /* NULL: all */
	event_visitor visit;
	void *data;
};

static bool is_wanted(const struct listing *listing, const char *name)
{
	char *part;
	bool found;

	if (!listing->pattern.begin)
		return true;
	if (span_is_glob(listing->pattern))
		return span_matches(listing->pattern, name);
	part = span_copy(listing->pattern);
	found = part && strstr(name, part);
	free(part);
	return found;
}

static int list(const struct listing *listing, enum event_kind kind, const char *name,
		const char *description, bool is_form)
{
	struct event_entry entry = {
		.name = name,
		.kind = kind,
		.description = description,
		.is_form = is_form,
	};

	return is_wanted(listing, name) ? listing->visit(listing->data, &entry) : 0;
}

static int list_known(const struct listing *listing, uint32_t type)
{
	enum event_kind kind = type == PERF_TYPE_HARDWARE ? EVENT_KIND_HARDWARE :
							    EVENT_KIND_SOFTWARE;
	char also[64];
	int err = 0;

	for (size_t i = 0; i < known_event_count && !err; i++) {
		const struct known_event *event = &known_events[i];

		if (event->type != type)
			continue;
		snprintf(also, sizeof(also), "%s%s", event->alias ? "or " : "",
			 event->alias ? event->alias : "");
		err = list(listing, kind, event->name, also, false);
	}
	return err;
}

static int list_caches(const struct listing *listing)
{
	size_t index = 0;
	char name[64];
	int err = 0;

	while (!err && known_cache_next(&index, name, sizeof(name)))
		err = list(listing, EVENT_KIND_CACHE, name, "", false);
	return err;
}

static int list_forms(const struct listing *listing)
{
	int err;

	err = list(listing, EVENT_KIND_RAW, "rHEX", "an event of this CPU by its number", true);
	if (!err)
		err = list(listing, EVENT_KIND_RAW, "TYPE:CONFIG",
			   "type and config of perf_event_open(2)", true);
	if (!err)
		err = list(listing, EVENT_KIND_BREAKPOINT, "mem:ADDR[/LEN][:rwx]",
			   "accesses to an address", true);
	return err;
}

static int list_alias(const struct listing *listing, const struct pmu *pmu,
		      const struct pmu_alias *alias)
{
	struct growing name = {}, description = {};
	char *event, *text;
	int err;

	growing_append(&name, "%s/%s/", pmu->name, alias->name);
	growing_append(&description, "%s", alias->terms);
	if (alias->unit)
		growing_append(&description, "; in %s", alias->unit);
	event = growing_take(&name);
	text = growing_take(&description);
	err = event && text ? list(listing, EVENT_KIND_PMU, event, text, false) : -ENOMEM;
	free(event);
	free(text);
	return err;
}

/* "PMU/TERM=0..0xff,.../" */
static int list_fields(const struct listing *listing, const struct pmu *pmu)
{
	struct growing growing = {};
	char *form;
	int err;

	growing_append(&growing, "%s/", pmu->name);
	for (size_t i = 0; i < pmu->field_count; i++)
		growing_append(&growing, "%s%s=0..0x%llx", i ? "," : "", pmu->fields[i].name,
			       (unsigned long long)pmu_field_max(&pmu->fields[i]));
	growing_append(&growing, "/");
	form = growing_take(&growing);
	if (!form)
		return -ENOMEM;
	err = list(listing, EVENT_KIND_PMU, form,
		   pmu->has_cpumask ? "counts for whole packages, not for tasks" : "", true);
	free(form);
	return err;
}

static int list_pmu(const struct listing *listing, const struct pmu_set *set, struct pmu *pmu)
{
	int err = pmu_read(set, pmu);

	for (size_t i = 0; i < pmu->alias_count && !err; i++)
		err = list_alias(listing, pmu, &pmu->aliases[i]);
	if (!err && pmu->field_count)
		err = list_fields(listing, pmu);
	return err;
}

static int list_pmus(const struct listing *listing, const char *sysfs)
{
	struct pmu_set set;
	int err;

	err = pmu_set_read(sysfs, &set);
	if (err)
		return err;
	for (size_t i = 0; i < set.count && !err; i++)
		err = list_pmu(listing, &set, &set.pmus[i]);
	pmu_set_free(&set);
	return err;
}

static int list_system(const struct listing *listing, const char *tracefs, const char *system)
{
	struct names names;
	int err;

	err = folder_names(&names, "%s/events/%s", tracefs, system);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < names.count && !err; i++) {
		char *name = NULL;

		if (!file_exists("%s/events/%s/%s/id", tracefs, system, names.names[i]))
			continue;
		if (asprintf(&name, "%s:%s", system, names.names[i]) < 0)
			name = NULL;
		err = name ? list(listing, EVENT_KIND_TRACEPOINT, name, "", false) : -ENOMEM;
		free(name);
	}
	names_free(&names);
	return err;
}

static int list_tracepoints(const struct listing *listing, const char *tracefs)
{
	struct names systems;
	int err;

	if (!tracefs)
		return 0;
	err = folder_names(&systems, "%s/events", tracefs);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < systems.count && !err; i++)
		err = list_system(listing, tracefs, systems.names[i]);
	names_free(&systems);
	return err;
}

int event_list_available(const struct event_roots *roots, const char *pattern, event_visitor visit,
			 void *data)
{
	struct listing listing = { .visit = visit, .data = data };
	int err;

	if (pattern)
		listing.pattern = span_of(pattern);
	err = list_known(&listing, PERF_TYPE_HARDWARE);
	if (!err)
		err = list_caches(&listing);
	if (!err)
		err = list_known(&listing, PERF_TYPE_SOFTWARE);
	if (!err)
		err = list_forms(&listing);
	if (!err)
		err = list_pmus(&listing, roots->sysfs);
	if (!err)
		err = list_tracepoints(&listing, roots->tracefs);
	return err;
}

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[] = {
		[EVENT_KIND_HARDWARE] = "hardware",	[EVENT_KIND_SOFTWARE] = "software",
		[EVENT_KIND_CACHE] = "cache",		[EVENT_KIND_RAW] = "raw",
		[EVENT_KIND_BREAKPOINT] = "breakpoint", [EVENT_KIND_PMU] = "PMU",
		[EVENT_KIND_TRACEPOINT] = "tracepoint",
	};

	return names[kind];
}
