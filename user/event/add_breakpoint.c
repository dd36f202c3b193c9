// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mem:ADDR[/LEN][:ACCESS]: hardware breakpoints at an address. */
#include <errno.h>
#include <linux/hw_breakpoint.h>

#include "parser.h"

#define DATA_LENGTH 4 /* perf's, without /LEN */

static const char prefix[] = "mem:";

/* "rw" to bits; 0 if it is no access. */
static uint32_t parse_access(struct span access)
{
	static const char letters[] = "rwx";
	static const uint32_t bits[] = { HW_BREAKPOINT_R, HW_BREAKPOINT_W, HW_BREAKPOINT_X };
	uint32_t set = 0;

	for (const char *at = access.begin; at < access.end; at++) {
		const char *letter = *at ? strchr(letters, *at) : NULL;

		if (!letter || (set & bits[letter - letters]))
			return 0;
		set |= bits[letter - letters];
	}
	return set;
}

static int check_access(const struct event_text *text, struct span where, uint32_t access)
{
	if (access == 0)
		return event_refuse(text, where,
				    "the access is r, w, rw or x; modifiers come behind it");
	if ((access & HW_BREAKPOINT_X) && access != HW_BREAKPOINT_X)
		return event_refuse(text, where,
				    "no breakpoint watches execution together with reads or writes");
#ifdef __x86_64__
	if (access == HW_BREAKPOINT_R)
		return event_refuse(text, where,
				    "x86-64 cannot watch reads alone; rw can be watched");
#endif
	return 0;
}

/* Can a breakpoint be over these bytes? */
static int check_bytes(const struct event_text *text, struct span where, uint64_t address,
		       uint64_t length)
{
	if (length != 1 && length != 2 && length != 4 && length != 8)
		return event_refuse(text, where, "the length is 1, 2, 4 or 8");
#ifdef __aarch64__
	/* the kernel would watch those of them that are in the first word */
	if (address % 8 + length > 8)
		return event_refuse(text, where,
				    "the %u bytes are not all between two multiples of 8",
				    (unsigned)length);
#else
	if (address % length)
		return event_refuse(text, where, "the address is no multiple of the length, %u",
				    (unsigned)length);
#endif
	return 0;
}

/* What the kernel would refuse, or cut short without a word. */
static int check_place(const struct event_text *text, struct span where,
		       const struct perf_event_attr *attr)
{
	uint64_t length = attr->bp_len;

	if (attr->bp_type == HW_BREAKPOINT_X) {
		if (length != sizeof(long))
			return event_refuse(text, where, "for x the length is %zu", sizeof(long));
#ifdef __aarch64__
		if (attr->bp_addr % 4)
			return event_refuse(text, where, "instructions are at multiples of 4");
#endif
		return 0;
	}
	return check_bytes(text, where, attr->bp_addr, length);
}

/* Cuts the part behind a separator off the span. NULL: there is none. */
static struct span cut_behind(struct span *span, char separator)
{
	const char *at = memchr(span->begin, separator, span_length(*span));
	struct span behind = {};

	if (at) {
		behind = (struct span){ at + 1, span->end };
		span->end = at;
	}
	return behind;
}

static int parse_place(const struct event_text *text, struct span place, struct event_spec *spec)
{
	struct span address = place;
	struct span length = cut_behind(&address, '/');
	uint64_t value;

	if (span_number(address, &value))
		return event_refuse(text, address, "no address: mem: takes a number, as 0x601040");
	spec->attr.bp_addr = value;
	spec->attr.bp_len = spec->attr.bp_type == HW_BREAKPOINT_X ? sizeof(long) : DATA_LENGTH;
	if (length.begin) {
		if (span_number(length, &value))
			return event_refuse(text, length, "no length: mem:ADDR/LEN");
		spec->attr.bp_len = value;
	}
	return check_place(text, place, &spec->attr);
}

/*
 * Cuts "ADDR/LEN:ACCESS:MODIFIERS" into what is behind the colons; access is NULL without one. The
 * letters of both differ, so that ":u" alone is modifiers.
 */
static void cut_parts(struct span *place, struct span *access, struct span *modifiers)
{
	*access = cut_behind(place, ':');
	*modifiers = access->begin ? cut_behind(access, ':') : (struct span){};
	if (access->begin && !modifiers->begin && !span_has(*access, 'r') &&
	    !span_has(*access, 'w') && !span_has(*access, 'x')) {
		*modifiers = *access;
		*access = (struct span){};
	}
}

static int parse_breakpoint(struct event_parser *parser, struct span place, struct event_spec *spec)
{
	struct span access, modifiers;
	int err = 0;

	cut_parts(&place, &access, &modifiers);
	spec->attr.sample_period = 1;
	spec->attr.bp_type = HW_BREAKPOINT_RW;
	if (access.begin) {
		spec->attr.bp_type = parse_access(access);
		err = check_access(&parser->text, access, spec->attr.bp_type);
	}
	if (!err)
		err = parse_place(&parser->text, place, spec);
	if (!err)
		err = event_apply_modifiers(&parser->text, modifiers, false, spec);
	return err;
}

int event_add_breakpoint(struct event_parser *parser, struct span text)
{
	struct event_spec spec = event_spec_new(PERF_TYPE_BREAKPOINT, 0);
	int err;

	err = parse_breakpoint(parser, (struct span){ text.begin + strlen(prefix), text.end },
			       &spec);
	if (err) {
		event_spec_free(&spec);
		return err;
	}
	return event_list_append(parser->list, &spec);
}
