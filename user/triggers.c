// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* BIN:FUNC where there is such a file, else an event as of -e. */
#include "triggers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "event/files.h"
#include "event/parser.h"
#include "options.h"
#include "aim/binary.h"
#include "aim/probe_site.h"
#include "source/target.h"
#include "wanted.h"

#define UPROBE_PMU "/sys/bus/event_source/devices/uprobe/type"

void triggers_free(struct triggers *triggers)
{
	event_list_free(&triggers->events);
	for (size_t i = 0; i < triggers->site_count; i++) {
		probe_sites_free(triggers->sites[i]);
		free(triggers->sites[i]);
	}
	free(triggers->sites);
	*triggers = (struct triggers){};
}

static struct probe_sites *new_sites(struct triggers *triggers)
{
	struct probe_sites **grown =
		reallocarray(triggers->sites, triggers->site_count + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	triggers->sites = grown;
	grown[triggers->site_count] = calloc(1, sizeof(struct probe_sites));
	return grown[triggers->site_count] ? grown[triggers->site_count++] : NULL;
}

/* perf_event_open(2)'s uprobe PMU: config1 is where the path is, config2 the offset in the file. */
static int add_uprobe(struct triggers *triggers, const char *text, const char *path,
		      const struct probe_site *site)
{
	struct event_spec spec;
	uint64_t type;
	int err = file_number(&type, "%s", UPROBE_PMU);

	if (err) {
		log_error("--dump-on %s: this kernel has no uprobes as events (%s)", text,
			  UPROBE_PMU);
		return err;
	}
	spec = event_spec_new((uint32_t)type, 0);
	spec.attr.config1 = (uintptr_t)path;
	spec.attr.config2 = site->offset;
	spec.attr.sample_period = 1;
	spec.name = strdup(text);
	spec.pmu = strdup("uprobe");
	if (!spec.name || !spec.pmu) {
		event_spec_free(&spec);
		return -ENOMEM;
	}
	return event_list_append(&triggers->events, &spec);
}

/* As --breakpoint takes it; but where a variable will be is not known before its program runs. */
static bool looks_like_variable(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon != strchr(text, ':') &&
	       (!strcmp(colon, ":w") || !strcmp(colon, ":r") || !strcmp(colon, ":rw") ||
		!strcmp(colon, ":x"));
}

static int add_probe(struct triggers *triggers, const struct target *target,
		     const struct probe_option *probe)
{
	const struct probe_aim aim = { .pids = target->pids,
				       .pid_count = target->pid_count,
				       .moves = ENTRY_IF_NEEDED };
	struct probe_sites *sites = new_sites(triggers);
	int err;

	if (!sites)
		return -ENOMEM;
	if (looks_like_variable(probe->text)) {
		log_error("--dump-on %s: variables are named by their address here: mem:0xADDR:w",
			  probe->text);
		return -EINVAL;
	}
	err = probe_sites_resolve(probe, &aim, sites);
	for (size_t i = 0; !err && i < sites->count; i++)
		err = add_uprobe(triggers, probe->text, sites->path, &sites->sites[i]);
	return err;
}

static int add_event(struct triggers *triggers, const char *text)
{
	struct event_roots roots;
	char *tracefs, *message = NULL;
	int err = wanted_event_roots(&roots, &tracefs);

	if (err)
		return err;
	err = event_list_parse(text, &roots, &triggers->events, &message);
	if (err == -EINVAL)
		log_error("--dump-on %s (or BIN:FUNC, of a file that is there)", message);
	free(message);
	free(tracefs);
	return err;
}

static int add(struct triggers *triggers, const struct target *target, const char *text)
{
	struct probe_option probe;
	char path[PATH_MAX];
	const char *why;
	int err = probe_spec_parse(PROBE_UPROBE, text, &probe, &why);

	if (err == -ENOMEM)
		return err;
	if (err)
		return add_event(triggers, text);
	if (binary_find(probe.binary, target->pids, target->pid_count, path))
		err = add_event(triggers, text);
	else
		err = add_probe(triggers, target, &probe);
	probe_option_free(&probe);
	return err;
}

int triggers_make(const struct options *options, const struct target *target,
		  struct triggers *triggers)
{
	int err = 0;

	for (size_t i = 0; !err && i < options->trigger_count; i++)
		err = add(triggers, target, options->triggers[i]);
	return err;
}
