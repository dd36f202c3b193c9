// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The grammar of -e: events and groups between commas, and the parts of an event. */
#include <errno.h>
#include <stdlib.h>

#include "event.h"
#include "files.h"
#include "known.h"
#include "parser.h"
#include "suggest.h"

static void skip_blanks(struct event_parser *parser)
{
	parser->rest = (struct span){ span_trim(parser->rest).begin, parser->rest.end };
}

static char peek(const struct event_parser *parser)
{
	return parser->rest.begin < parser->rest.end ? *parser->rest.begin : '\0';
}

/* Up to one of the signs, which stays in the rest, or to the end. */
static struct span take_until(struct event_parser *parser, const char *signs)
{
	struct span taken = { parser->rest.begin, parser->rest.begin };

	while (taken.end < parser->rest.end && !strchr(signs, *taken.end))
		taken.end++;
	parser->rest.begin = taken.end;
	return taken;
}

/* "/TERMS/"; commas and braces may be in it. */
static int take_terms(struct event_parser *parser, struct event_parts *parts)
{
	const char *slash = parser->rest.begin++;

	parts->terms = take_until(parser, "/");
	if (peek(parser) != '/')
		return event_refuse(&parser->text, (struct span){ slash, parser->rest.end },
				    "the second '/' is missing: NAME/TERM=VALUE,.../");
	parser->rest.begin++;
	return 0;
}

static bool is_number(struct span span)
{
	uint64_t value;

	return span_number(span, &value) == 0;
}

/* Is what stands behind "NAME:" another name, not modifiers? */
static bool has_second(const struct event_parser *parser, struct span name)
{
	return is_number(name) || (!event_is_known(name) && !event_is_alias(parser, name));
}

static int take_parts(struct event_parser *parser, struct event_parts *parts)
{
	const char *begin = parser->rest.begin;
	int err;

	*parts = (struct event_parts){ .name = span_trim(take_until(parser, "/:,{}")) };
	if (peek(parser) == ':' && has_second(parser, parts->name)) {
		parser->rest.begin++;
		parts->second = span_trim(take_until(parser, "/:,{}"));
	}
	if (peek(parser) == '/') {
		err = take_terms(parser, parts);
		if (err)
			return err;
	}
	if (peek(parser) == ':')
		parser->rest.begin++;
	parts->modifiers = span_trim(take_until(parser, ",{}"));
	parts->whole = span_trim((struct span){ begin, parser->rest.begin });
	return 0;
}

static bool is_pmu(const struct event_parser *parser, struct span name)
{
	for (size_t i = 0; i < parser->pmus.count; i++)
		if (pmu_is_meant(&parser->pmus, &parser->pmus.pmus[i], name))
			return true;
	return false;
}

static int add_named(struct event_parser *parser, const struct event_parts *parts)
{
	if (span_length(parts->name) == 0 && peek(parser) == '{')
		return event_refuse(&parser->text, parser->rest,
				    "a group cannot be within a group");
	if (span_length(parts->name) == 0)
		return event_refuse(&parser->text, parts->name, "an event is missing");
	if (parts->second.begin && !is_number(parts->name))
		return event_add_tracepoints(parser, parts);
	if (parts->second.begin || event_is_known(parts->name))
		return event_add_known(parser, parts);
	if (parts->terms.begin &&
	    (is_pmu(parser, parts->name) || !event_is_alias(parser, parts->name)))
		return event_add_pmu(parser, parts);
	if (event_is_alias(parser, parts->name))
		return event_add_alias(parser, parts);
	return event_refuse_unknown(parser, parts);
}

static void suggest_names(struct event_parser *parser, struct span name, struct suggestions *near)
{
	size_t index = 0;
	char cache[64];

	for (size_t i = 0; i < known_event_count; i++) {
		suggest(near, name, known_events[i].name);
		if (known_events[i].alias)
			suggest(near, name, known_events[i].alias);
	}
	while (known_cache_next(&index, cache, sizeof(cache)))
		suggest(near, name, cache);
	for (size_t i = 0; i < parser->pmus.count; i++) {
		struct pmu *pmu = &parser->pmus.pmus[i];

		if (pmu_read(&parser->pmus, pmu))
			return;
		for (size_t j = 0; j < pmu->alias_count; j++)
			suggest(near, name, pmu->aliases[j].name);
	}
}

int event_refuse_unknown(struct event_parser *parser, const struct event_parts *parts)
{
	struct suggestions near = {};
	struct names systems;

	if (!parts->second.begin && is_pmu(parser, parts->name))
		return event_refuse(&parser->text, parts->name,
				    "this is a PMU; its events are %.*s/TERM=VALUE,.../",
				    SPAN_ARGUMENTS(parts->name));
	suggest_names(parser, parts->name, &near);
	if (!parts->second.begin)
		return suggestions_refuse(&near, &parser->text, parts->name, NULL,
					  "there is no such event");
	if (parser->roots->tracefs &&
	    !folder_names(&systems, "%s/events", parser->roots->tracefs)) {
		for (size_t i = 0; i < systems.count; i++)
			suggest(&near, parts->name, systems.names[i]);
		names_free(&systems);
	}
	return suggestions_refuse(&near, &parser->text, parts->name, NULL,
				  "there is no such event, nor such a system of tracepoints");
}

