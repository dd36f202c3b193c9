// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perf's modifiers: what the first of u, k, h says excludes all that is not said; likewise G and H.
 * Those of a group are applied to what its events have said before.
 */
#include <errno.h>

#include "parser.h"

static const char letters[] = "ukhGHIpPSDWe";

#define PRECISE_MAX 3

bool event_are_modifiers(struct span span)
{
	for (const char *at = span.begin; at < span.end; at++)
		if (!*at || !strchr(letters, *at))
			return false;
	return true;
}

static int check_letters(const struct event_text *text, struct span modifiers)
{
	for (const char *at = modifiers.begin; at < modifiers.end; at++) {
		struct span letter = { at, at + 1 };

		if (*at == 'b')
			return event_refuse(text, letter, "counting by BPF (b) is not done here");
		if (!*at || !strchr(letters, *at))
			return event_refuse(text, modifiers,
					    "no modifiers: there are the letters %s", letters);
		if (*at != 'p' && memchr(modifiers.begin, *at, (size_t)(at - modifiers.begin)))
			return event_refuse(text, modifiers, "%c is there twice", *at);
	}
	return 0;
}

/* u, k, h */
static void include_mode(struct perf_event_attr *attr, char letter)
{
	if (!attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv)
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	if (letter == 'u')
		attr->exclude_user = 0;
	else if (letter == 'k')
		attr->exclude_kernel = 0;
	else
		attr->exclude_hv = 0;
}

/* G, H */
static void include_machine(struct event_spec *spec, char letter)
{
	if (spec->exclude_guest_unsaid) {
		spec->exclude_guest_unsaid = false;
		spec->attr.exclude_guest = spec->attr.exclude_host = 1;
	}
	if (letter == 'G')
		spec->attr.exclude_guest = 0;
	else
		spec->attr.exclude_host = 0;
}

/* What nobody says of guests: not those that u and p would include. */
static void default_machine(struct event_spec *spec)
{
	if (spec->exclude_guest_unsaid)
		spec->attr.exclude_guest = 1;
}

static void apply_flag(struct event_spec *spec, char letter)
{
	switch (letter) {
	case 'I':
		spec->attr.exclude_idle = 1;
		break;
	case 'P':
		spec->precise_max = true;
		break;
	case 'S':
		spec->sample_read = true;
		break;
	case 'D':
		spec->attr.pinned = 1;
		break;
	case 'e':
		spec->attr.exclusive = 1;
		break;
	default:
		spec->weak_group = true;
	}
}

/* False if it is more precise than anything can be. */
static bool apply_letter(struct event_spec *spec, char letter)
{
	unsigned precise = spec->attr.precise_ip;

	switch (letter) {
	case 'u':
	case 'k':
	case 'h':
		include_mode(&spec->attr, letter);
		if (letter == 'u')
			default_machine(spec);
		return true;
	case 'G':
	case 'H':
		include_machine(spec, letter);
		return true;
	case 'p':
		default_machine(spec);
		spec->attr.precise_ip = (precise + 1) & PRECISE_MAX;
		return precise < PRECISE_MAX;
	default:
		apply_flag(spec, letter);
		return true;
	}
}

int event_apply_modifiers(const struct event_text *text, struct span modifiers, bool of_group,
			  struct event_spec *spec)
{
	int err = check_letters(text, modifiers);

	if (err)
		return err;
	/* as perf has it: the default is for events of which nothing at all is said */
	if (!of_group && span_length(modifiers) > 0)
		spec->attr.exclude_guest = 0;
	for (const char *at = modifiers.begin; at < modifiers.end; at++) {
		/* of a group, only the leader can be pinned or alone: it takes the others along */
		if (of_group && !spec->is_leader && (*at == 'D' || *at == 'e'))
			continue;
		if (!apply_letter(spec, *at))
			return event_refuse(text, modifiers, "ppp is as precise as it gets");
	}
	return 0;
}
