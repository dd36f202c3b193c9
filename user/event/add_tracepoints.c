// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* SYSTEM:NAME: tracepoints, whose numbers are in tracefs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "parser.h"
#include "suggest.h"
#include "terms.h"

static const char not_mounted[] =
	"tracepoints need tracefs, which is not mounted here: mount -t tracefs tracefs /sys/kernel/tracing";

static int add_tracepoint(struct event_parser *parser, const struct event_parts *parts,
			  const char *system, const char *name)
{
	struct event_spec spec;
	uint64_t id;
	int err;

	err = file_number(&id, "%s/events/%s/%s/id", parser->roots->tracefs, system, name);
	if (err == -EACCES || err == -EPERM)
		return event_refuse(&parser->text, parts->whole,
				    "the number of %s:%s in %s may not be read: %s", system, name,
				    parser->roots->tracefs, strerror(-err));
	if (err)
		return 0; /* a folder that is no tracepoint */
	spec = event_spec_new(PERF_TYPE_TRACEPOINT, id);
	spec.attr.sample_period = 1;
	err = parts->terms.begin ? event_apply_terms(&parser->text, parts->terms, &spec) : 0;
	if (!err && !spec.name && asprintf(&spec.name, "%s:%s", system, name) < 0) {
		spec.name = NULL;
		err = -ENOMEM;
	}
	if (err) {
		event_spec_free(&spec);
		return err;
	}
	return event_list_append(parser->list, &spec);
}

static int add_of_system(struct event_parser *parser, const struct event_parts *parts,
			 const char *system)
{
	struct names names;
	int err;

	err = folder_names(&names, "%s/events/%s", parser->roots->tracefs, system);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < names.count && !err; i++)
		if (span_matches(parts->second, names.names[i]))
			err = add_tracepoint(parser, parts, system, names.names[i]);
	names_free(&names);
	return err;
}

static int refuse_name(struct event_parser *parser, const struct event_parts *parts)
{
	struct suggestions near = {};
	struct names names;
	int err;

	err = folder_names(&names, "%s/events/%.*s", parser->roots->tracefs,
			   SPAN_ARGUMENTS(parts->name));
	if (err == -ENOMEM)
		return err;
	if (err)
		return event_refuse_unknown(parser, parts);
	for (size_t i = 0; i < names.count; i++)
		suggest(&near, parts->second, names.names[i]);
	names_free(&names);
	return suggestions_refuse(&near, &parser->text, parts->second, NULL,
				  "%.*s has no such tracepoint", SPAN_ARGUMENTS(parts->name));
}

static int refuse_none(struct event_parser *parser, const struct event_parts *parts)
{
	if (span_is_glob(parts->name) || span_is_glob(parts->second))
		return event_refuse(&parser->text, parts->whole,
				    "no tracepoint matches; --list events shows all");
	/* what would be a path to elsewhere has no names near it */
	if (*parts->name.begin == '.')
		return event_refuse_unknown(parser, parts);
	return refuse_name(parser, parts);
}

int event_add_tracepoints(struct event_parser *parser, const struct event_parts *parts)
{
	size_t before = parser->list->count;
	struct names systems;
	int err;

	/* "cylces:u": what is wrong is not that there is no tracefs */
	if (!parser->roots->tracefs && event_are_modifiers(parts->second))
		return event_refuse_unknown(parser, parts);
	if (!parser->roots->tracefs)
		return event_refuse(&parser->text, parts->whole, "%s", not_mounted);
	if (span_length(parts->second) == 0)
		return event_refuse_unknown(parser, parts);
	err = folder_names(&systems, "%s/events", parser->roots->tracefs);
	if (err == -ENOMEM)
		return err;
	if (err)
		return event_refuse(&parser->text, parts->whole, "%s/events: %s",
				    parser->roots->tracefs, strerror(-err));
	for (size_t i = 0; i < systems.count && !err; i++)
		if (span_matches(parts->name, systems.names[i]))
			err = add_of_system(parser, parts, systems.names[i]);
	names_free(&systems);
	if (!err && parser->list->count == before)
		err = refuse_none(parser, parts);
	return err;
}
