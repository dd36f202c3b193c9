// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * PMU/TERMS/, and events by the name that a PMU gives them. Terms are applied in two rounds: named events
 * first, then fields, so that "cpu/ldlat=30,mem-loads/" has the latency that was asked for and not the one
 * that the named event comes with.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/values.h"
#include "known.h"
#include "parser.h"
#include "suggest.h"
#include "terms.h"

struct pmu_terms {
	struct event_parser *parser;
	const struct pmu *pmu;
	struct span all; /* the user's terms */
	struct event_spec *spec;
	uint64_t given[EVENT_CONFIG_WORDS]; /* bits of fields that the user gave */
	bool has_event;			    /* by name */
};

int event_take_pmu(struct event_parser *parser, struct pmu *pmu, struct span where,
		   struct event_spec *spec)
{
	int err = pmu_read(&parser->pmus, pmu);

	if (err)
		return err;
	if (pmu->no_cpus)
		return event_refuse(&parser->text, where, "no CPU is online that %s can be read on",
				    pmu->name);
	spec->pmu = strdup(pmu->name);
	if (!spec->pmu)
		return -ENOMEM;
	if (pmu->cpus.count) {
		spec->cpus.cpus = calloc(pmu->cpus.count, sizeof(*spec->cpus.cpus));
		if (!spec->cpus.cpus)
			return -ENOMEM;
		spec->cpus.count = pmu->cpus.count;
		memcpy(spec->cpus.cpus, pmu->cpus.cpus, pmu->cpus.count * sizeof(*spec->cpus.cpus));
	}
	return 0;
}

static int refuse_term(struct pmu_terms *terms, const struct event_term *term)
{
	const struct pmu *pmu = terms->pmu;
	struct growing growing = {};
	struct suggestions near = {};
	char *all;
	int err;

	growing_append(&growing, "its terms:%s", pmu->field_count ? "" : " none");
	for (size_t i = 0; i < pmu->field_count; i++) {
		growing_append(&growing, " %s", pmu->fields[i].name);
		suggest(&near, term->name, pmu->fields[i].name);
	}
	for (size_t i = 0; i < pmu->alias_count; i++)
		suggest(&near, term->name, pmu->aliases[i].name);
	growing_append(&growing, "; every event has %s; --list events shows the %zu that %s names",
		       event_general_terms, pmu->alias_count, pmu->name);
	all = growing_take(&growing);
	if (!all)
		return -ENOMEM;
	err = suggestions_refuse(&near, &terms->parser->text, term->where, all,
				 "%s has no term %.*s", pmu->name, SPAN_ARGUMENTS(term->name));
	free(all);
	return err;
}

static int set_field(struct pmu_terms *terms, const struct event_term *term,
		     const struct pmu_field *field, bool of_user)
{
	const struct event_text *text = &terms->parser->text;
	uint64_t max = pmu_field_max(field), word, value;
	int err;

	err = event_term_number(text, term, &value);
	if (err)
		return err;
	if (value > max)
		return event_refuse(text, term->where,
				    "0x%llx does not fit into %s, whose largest value is 0x%llx",
				    (unsigned long long)value, field->name,
				    (unsigned long long)max);
	value = pmu_field_spread(field, value);
	word = event_config_get(terms->spec, field->word);
	if (of_user && (terms->given[field->word] & field->mask) &&
	    (word & field->mask & terms->given[field->word]) != (value & terms->given[field->word]))
		return event_refuse(text, term->where, "%s was given another value before",
				    field->name);
	if (of_user)
		terms->given[field->word] |= field->mask;
	event_config_set(terms->spec, field->word, (word & ~field->mask) | value);
	return 0;
}

/* Did the user give a term of this name? */
static bool is_given(const struct pmu_terms *terms, struct span name)
{
	struct span rest = terms->all;
	struct event_term term = {};

	while (event_term_next(&terms->parser->text, &rest, NULL, &term) > 0)
		if (span_length(term.name) == span_length(name) && term.value.begin &&
		    memcmp(term.name.begin, name.begin, span_length(name)) == 0)
			return true;
	return false;
}

