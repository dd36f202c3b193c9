/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PMUs as sysfs describes them, in bus/event_source/devices. */
#ifndef TRACER_EVENT_PMU_H
#define TRACER_EVENT_PMU_H

#include "../base/cpulist.h"
#include "event.h"
#include "text.h"

/* A field of the configuration: format/NAME. Its value's lowest bit goes to the mask's lowest. */
struct pmu_field {
	char *name;
	unsigned word; /* below EVENT_CONFIG_WORDS */
	uint64_t mask; /* not 0 */
};

/* events/NAME, and what stands beside it. */
struct pmu_alias {
	char *name;
	char *terms; /* as "event=0x3c,umask=1" */
	char *unit;  /* NULL if there is none */
	double scale;
	bool per_package;
};

struct pmu {
	char *name;
	uint32_t type;
	bool is_core; /* of CPUs: what hardware and cache events are counted by */
	bool is_read; /* by pmu_read(); what follows is empty before */
	struct pmu_field *fields;
	size_t field_count;
	struct pmu_alias *aliases;
	size_t alias_count;
	struct cpulist cpus; /* none: every CPU */
	bool has_cpumask; /* of something that CPUs share, as a memory controller: counts no single task */
	bool no_cpus; /* the list in sysfs is empty, or none */
};

struct pmu_set {
	const char *sysfs;
	struct pmu *pmus; /* sorted by name */
	size_t count;
};

/* Names and types of all; none if the folder cannot be read. sysfs must outlive the set. 0 or -ENOMEM. */
int pmu_set_read(const char *sysfs, struct pmu_set *set);
void pmu_set_free(struct pmu_set *set);

/* Fields, named events and CPUs, once; what sysfs describes in no way that is known is left out. 0 or -ENOMEM. */
int pmu_read(const struct pmu_set *set, struct pmu *pmu);

/* NULL if there is none. */
const struct pmu_field *pmu_find_field(const struct pmu *pmu, struct span name);
const struct pmu_alias *pmu_find_alias(const struct pmu *pmu, struct span name);
/* Without reading the PMU. */
bool pmu_has_alias(const struct pmu_set *set, const struct pmu *pmu, struct span name);

/*
 * Which PMUs a name means: the one of that name; else those that the name and a number make, as
 * uncore_imc or imc mean uncore_imc_0 and uncore_imc_1; or those that match, if it has * or ?.
 */
bool pmu_is_meant(const struct pmu_set *set, const struct pmu *pmu, struct span name);
/* What is left of a PMU's name without its number: its length. PMUs with the same are siblings. */
size_t pmu_family(const struct pmu *pmu);

/* The largest value that a field can have. */
uint64_t pmu_field_max(const struct pmu_field *field);
/* The value's bits, where the field has them. */
uint64_t pmu_field_spread(const struct pmu_field *field, uint64_t value);

/*
 * May its events be in a group with those of another PMU? The kernel's own, and those that it schedules
 * like them: tracepoints, breakpoints, AUX tracers.
 */
bool pmu_joins_any(const struct pmu *pmu);
/* Does it write AUX data instead of samples? */
bool pmu_is_tracer(const struct pmu *pmu);

#endif
