// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads what sysfs says of one PMU: format/, events/, and cpumask or cpus. */
#include "pmu_read.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "../base/values.h"
#include "files.h"

static const char *const attributes[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };

/* "0-7" or "5" */
static int parse_bits(struct span bits, uint64_t *mask)
{
	const char *dash = memchr(bits.begin, '-', span_length(bits));
	const char *end = dash ? dash : bits.end;
	uint64_t first, last;

	if (digits_parse(bits.begin, (size_t)(end - bits.begin), 10, &first))
		return -EINVAL;
	last = first;
	if (dash && digits_parse(dash + 1, (size_t)(bits.end - dash - 1), 10, &last))
		return -EINVAL;
	if (last < first || last > 63)
		return -EINVAL;
	*mask |= UINT64_MAX >> (63 - (last - first)) << first;
	return 0;
}

int pmu_field_parse(const char *text, struct pmu_field *field)
{
	static const char *const words[EVENT_CONFIG_WORDS] = { "config:", "config1:", "config2:",
							       "config3:" };
	unsigned word = 0;

	while (word < EVENT_CONFIG_WORDS && strncmp(text, words[word], strlen(words[word])) != 0)
		word++;
	if (word == EVENT_CONFIG_WORDS)
		return -EINVAL;
	field->word = word;
	field->mask = 0;
	text += strlen(words[word]);
	for (;;) {
		size_t length = strcspn(text, ",");

		if (parse_bits((struct span){ text, text + length }, &field->mask))
			return -EINVAL;
		if (text[length] == '\0')
			return 0;
		text += length + 1;
	}
}

bool pmu_is_attribute(struct span name)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		size_t length = strlen(attributes[i]);

		if (span_length(name) >= length &&
		    memcmp(name.end - length, attributes[i], length) == 0)
			return true;
	}
	return false;
}

static int read_field(const struct pmu_set *set, struct pmu *pmu, const char *name)
{
	struct pmu_field *field = &pmu->fields[pmu->field_count];
	char line[FILE_LINE_SIZE];

	if (file_line(line, "%s/" PMU_FOLDER "/%s/format/%s", set->sysfs, pmu->name, name) ||
	    pmu_field_parse(line, field))
		return 0;
	field->name = strdup(name);
	if (!field->name)
		return -ENOMEM;
	pmu->field_count++;
	return 0;
}

static int read_fields(const struct pmu_set *set, struct pmu *pmu)
{
	struct names names;
	int err;

	err = folder_names(&names, "%s/" PMU_FOLDER "/%s/format", set->sysfs, pmu->name);
	if (err)
		return err == -ENOMEM ? err : 0;
	pmu->fields = calloc(names.count + 1, sizeof(*pmu->fields));
	if (!pmu->fields)
		err = -ENOMEM;
	for (size_t i = 0; i < names.count && !err; i++)
		err = read_field(set, pmu, names.names[i]);
	names_free(&names);
	return err;
}

/* As "2.3283064365386962890625e-10", whatever the locale. 1 if it is no such number. */
static double parse_scale(const char *text)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
	double scale;
	char *end;

	if (!plain)
		return 1;
	scale = strtod_l(text, &end, plain);
	freelocale(plain);
	return end == text || *end != '\0' || !isfinite(scale) ? 1 : scale;
}

static int read_attributes(const struct pmu_set *set, struct pmu *pmu, struct pmu_alias *alias)
{
	const char *name = alias->name;
	char line[FILE_LINE_SIZE];
	uint64_t per_package;

	alias->scale = 1;
	if (!file_line(line, "%s/" PMU_FOLDER "/%s/events/%s.scale", set->sysfs, pmu->name, name))
		alias->scale = parse_scale(line);
	if (!file_number(&per_package, "%s/" PMU_FOLDER "/%s/events/%s.per-pkg", set->sysfs,
			 pmu->name, name))
		alias->per_package = per_package != 0;
	if (!file_line(line, "%s/" PMU_FOLDER "/%s/events/%s.unit", set->sysfs, pmu->name, name)) {
		alias->unit = strdup(line);
		if (!alias->unit)
			return -ENOMEM;
	}
	return 0;
}

static int read_alias(const struct pmu_set *set, struct pmu *pmu, const char *name)
{
	struct pmu_alias *alias = &pmu->aliases[pmu->alias_count];
	char line[FILE_LINE_SIZE];

	if (pmu_is_attribute(span_of(name)) ||
	    file_line(line, "%s/" PMU_FOLDER "/%s/events/%s", set->sysfs, pmu->name, name))
		return 0;
	pmu->alias_count++;
	alias->name = strdup(name);
	alias->terms = strdup(line);
	if (!alias->name || !alias->terms)
		return -ENOMEM;
	return read_attributes(set, pmu, alias);
}

static int read_aliases(const struct pmu_set *set, struct pmu *pmu)
{
	struct names names;
	int err;

	err = folder_names(&names, "%s/" PMU_FOLDER "/%s/events", set->sysfs, pmu->name);
	if (err)
		return err == -ENOMEM ? err : 0;
	pmu->aliases = calloc(names.count + 1, sizeof(*pmu->aliases));
	if (!pmu->aliases)
		err = -ENOMEM;
	for (size_t i = 0; i < names.count && !err; i++)
		err = read_alias(set, pmu, names.names[i]);
	names_free(&names);
	return err;
}

static int read_cpus(const struct pmu_set *set, struct pmu *pmu)
{
	char line[FILE_LINE_SIZE];
	int err;

	if (!file_line(line, "%s/" PMU_FOLDER "/%s/cpumask", set->sysfs, pmu->name))
		pmu->has_cpumask = true;
	else if (file_line(line, "%s/" PMU_FOLDER "/%s/cpus", set->sysfs, pmu->name))
		return 0;
	err = cpulist_parse(line, &pmu->cpus);
	pmu->no_cpus = err == -EINVAL;
	return err == -ENOMEM ? err : 0;
}

int pmu_read(const struct pmu_set *set, struct pmu *pmu)
{
	int err;

	if (pmu->is_read)
		return 0;
	err = read_fields(set, pmu);
	if (!err)
		err = read_aliases(set, pmu);
	if (!err)
		err = read_cpus(set, pmu);
	pmu->is_read = !err;
	return err;
}
