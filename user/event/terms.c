// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Terms as such, and those that do not depend on the PMU. */
#include "terms.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/values.h"

const char event_general_terms[] =
	"config config1 config2 config3 name period freq call-graph stack-size max-stack time "
	"inherit no-inherit overwrite no-overwrite aux-output aux-sample-size";

/* What a copied stack can have: it is carried in a 16-bit size, in words of 8 bytes. */
#define STACK_SIZE_MAX 65528
#define AUX_SAMPLE_MAX UINT16_MAX

/* The ',' that ends a term, outside of quotes, or the end. NULL: a quote is not closed. */
static const char *find_term_end(struct span rest)
{
	bool quoted = false;

	for (const char *at = rest.begin; at < rest.end; at++) {
		if (*at == '\'')
			quoted = !quoted;
		else if (*at == ',' && !quoted)
			return at;
	}
	return quoted ? NULL : rest.end;
}

static struct span unquote(struct span value)
{
	if (span_length(value) >= 2 && *value.begin == '\'' && value.end[-1] == '\'')
		return (struct span){ value.begin + 1, value.end - 1 };
	return value;
}

int event_term_next(const struct event_text *text, struct span *rest, const struct span *where,
		    struct event_term *term)
{
	const char *end, *equals;
	struct span whole;

	if (!rest->begin)
		return 0;
	end = find_term_end(*rest);
	if (!end)
		return event_refuse(text, where ? *where : *rest, "a ' is not closed");
	whole = span_trim((struct span){ rest->begin, end });
	*term = (struct event_term){ .where = where ? *where : whole, .name = whole };
	equals = memchr(whole.begin, '=', span_length(whole));
	if (equals) {
		term->name = span_trim((struct span){ whole.begin, equals });
		term->value = unquote(span_trim((struct span){ equals + 1, whole.end }));
	}
	*rest = end < rest->end ? (struct span){ end + 1, rest->end } : (struct span){};
	if (span_length(term->name) == 0)
		return event_refuse(text, term->where, "there is no term");
	if (equals && span_length(term->value) == 0)
		return event_refuse(text, term->where, "there is no value behind '='");
	return 1;
}

int event_term_number(const struct event_text *text, const struct event_term *term, uint64_t *value)
{
	*value = 1;
	if (!term->value.begin)
		return 0;
	if (span_number(term->value, value))
		return event_refuse(text, term->where,
				    "'%.*s' is no number, decimal or hexadecimal behind 0x",
				    SPAN_ARGUMENTS(term->value));
	return 0;
}

/* A number that must be given, from 1 to the maximum. */
static int bounded(const struct event_text *text, const struct event_term *term, uint64_t max,
		   uint64_t *value)
{
	int err;

	if (!term->value.begin)
		return event_refuse(text, term->where, "%.*s needs a value: %.*s=NUMBER",
				    SPAN_ARGUMENTS(term->name), SPAN_ARGUMENTS(term->name));
	err = event_term_number(text, term, value);
	if (!err && (*value == 0 || *value > max))
		err = event_refuse(text, term->where, "%.*s is from 1 to %llu",
				   SPAN_ARGUMENTS(term->name), (unsigned long long)max);
	return err;
}

static int apply_config(const struct event_text *text, const struct event_term *term,
			struct event_spec *spec)
{
	static const char *const words[EVENT_CONFIG_WORDS] = { "config", "config1", "config2",
							       "config3" };
	uint64_t value = 0;
	unsigned word = 0;
	int err;

	while (!span_is(term->name, words[word]))
		word++;
	if (!term->value.begin)
		return event_refuse(text, term->where, "%s needs a value: %s=NUMBER", words[word],
				    words[word]);
	err = event_term_number(text, term, &value);
	if (!err)
		event_config_set(spec, word, value);
	return err;
}

static int apply_name(const struct event_text *text, const struct event_term *term,
		      struct event_spec *spec)
{
	if (!term->value.begin)
		return event_refuse(text, term->where, "name needs a value: name=NAME");
	free(spec->name);
	spec->name = span_copy(term->value);
	return spec->name ? 0 : -ENOMEM;
}

static int apply_rate(const struct event_text *text, const struct event_term *term,
		      struct event_spec *spec)
{
	bool is_period = span_is(term->name, "period");
	uint64_t value = 0;
	int err;

	if (is_period ? spec->has_freq : spec->has_period)
		return event_refuse(text, term->where, "an event has a period or a freq, not both");
	/* the kernel's own limit of a period */
	err = bounded(text, term, INT64_MAX, &value);
	if (err)
		return err;
	spec->attr.sample_period = value; /* sample_freq is the same word */
	spec->attr.freq = !is_period;
	spec->has_period = is_period;
	spec->has_freq = !is_period;
	return 0;
}

