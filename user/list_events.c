// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "list_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/log.h"
#include "event/event.h"
#include "options.h"
#include "source/self_test.h"
#include "wanted.h"

struct listing {
	size_t count;
	bool has_pmu; /* cycles count here */
};

/* A hardware event is named on every machine; here it may count nothing. */
static const char *note_of(const struct listing *listing, const struct event_entry *entry)
{
	bool by_pmu = entry->kind == EVENT_KIND_HARDWARE || entry->kind == EVENT_KIND_CACHE ||
		      entry->kind == EVENT_KIND_RAW;

	return by_pmu && !listing->has_pmu && !entry->is_form ? "not counted on this machine" : "";
}

static int list_one(void *data, const struct event_entry *entry)
{
	struct listing *listing = data;
	char name[512], description[1024];
	const char *note = note_of(listing, entry);

	if (!listing->count++)
		printf("# %-42s %-11s NOTES\n", "EVENT", "KIND");
	printf("%-44s %-11s %s%s%s\n", escape_terminal(name, sizeof(name), entry->name),
	       event_kind_name(entry->kind),
	       escape_terminal(description, sizeof(description), entry->description),
	       *entry->description && *note ? "; " : "", note);
	return 0;
}

int list_events(const struct options *options)
{
	struct listing listing = { .has_pmu = self_test_cycles() == 0 };
	struct event_roots roots;
	char *tracefs;
	int err = wanted_event_roots(&roots, &tracefs);

	if (!err && !tracefs)
		log_note("tracepoints are left out: tracefs is not mounted (mount -t tracefs none "
			 "/sys/kernel/tracing)");
	if (!err)
		err = event_list_available(&roots, options->list_pattern, list_one, &listing);
	free(tracefs);
	if (!err && listing.count)
		return EXIT_SUCCESS;
	log_error("--list: no event%s%s", options->list_pattern ? " that matches " : "",
		  options->list_pattern ? options->list_pattern : "");
	return EXIT_FAILURE;
}