/* One of the terms that a named event stands for. */
static int apply_alias_term(struct pmu_terms *terms, const struct pmu_alias *alias,
			    const struct event_term *term)
{
	const struct event_text *text = &terms->parser->text;
	const struct pmu_field *field;
	int err;

	/* a parameter, which is for the user to fill in */
	if (term->value.begin && span_is(term->value, "?")) {
		if (is_given(terms, term->name))
			return 0;
		return event_refuse(text, term->where, "%s needs %.*s=NUMBER", alias->name,
				    SPAN_ARGUMENTS(term->name));
	}
	field = pmu_find_field(terms->pmu, term->name);
	if (field)
		return set_field(terms, term, field, false);
	err = event_apply_general(text, term, terms->spec);
	if (err == -ENOENT)
		err = event_refuse(text, term->where,
				   "sysfs says that %s is '%s', but not what %.*s is", alias->name,
				   alias->terms, SPAN_ARGUMENTS(term->name));
	return err;
}

static int apply_alias(struct pmu_terms *terms, const struct pmu_alias *alias, struct span where)
{
	struct span rest = span_of(alias->terms);
	struct event_spec *spec = terms->spec;
	struct event_term term = {};
	int more;

	if (terms->has_event)
		return event_refuse(&terms->parser->text, where, "there is another event before");
	terms->has_event = true;
	while ((more = event_term_next(&terms->parser->text, &rest, &where, &term)) > 0) {
		int err = apply_alias_term(terms, alias, &term);

		if (err)
			return err;
	}
	spec->scale = alias->scale;
	spec->per_package = alias->per_package;
	spec->unit = alias->unit ? strdup(alias->unit) : NULL;
	return alias->unit && !spec->unit ? -ENOMEM : more;
}

/* "cycles" of a PMU of CPUs: under another name in sysfs, or as the kernel's generic event on it. */
static int apply_generic(struct pmu_terms *terms, struct span name)
{
	const struct known_event *event = known_event_find(name);
	const struct pmu_alias *alias = NULL;
	struct event_spec *spec = terms->spec;
	const char *why = NULL;
	uint64_t config;

	if (!terms->pmu->is_core)
		return -ENOENT;
	if (event && event->type != PERF_TYPE_HARDWARE)
		return -ENOENT;
	if (event)
		alias = pmu_find_alias(terms->pmu, span_of(event->name));
	if (alias)
		return apply_alias(terms, alias, name);
	if (event)
		config = event->config;
	else if (known_cache_find(name, &config, &why))
		return why ? event_refuse(&terms->parser->text, name, "%s", why) : -ENOENT;
	if (terms->has_event)
		return event_refuse(&terms->parser->text, name, "there is another event before");
	terms->has_event = true;
	spec->attr.type = event ? PERF_TYPE_HARDWARE : PERF_TYPE_HW_CACHE;
	/* where there is one kind of CPUs, all kernels find its PMU without this */
	if (terms->parser->core)
		config |= (uint64_t)terms->pmu->type << PERF_PMU_TYPE_SHIFT;
	spec->attr.config = config;
	return 0;
}

/* The event that a term names, or NULL: "NAME" or "event=NAME". */
static const struct pmu_alias *find_alias(const struct pmu *pmu, const struct event_term *term)
{
	uint64_t value;

	if (!term->value.begin)
		return pmu_find_field(pmu, term->name) ? NULL : pmu_find_alias(pmu, term->name);
	if (span_is(term->name, "event") && span_number(term->value, &value))
		return pmu_find_alias(pmu, term->value);
	return NULL;
}

static bool is_raw(const struct event_term *term, uint64_t *config)
{
	return !term->value.begin && span_starts(term->name, "r") &&
	       digits_parse(term->name.begin + 1, span_length(term->name) - 1, 16, config) == 0;
}

/* The first round: everything but fields. */
static int apply_event(struct pmu_terms *terms, const struct event_term *term)
{
	const struct pmu_alias *alias = find_alias(terms->pmu, term);
	uint64_t config;
	int err;

	if (alias)
		return apply_alias(terms, alias, term->where);
	if (pmu_find_field(terms->pmu, term->name))
		return 0;
	err = event_apply_general(&terms->parser->text, term, terms->spec);
	if (err == -ENOENT && !term->value.begin)
		err = apply_generic(terms, term->name);
	if (err == -ENOENT && is_raw(term, &config)) {
		terms->spec->attr.config = config;
		return 0;
	}
	return err == -ENOENT ? refuse_term(terms, term) : err;
}

/* The second round. */
static int apply_field(struct pmu_terms *terms, const struct event_term *term)
{
	const struct pmu_field *field = pmu_find_field(terms->pmu, term->name);

	if (!field || find_alias(terms->pmu, term))
		return 0;
	return set_field(terms, term, field, true);
}