/* What was said of all specs from first on that one event made. */
static int finish_event(struct event_parser *parser, const struct event_parts *parts, size_t first)
{
	for (size_t i = first; i < parser->list->count; i++) {
		struct event_spec *spec = &parser->list->specs[i];
		int err = event_apply_modifiers(&parser->text, parts->modifiers, false, spec);

		if (err)
			return err;
		spec->is_leader = true;
		if (!spec->name)
			spec->name = span_copy(parts->whole);
		if (!spec->name)
			return -ENOMEM;
	}
	return 0;
}

static int parse_event(struct event_parser *parser)
{
	size_t first = parser->list->count;
	struct event_parts parts;
	int err;

	skip_blanks(parser);
	if (span_starts(parser->rest, "mem:")) {
		parts = (struct event_parts){ .whole = span_trim(take_until(parser, ",{}")) };
		err = event_add_breakpoint(parser, parts.whole);
	} else {
		err = take_parts(parser, &parts);
		if (!err)
			err = add_named(parser, &parts);
	}
	if (err)
		return err;
	return finish_event(parser, &parts, first);
}

/* The events between braces; behind the first brace. */
static int parse_members(struct event_parser *parser)
{
	for (;;) {
		int err = parse_event(parser);

		if (err)
			return err;
		if (peek(parser) == '{')
			return event_refuse(&parser->text, parser->rest,
					    "a ',' is missing before this");
		if (peek(parser) == '\0')
			return event_refuse(&parser->text, parser->rest,
					    "the '}' of the group is missing");
		if (*parser->rest.begin++ == '}')
			return 0;
	}
}

static int apply_group_modifiers(struct event_parser *parser, size_t first)
{
	struct span modifiers;
	int err = 0;

	skip_blanks(parser);
	if (peek(parser) == ':')
		parser->rest.begin++;
	modifiers = span_trim(take_until(parser, ",{}"));
	for (size_t i = first; i < parser->list->count && !err; i++)
		err = event_apply_modifiers(&parser->text, modifiers, true,
					    &parser->list->specs[i]);
	return err;
}

static int parse_group(struct event_parser *parser)
{
	size_t first = parser->list->count;
	const char *begin = parser->rest.begin;
	int err;

	/* perf's name of a group, which it uses for nothing that is here */
	take_until(parser, "{");
	parser->rest.begin++;
	err = parse_members(parser);
	if (!err)
		err = event_make_group(parser, first, (struct span){ begin, parser->rest.begin });
	return err ? err : apply_group_modifiers(parser, first);
}

/* "{" or "NAME{" */
static bool is_group(struct event_parser *parser)
{
	struct span start = parser->rest;
	bool group;

	take_until(parser, "/:,{}");
	group = peek(parser) == '{';
	parser->rest = start;
	return group;
}

static int check_all(struct event_parser *parser, size_t first, struct span where)
{
	int err = 0;

	for (size_t i = first; i < parser->list->count && !err; i++)
		err = event_check_sampling(parser, &parser->list->specs[i], where);
	return err;
}

/* An event or a group, on CPUs of one kind. */
static int parse_once(struct event_parser *parser)
{
	size_t first = parser->list->count;
	const char *begin;
	int err;

	skip_blanks(parser);
	begin = parser->rest.begin;
	err = is_group(parser) ? parse_group(parser) : parse_event(parser);
	skip_blanks(parser);
	if (!err && peek(parser) != ',' && peek(parser) != '\0')
		err = event_refuse(&parser->text, parser->rest, "a ',' is missing before this");
	return err ? err : check_all(parser, first, (struct span){ begin, parser->rest.begin });
}

static struct pmu *next_core(struct event_parser *parser, const struct pmu *after)
{
	size_t i = after ? (size_t)(after - parser->pmus.pmus) + 1 : 0;

	while (i < parser->pmus.count && !parser->pmus.pmus[i].is_core)
		i++;
	return i < parser->pmus.count ? &parser->pmus.pmus[i] : NULL;
}

/* Once for each kind of CPUs, if there are several and it matters. */
static int parse_item(struct event_parser *parser)
{
	struct span start = parser->rest;
	struct pmu *core = next_core(parser, NULL);
	int err;

	if (core && !next_core(parser, core))
		core = NULL;
	do {
		parser->rest = start;
		parser->core = core;
		parser->used_core = false;
		err = parse_once(parser);
		core = core ? next_core(parser, core) : NULL;
	} while (!err && core && parser->used_core);
	return err;
}

static int parse_all(struct event_parser *parser)
{
	for (;;) {
		int err = parse_item(parser);

		if (err)
			return err;
		if (peek(parser) == '\0')
			return 0;
		parser->rest.begin++;
	}
}

int event_list_parse(const char *text, const struct event_roots *roots, struct event_list *list,
		     char **message)
{
	struct event_parser parser = {
		.text = { .whole = text, .message = message },
		.roots = roots,
		.list = list,
		.rest = span_of(text),
	};
	size_t count = list->count;
	uint32_t groups = list->groups;
	int err;

	*message = NULL;
	err = pmu_set_read(roots->sysfs, &parser.pmus);
	if (!err)
		err = parse_all(&parser);
	pmu_set_free(&parser.pmus);
	if (err) {
		event_list_cut(list, count);
		list->groups = groups;
	}
	return err;
}
