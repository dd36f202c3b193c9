// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The set of PMUs, their names, and what a name means. */
#include "pmu.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "files.h"
#include "pmu_read.h"

static const char uncore[] = "uncore_";

static int append_pmu(struct pmu_set *set, const char *name, uint32_t type)
{
	struct pmu *grown = reallocarray(set->pmus, set->count + 1, sizeof(*grown));
	struct pmu *pmu;

	if (!grown)
		return -ENOMEM;
	set->pmus = grown;
	pmu = &grown[set->count];
	*pmu = (struct pmu){ .name = strdup(name), .type = type };
	if (!pmu->name)
		return -ENOMEM;
	pmu->is_core = strcmp(name, "cpu") == 0 ||
		       file_exists("%s/" PMU_FOLDER "/%s/cpus", set->sysfs, name);
	set->count++;
	return 0;
}

int pmu_set_read(const char *sysfs, struct pmu_set *set)
{
	struct names names;
	int err;

	*set = (struct pmu_set){ .sysfs = sysfs };
	err = folder_names(&names, "%s/" PMU_FOLDER, sysfs);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < names.count && !err; i++) {
		uint64_t type;

		if (!file_number(&type, "%s/" PMU_FOLDER "/%s/type", sysfs, names.names[i]) &&
		    type <= UINT32_MAX)
			err = append_pmu(set, names.names[i], (uint32_t)type);
	}
	names_free(&names);
	if (err)
		pmu_set_free(set);
	return err;
}

static void free_pmu(struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->field_count; i++)
		free(pmu->fields[i].name);
	for (size_t i = 0; i < pmu->alias_count; i++) {
		free(pmu->aliases[i].name);
		free(pmu->aliases[i].terms);
		free(pmu->aliases[i].unit);
	}
	free(pmu->fields);
	free(pmu->aliases);
	free(pmu->name);
	cpulist_free(&pmu->cpus);
}

void pmu_set_free(struct pmu_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free_pmu(&set->pmus[i]);
	free(set->pmus);
	*set = (struct pmu_set){};
}

const struct pmu_field *pmu_find_field(const struct pmu *pmu, struct span name)
{
	for (size_t i = 0; i < pmu->field_count; i++)
		if (span_is(name, pmu->fields[i].name))
			return &pmu->fields[i];
	return NULL;
}

const struct pmu_alias *pmu_find_alias(const struct pmu *pmu, struct span name)
{
	for (size_t i = 0; i < pmu->alias_count; i++)
		if (span_is(name, pmu->aliases[i].name))
			return &pmu->aliases[i];
	return NULL;
}

bool pmu_has_alias(const struct pmu_set *set, const struct pmu *pmu, struct span name)
{
	/* a name in a path: none that leads elsewhere, and not the files beside an event */
	if (span_length(name) == 0 || *name.begin == '.' || span_has(name, '/') ||
	    span_length(name) > NAME_MAX || pmu_is_attribute(name))
		return false;
	return file_exists("%s/" PMU_FOLDER "/%s/events/%.*s", set->sysfs, pmu->name,
			   SPAN_ARGUMENTS(name));
}

size_t pmu_family(const struct pmu *pmu)
{
	size_t length = strlen(pmu->name);

	while (length > 1 && isdigit((unsigned char)pmu->name[length - 1]))
		length--;
	if (pmu->name[length] != '\0' && length > 1 && pmu->name[length - 1] == '_')
		length--;
	return length;
}

static bool is_family(const struct pmu *pmu, const char *name, struct span wanted)
{
	size_t family = pmu_family(pmu) - (size_t)(name - pmu->name);

	return span_length(wanted) == family && memcmp(name, wanted.begin, family) == 0;
}

bool pmu_is_meant(const struct pmu_set *set, const struct pmu *pmu, struct span name)
{
	const char *behind = pmu->name;

	if (span_is(name, pmu->name))
		return true;
	for (size_t i = 0; i < set->count; i++)
		if (span_is(name, set->pmus[i].name))
			return false;
	if (strncmp(behind, uncore, strlen(uncore)) == 0)
		behind += strlen(uncore);
	if (span_is_glob(name))
		return span_matches(name, pmu->name) || span_matches(name, behind);
	return is_family(pmu, pmu->name, name) ||
	       (pmu_family(pmu) > strlen(uncore) && is_family(pmu, behind, name));
}

uint64_t pmu_field_max(const struct pmu_field *field)
{
	int bits = __builtin_popcountll(field->mask);

	return bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
}

uint64_t pmu_field_spread(const struct pmu_field *field, uint64_t value)
{
	uint64_t spread = 0;

	for (uint64_t left = field->mask; left; left &= left - 1, value >>= 1)
		if (value & 1)
			spread |= left & -left;
	return spread;
}

static bool is_one_of(const char *name, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

bool pmu_is_tracer(const struct pmu *pmu)
{
	/* sysfs does not say it; these are the drivers of the kernel, of which arm_spe is numbered */
	static const char *const tracers[] = { "intel_pt", "intel_bts", "arm_spe",
					       "cs_etm",   "hisi_ptt",	"trbe" };

	return is_one_of(pmu->name, tracers, sizeof(tracers) / sizeof(tracers[0]));
}

bool pmu_joins_any(const struct pmu *pmu)
{
	/* nor does it say which a driver has registered for the software context */
	static const char *const software[] = { "kprobe", "uprobe", "msr" };

	return pmu->type == PERF_TYPE_SOFTWARE || pmu->type == PERF_TYPE_TRACEPOINT ||
	       pmu->type == PERF_TYPE_BREAKPOINT || pmu_is_tracer(pmu) ||
	       is_one_of(pmu->name, software, sizeof(software) / sizeof(software[0]));
}
