/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of the parser of events share. */
#ifndef TRACER_EVENT_PARSER_H
#define TRACER_EVENT_PARSER_H

#include "event.h"
#include "pmu.h"
#include "text.h"

struct event_parser {
	struct event_text text;
	const struct event_roots *roots;
	struct event_list *list;
	struct pmu_set pmus; /* of the roots */
	struct span rest;    /* of the text, not parsed yet */
	/*
	 * Where a machine has CPUs of several kinds, each with its PMU, a generic event means one on each:
	 * the text is parsed once for each of them. NULL where there is one kind.
	 */
	struct pmu *core;
	bool used_core; /* by a generic event */
};

/* "NAME/TERMS/MODIFIERS", "SYSTEM:NAME/TERMS/:MODIFIERS": an event, cut at the signs between its parts. */
struct event_parts {
	struct span whole; /* without blanks around it */
	struct span name;
	struct span second; /* behind the ':' of a tracepoint, or of TYPE:CONFIG; else NULL */
	struct span terms;  /* without the slashes; NULL if there are none */
	struct span modifiers;
};

/* A spec as it is before anything was said; name and pmu are NULL. */
struct event_spec event_spec_new(uint32_t type, uint64_t config);
void event_spec_free(struct event_spec *spec);
/* config, config1, ...: word is below EVENT_CONFIG_WORDS. */
uint64_t event_config_get(const struct event_spec *spec, unsigned word);
void event_config_set(struct event_spec *spec, unsigned word, uint64_t value);
/* Takes the spec over, also when it fails. 0 or -ENOMEM. */
int event_list_append(struct event_list *list, struct event_spec *spec);
/* Frees the specs behind the first count. */
void event_list_cut(struct event_list *list, size_t count);

/*
 * Below: append the specs that the parts mean, without name and modifiers where the user's spelling is
 * the name. 0, -ENOMEM or -EINVAL with the message set.
 */
int event_add_known(struct event_parser *parser, const struct event_parts *parts);
int event_add_pmu(struct event_parser *parser, const struct event_parts *parts);
int event_add_alias(struct event_parser *parser, const struct event_parts *parts);
int event_add_tracepoints(struct event_parser *parser, const struct event_parts *parts);
/* mem:ADDR[/LEN][:ACCESS] */
int event_add_breakpoint(struct event_parser *parser, struct span text);
/* Makes a spec one of a PMU: its name and CPUs. where: what named it. 0, -ENOMEM or -EINVAL, message set. */
int event_take_pmu(struct event_parser *parser, struct pmu *pmu, struct span where,
		   struct event_spec *spec);
/* Refuses a name that nothing is known of. */
int event_refuse_unknown(struct event_parser *parser, const struct event_parts *parts);

/* Is it an event of the kernel, or rHEX? */
bool event_is_known(struct span name);
/* Does a PMU name it? */
bool event_is_alias(const struct event_parser *parser, struct span name);

/* Applies perf's letters to a spec: those of the event itself, or of its group. 0 or -EINVAL, message set. */
int event_apply_modifiers(const struct event_text *text, struct span modifiers, bool of_group,
			  struct event_spec *spec);

/* Are these but letters of modifiers? */
bool event_are_modifiers(struct span span);

/* Checks that specs from first on can be a group and marks them as one. 0 or -EINVAL, message set. */
int event_make_group(struct event_parser *parser, size_t first, struct span where);
/* Checks that an event whose samples carry counts can sample. where: what it is part of. */
int event_check_sampling(struct event_parser *parser, const struct event_spec *spec,
			 struct span where);

#endif
