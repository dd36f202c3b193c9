/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a spelling of events is read as, written in a line; and why it is refused. */
#ifndef TRACER_EVENT_READING_H
#define TRACER_EVENT_READING_H

#include "event_tree.h"

#include <errno.h>
#include <inttypes.h>

#include "event/event.h"
#include "event/parser.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a spec says beside type and config, each as a word of its own where it is not the default. */
static inline void describe_flags(FILE *out, const struct event_spec *spec)
{
	const struct perf_event_attr *attr = &spec->attr;
	static const char *const graphs[] = { "none", "fp", "auto" };
	const struct {
		bool set;
		const char *word;
	} flags[] = {
		{ attr->exclude_user, "!u" },	    { attr->exclude_kernel, "!k" },
		{ attr->exclude_hv, "!h" },	    { !attr->exclude_guest, "guest" },
		{ attr->exclude_host, "!host" },    { attr->exclude_idle, "!idle" },
		{ attr->pinned, "pinned" },	    { attr->exclusive, "exclusive" },
		{ attr->aux_output, "aux-output" }, { spec->sample_read, "S" },
		{ spec->precise_max, "P" },	    { spec->weak_group, "W" },
		{ !spec->is_leader, "member" },	    { spec->per_package, "per-package" },
	};

	for (size_t i = 0; i < COUNT(flags); i++)
		if (flags[i].set)
			fprintf(out, " %s", flags[i].word);
	if (attr->precise_ip)
		fprintf(out, " p%d", attr->precise_ip);
	if (spec->group)
		fprintf(out, " group%u", spec->group);
	if (spec->call_graph != EVENT_CALL_GRAPH_UNSAID)
		fprintf(out, " %s", graphs[spec->call_graph]);
	if (spec->stack_size || spec->max_stack || attr->aux_sample_size)
		fprintf(out, " stack%u/%u/%u", spec->stack_size, spec->max_stack,
			attr->aux_sample_size);
	if (spec->time != EVENT_UNSAID)
		fprintf(out, " time=%d", spec->time);
	if (spec->inherit != EVENT_UNSAID)
		fprintf(out, " inherit=%d", spec->inherit);
	if (spec->overwrite != EVENT_UNSAID)
		fprintf(out, " overwrite=%d", spec->overwrite);
}

static inline void describe_spec(FILE *out, const struct event_spec *spec, const char *text)
{
	const struct perf_event_attr *attr = &spec->attr;

	if (strcmp(spec->name, text) != 0)
		fprintf(out, "<%s> ", spec->name);
	fprintf(out, "%u:0x%" PRIx64, attr->type, (uint64_t)attr->config);
	for (unsigned word = 1; word < EVENT_CONFIG_WORDS && !attr->bp_type; word++)
		if (event_config_get(spec, word))
			fprintf(out, " config%u=0x%" PRIx64, word, event_config_get(spec, word));
	if (attr->bp_type)
		fprintf(out, " bp%u@0x%" PRIx64 "/%" PRIu64, attr->bp_type, (uint64_t)attr->bp_addr,
			(uint64_t)attr->bp_len);
	if (attr->size != sizeof(*attr))
		fprintf(out, " size%u", attr->size);
	describe_flags(out, spec);
	if (attr->sample_period)
		fprintf(out, " %s%s%" PRIu64, spec->has_period || spec->has_freq ? "" : "default-",
			attr->freq ? "freq" : "period", (uint64_t)attr->sample_period);
	if (spec->pmu)
		fprintf(out, " %s", spec->pmu);
	for (size_t i = 0; i < spec->cpus.count; i++)
		fprintf(out, "%c%d", i ? ',' : '@', spec->cpus.cpus[i]);
	if (spec->scale != 1 || spec->unit)
		fprintf(out, " *%g%s", spec->scale, spec->unit ? spec->unit : "");
}

struct reading {
	const char *text, *specs;
};

static inline void check_readings(const struct event_roots *roots, const struct reading *cases,
				  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct event_list list = {};
		char *message, *specs = NULL;
		size_t size;
		FILE *out;

		if (event_list_parse(cases[i].text, roots, &list, &message))
			fail_msg("\"%s\" was refused: %s", cases[i].text, message);
		assert_null(message);
		out = open_memstream(&specs, &size);
		assert_non_null(out);
		for (size_t j = 0; j < list.count; j++) {
			fputs(j ? "; " : "", out);
			describe_spec(out, &list.specs[j], cases[i].text);
		}
		fclose(out);
		if (strcmp(specs, cases[i].specs) != 0)
			fail_msg("\"%s\" was read as\n%s, not\n%s", cases[i].text, specs,
				 cases[i].specs);
		free(specs);
		event_list_free(&list);
		assert_int_equal(list.count, 0);
	}
}

struct error {
	const char *text, *message; /* a part of the message, behind the text */
};

static inline void check_errors(const struct event_roots *roots, const struct error *cases,
				size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct event_list list = {};
		char *message = NULL;
		int err;

		err = event_list_parse(cases[i].text, roots, &list, &message);
		if (err != -EINVAL || !message)
			fail_msg("\"%s\": %d, %s", cases[i].text, err, message);
		if (strncmp(message, cases[i].text, strlen(cases[i].text)) != 0 ||
		    !strstr(message + strlen(cases[i].text), cases[i].message) ||
		    strchr(message, '\n'))
			fail_msg("\"%s\" was refused with\n%s, not\n%s", cases[i].text, message,
				 cases[i].message);
		assert_int_equal(list.count, 0);
		assert_int_equal(list.groups, 0);
		free(message);
		event_list_free(&list);
	}
}

#endif