static int apply_round(struct pmu_terms *terms,
		       int (*apply)(struct pmu_terms *, const struct event_term *))
{
	struct span rest = terms->all;
	struct event_term term = {};
	int more, err;

	if (span_length(span_trim(rest)) == 0)
		return 0;
	while ((more = event_term_next(&terms->parser->text, &rest, NULL, &term)) > 0) {
		err = apply(terms, &term);
		if (err)
			return err;
	}
	return more;
}

/* "imc/event=1/" as "uncore_imc_0/event=1/", unless the user named it. */
static int name_for_sibling(const struct pmu *pmu, const struct event_parts *parts,
			    struct event_spec *spec)
{
	struct span behind = { parts->name.end, parts->whole.end };

	if (spec->name || span_is(parts->name, pmu->name))
		return 0;
	if (asprintf(&spec->name, "%s%.*s", pmu->name, SPAN_ARGUMENTS(behind)) < 0)
		spec->name = NULL;
	return spec->name ? 0 : -ENOMEM;
}

/* by_alias: the event is named in place of the PMU. */
static int add_of_pmu(struct event_parser *parser, const struct event_parts *parts, struct pmu *pmu,
		      bool by_alias)
{
	struct event_spec spec = event_spec_new(pmu->type, 0);
	struct pmu_terms terms = {
		.parser = parser,
		.pmu = pmu,
		.all = parts->terms,
		.spec = &spec,
	};
	const struct pmu_alias *alias;
	int err;

	err = event_take_pmu(parser, pmu, parts->name, &spec);
	if (!err && by_alias) {
		alias = pmu_find_alias(pmu, parts->name);
		err = alias ? apply_alias(&terms, alias, parts->name) :
			      event_refuse(&parser->text, parts->name,
					   "what it is cannot be read in sysfs");
	}
	if (!err)
		err = apply_round(&terms, apply_event);
	if (!err)
		err = apply_round(&terms, apply_field);
	if (!err && !by_alias)
		err = name_for_sibling(pmu, parts, &spec);
	if (err) {
		event_spec_free(&spec);
		return err;
	}
	return event_list_append(parser->list, &spec);
}

static int refuse_pmu(struct event_parser *parser, const struct event_parts *parts)
{
	struct growing growing = {};
	struct suggestions near = {};
	char *all;
	int err;

	growing_append(&growing, "the PMUs of this machine:%s", parser->pmus.count ? "" : " none");
	for (size_t i = 0; i < parser->pmus.count; i++) {
		growing_append(&growing, " %s", parser->pmus.pmus[i].name);
		suggest(&near, parts->name, parser->pmus.pmus[i].name);
	}
	all = growing_take(&growing);
	if (!all)
		return -ENOMEM;
	err = suggestions_refuse(&near, &parser->text, parts->name, all,
				 "there is no such event or PMU");
	free(all);
	return err;
}

int event_add_pmu(struct event_parser *parser, const struct event_parts *parts)
{
	size_t before = parser->list->count;
	int err = 0;

	for (size_t i = 0; i < parser->pmus.count && !err; i++)
		if (pmu_is_meant(&parser->pmus, &parser->pmus.pmus[i], parts->name))
			err = add_of_pmu(parser, parts, &parser->pmus.pmus[i], false);
	if (!err && parser->list->count == before)
		err = refuse_pmu(parser, parts);
	return err;
}

bool event_is_alias(const struct event_parser *parser, struct span name)
{
	for (size_t i = 0; i < parser->pmus.count; i++)
		if (pmu_has_alias(&parser->pmus, &parser->pmus.pmus[i], name))
			return true;
	return false;
}

static bool are_alike(const struct pmu *a, const struct pmu *b)
{
	size_t family = pmu_family(a);

	return (a->is_core && b->is_core) ||
	       (pmu_family(b) == family && memcmp(a->name, b->name, family) == 0);
}

int event_add_alias(struct event_parser *parser, const struct event_parts *parts)
{
	const struct pmu *first = NULL;
	int err = 0;

	for (size_t i = 0; i < parser->pmus.count && !err; i++) {
		struct pmu *pmu = &parser->pmus.pmus[i];

		if (!pmu_has_alias(&parser->pmus, pmu, parts->name))
			continue;
		if (first && !are_alike(first, pmu))
			return event_refuse(&parser->text, parts->name,
					    "several PMUs have it; say %s/%.*s/ or %s/%.*s/",
					    first->name, SPAN_ARGUMENTS(parts->name), pmu->name,
					    SPAN_ARGUMENTS(parts->name));
		if (!first)
			first = pmu;
		err = add_of_pmu(parser, parts, pmu, true);
	}
	return err;
}