static int apply_call_graph(const struct event_text *text, const struct event_term *term,
			    struct event_spec *spec)
{
	static const struct {
		const char *name;
		enum event_call_graph call_graph;
	} kinds[] = {
		{ "fp", EVENT_CALL_GRAPH_FP },	   { "dwarf", EVENT_CALL_GRAPH_AUTO },
		{ "auto", EVENT_CALL_GRAPH_AUTO }, { "no", EVENT_CALL_GRAPH_NONE },
		{ "none", EVENT_CALL_GRAPH_NONE },
	};

	for (size_t i = 0; term->value.begin && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (span_is(term->value, kinds[i].name)) {
			spec->call_graph = kinds[i].call_graph;
			return 0;
		}
	}
	return event_refuse(text, term->where, "call-graph is fp, dwarf, auto or none%s",
			    term->value.begin && span_is(term->value, "lbr") ?
				    ": branch records are not read" :
				    "");
}

static int apply_sizes(const struct event_text *text, const struct event_term *term,
		       struct event_spec *spec)
{
	bool is_stack = span_is(term->name, "stack-size"),
	     is_depth = span_is(term->name, "max-stack");
	uint64_t max = is_depth ? UINT16_MAX : is_stack ? STACK_SIZE_MAX : AUX_SAMPLE_MAX;
	uint64_t value = 0;
	int err;

	err = bounded(text, term, max, &value);
	if (err)
		return err;
	/* the kernel takes stacks in words */
	if (is_stack && value % sizeof(uint64_t))
		return event_refuse(text, term->where, "stack-size is a multiple of 8");
	if (is_stack)
		spec->stack_size = (uint32_t)value;
	else if (is_depth)
		spec->max_stack = (uint32_t)value;
	else
		spec->attr.aux_sample_size = (uint32_t)value;
	return 0;
}

/* "inherit", "no-inherit", "time=0", ... */
static int apply_choice(const struct event_text *text, const struct event_term *term,
			struct event_spec *spec)
{
	bool negated = span_starts(term->name, "no-");
	struct span name = negated ? (struct span){ term->name.begin + 3, term->name.end } :
				     term->name;
	uint64_t value = 0;
	int err;

	err = event_term_number(text, term, &value);
	if (err)
		return err;
	if (value > 1)
		return event_refuse(text, term->where, "%.*s is 0 or 1",
				    SPAN_ARGUMENTS(term->name));
	value ^= negated;
	if (span_is(name, "time"))
		spec->time = value ? EVENT_YES : EVENT_NO;
	else if (span_is(name, "inherit"))
		spec->inherit = value ? EVENT_YES : EVENT_NO;
	else if (span_is(name, "overwrite"))
		spec->overwrite = value ? EVENT_YES : EVENT_NO;
	else
		spec->attr.aux_output = value & 1;
	return 0;
}

typedef int (*apply_function)(const struct event_text *text, const struct event_term *term,
			      struct event_spec *spec);

static const struct {
	const char *name;
	apply_function apply; /* NULL: perf's, but refused */
	const char *why;
} general[] = {
	{ "config", apply_config, NULL },
	{ "config1", apply_config, NULL },
	{ "config2", apply_config, NULL },
	{ "config3", apply_config, NULL },
	{ "name", apply_name, NULL },
	{ "period", apply_rate, NULL },
	{ "freq", apply_rate, NULL },
	{ "call-graph", apply_call_graph, NULL },
	{ "stack-size", apply_sizes, NULL },
	{ "max-stack", apply_sizes, NULL },
	{ "aux-sample-size", apply_sizes, NULL },
	{ "time", apply_choice, NULL },
	{ "inherit", apply_choice, NULL },
	{ "no-inherit", apply_choice, NULL },
	{ "overwrite", apply_choice, NULL },
	{ "no-overwrite", apply_choice, NULL },
	{ "aux-output", apply_choice, NULL },
	{ "branch_type", NULL, "branch records are not read here" },
	{ "nr", NULL, "--max-events ends a recording after so many events" },
	{ "percore", NULL, "counts are not added up by core here" },
	{ "aux-action", NULL, "AUX areas are not paused and resumed here" },
	{ "metric-id", NULL, "metrics are not computed here" },
	{ "driver-config", NULL, "drivers are configured by the PMU's own terms" },
};

int event_apply_general(const struct event_text *text, const struct event_term *term,
			struct event_spec *spec)
{
	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++) {
		if (!span_is(term->name, general[i].name))
			continue;
		if (!general[i].apply)
			return event_refuse(text, term->where, "%s: %s", general[i].name,
					    general[i].why);
		return general[i].apply(text, term, spec);
	}
	return -ENOENT;
}

int event_apply_terms(const struct event_text *text, struct span terms, struct event_spec *spec)
{
	struct event_term term = {};
	int more, err;

	/* "cycles//" has none */
	if (span_length(span_trim(terms)) == 0)
		return 0;
	while ((more = event_term_next(text, &terms, NULL, &term)) > 0) {
		err = event_apply_general(text, &term, spec);
		if (err == -ENOENT)
			err = event_refuse(text, term.where,
					   "this event has no term %.*s; those it can have: %s",
					   SPAN_ARGUMENTS(term.name), event_general_terms);
		if (err)
			return err;
	}
	return more;
}
