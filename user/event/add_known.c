// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Events by the kernel's names and by number. Where a machine has CPUs of several kinds, the generic
 * ones are made for one kind: parser->core.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/values.h"
#include "known.h"
#include "parser.h"
#include "terms.h"

/* rHEX */
static bool is_raw(struct span name, uint64_t *config)
{
	return span_starts(name, "r") &&
	       digits_parse(name.begin + 1, span_length(name) - 1, 16, config) == 0;
}

bool event_is_known(struct span name)
{
	const char *why;
	uint64_t config;

	return known_event_find(name) || known_cache_find(name, &config, &why) != -ENOENT ||
	       is_raw(name, &config);
}

/* "cycles:u" as "cpu_core/cycles:u/", unless the user named it. */
static int name_for_core(const struct event_parser *parser, const struct event_parts *parts,
			 struct event_spec *spec)
{
	const char *core = parser->core->name;
	int length;

	if (spec->name)
		return 0;
	if (parts->terms.begin)
		length = asprintf(&spec->name, "%s/%.*s,%.*s/%.*s", core,
				  SPAN_ARGUMENTS(parts->name), SPAN_ARGUMENTS(parts->terms),
				  SPAN_ARGUMENTS(parts->modifiers));
	else
		length = asprintf(&spec->name, "%s/%.*s/", core, SPAN_ARGUMENTS(parts->whole));
	if (length < 0)
		spec->name = NULL;
	return spec->name ? 0 : -ENOMEM;
}

/* The kernel takes the PMU in the upper half of a generic event's number, and as the type of a raw one. */
static int bind_to_core(struct event_parser *parser, const struct event_parts *parts,
			struct event_spec *spec)
{
	int err;

	if (spec->attr.type != PERF_TYPE_HARDWARE && spec->attr.type != PERF_TYPE_HW_CACHE &&
	    spec->attr.type != PERF_TYPE_RAW)
		return 0;
	parser->used_core = true;
	if (!parser->core)
		return 0;
	if (spec->attr.type == PERF_TYPE_RAW)
		spec->attr.type = parser->core->type;
	else
		spec->attr.config |= (uint64_t)parser->core->type << PERF_PMU_TYPE_SHIFT;
	err = event_take_pmu(parser, parser->core, parts->name, spec);
	return err ? err : name_for_core(parser, parts, spec);
}

static int add_number(struct event_parser *parser, const struct event_parts *parts, uint32_t type,
		      uint64_t config)
{
	struct event_spec spec = event_spec_new(type, config);
	int err = 0;

	if (parts->terms.begin)
		err = event_apply_terms(&parser->text, parts->terms, &spec);
	if (!err)
		err = bind_to_core(parser, parts, &spec);
	if (err) {
		event_spec_free(&spec);
		return err;
	}
	return event_list_append(parser->list, &spec);
}

/* TYPE:CONFIG */
static int add_typed(struct event_parser *parser, const struct event_parts *parts)
{
	uint64_t type, config;

	if (span_number(parts->name, &type) || type > UINT32_MAX)
		return event_refuse(&parser->text, parts->name,
				    "no type of events, which is a number of 32 bits");
	if (span_number(parts->second, &config))
		return event_refuse(&parser->text, parts->second,
				    "no number of an event: TYPE:CONFIG takes two numbers");
	return add_number(parser, parts, (uint32_t)type, config);
}

int event_add_known(struct event_parser *parser, const struct event_parts *parts)
{
	const struct known_event *event = known_event_find(parts->name);
	const char *why;
	uint64_t config;
	int err;

	if (parts->second.begin)
		return add_typed(parser, parts);
	if (event)
		return add_number(parser, parts, event->type, event->config);
	err = known_cache_find(parts->name, &config, &why);
	if (err == -EINVAL)
		return event_refuse(&parser->text, parts->name, "%s", why);
	if (!err)
		return add_number(parser, parts, PERF_TYPE_HW_CACHE, config);
	if (!is_raw(parts->name, &config))
		return event_refuse_unknown(parser, parts);
	return add_number(parser, parts, PERF_TYPE_RAW, config);
}
