// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Takes the text of a probe or a breakpoint apart: parts are cut off a span of it from the end
 * (access, length, offset), then BIN from the front, and what is left is the symbol or address.
 */
#include "probe_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/values.h"

/* The part of the text that is not taken yet: [begin, end). */
struct span {
	const char *begin, *end;
};

static size_t span_length(struct span span)
{
	return (size_t)(span.end - span.begin);
}

static bool span_is(struct span span, const char *text)
{
	return span_length(span) == strlen(text) && memcmp(span.begin, text, strlen(text)) == 0;
}

static bool span_is_hex(struct span span)
{
	return span_length(span) >= 2 && span.begin[0] == '0' && (span.begin[1] | 0x20) == 'x';
}

static bool span_has(struct span span, char wanted)
{
	return memchr(span.begin, wanted, span_length(span)) != NULL;
}

/* True for an empty span, too. */
static bool span_is_word(struct span span)
{
	while (span.begin < span.end && isalnum((unsigned char)*span.begin))
		span.begin++;
	return span.begin == span.end;
}

static int refuse(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

/* Decimal, or hexadecimal behind 0x. */
static int span_number(struct span span, uint64_t *value)
{
	if (span_is_hex(span))
		return digits_parse(span.begin + 2, span_length(span) - 2, 16, value);
	return digits_parse(span.begin, span_length(span), 10, value);
}

static int span_copy(struct span span, char **copy)
{
	*copy = strndup(span.begin, span_length(span));
	return *copy ? 0 : -ENOMEM;
}

/*
 * The first ':' that separates: an even run of colons is "::" of a C++ or Rust name, an odd one is
 * a separator, with "::" behind it where it is longer. NULL if there is none.
 */
static const char *find_separator(struct span span)
{
	const char *at = span.begin;

	while (at < span.end) {
		const char *run = at;

		while (at < span.end && *at == ':')
			at++;
		if ((at - run) % 2 == 1)
			return run;
		if (at == run)
			at++;
	}
	return NULL;
}

/* The last ':' if it stands alone, which the one before ACCESS does. */
static const char *find_last_separator(struct span span)
{
	const char *colon = memrchr(span.begin, ':', span_length(span));

	return colon && (colon == span.begin || colon[-1] != ':') ? colon : NULL;
}

/* The '/' of a "/NUMBER" at the end, or NULL. */
static const char *find_length(struct span span)
{
	const char *slash = memrchr(span.begin, '/', span_length(span));

	if (!slash || slash + 1 == span.end)
		return NULL;
	for (const char *digit = slash + 1; digit < span.end; digit++) {
		if (!isdigit((unsigned char)*digit))
			return NULL;
	}
	return slash;
}

/* Cuts +OFF off the end, if there is one. */
static int take_offset(struct span *span, struct probe_option *probe, const char **why)
{
	const char *plus = memrchr(span->begin, '+', span_length(*span));
	struct span number = { plus ? plus + 1 : span->end, span->end };

	if (!isdigit((unsigned char)*number.begin) || !span_is_word(number))
		return 0; /* operator+ and the like, or inside a /regex/ */
	if (span_number(number, &probe->offset))
		return refuse(why, "what follows '+' is not an offset (say +16 or +0x10)");
	span->end = plus;
	return 0;
}

static int take_address(struct span span, struct probe_option *probe, const char **why)
{
	if (span_number(span, &probe->address))
		return refuse(why, "what follows 0x is not a hexadecimal address");
	probe->has_address = true;
	return 0;
}

/* Cuts BIN: off the front, if there is one. */
static int take_binary(struct span *span, struct probe_option *probe, const char **why)
{
	const char *separator = find_separator(*span);

	if (!separator)
		return 0;
	if (separator == span->begin)
		return refuse(why, "there is no file before ':'");
	if (separator + 1 == span->end)
		return refuse(why, "there is no name behind ':'");
	if (span_copy((struct span){ span->begin, separator }, &probe->binary))
		return -ENOMEM;
	span->begin = separator + 1;
	return 0;
}

/* FUNC[+OFF] or 0xADDR[+OFF] */
static int take_name(struct span span, struct probe_option *probe, const char **why)
{
	int err;

	err = take_offset(&span, probe, why);
	if (err)
		return err;
	if (span_length(span) == 0)
		return refuse(why, "there is no name before '+'");
	if (span_is_hex(span))
		return take_address(span, probe, why);
	return span_copy(span, &probe->symbol);
}

/* FILE:LINE, if it is that: true. */
static bool take_line(struct span span, struct probe_option *probe, int *err)
{
	const char *colon = find_last_separator(span);
	uint64_t line;

	if (!colon || colon == span.begin || *span.begin == '/' ||
	    digits_parse(colon + 1, (size_t)(span.end - colon - 1), 10, &line) || line > INT32_MAX)
		return false;
	probe->line = (uint32_t)line;
	*err = span_copy((struct span){ span.begin, colon }, &probe->source_file);
	return true;
}

static int parse_probe(struct span span, struct probe_option *probe, const char **why)
{
	int err;

	err = take_binary(&span, probe, why);
	if (err)
		return err;
	if (!probe->binary)
		return refuse(why, "there is no ':' between file and function");
	if (take_line(span, probe, &err)) {
		if (!err && probe->kind != PROBE_UPROBE)
			return refuse(why, "a line does not return: name the function");
		return err;
	}
	err = take_name(span, probe, why);
	if (err)
		return err;
	if (probe->kind != PROBE_UPROBE && probe->offset)
		return refuse(why, "a function returns as a whole: leave the offset out");
	return 0;
}

/* [PROVIDER:]NAME behind BIN. */
static int parse_usdt(struct span span, struct probe_option *probe, const char **why)
{
	const char *colon;
	int err = take_binary(&span, probe, why);

	if (err)
		return err;
	if (!probe->binary)
		return refuse(why, "there is no ':' between file and probe");
	colon = memchr(span.begin, ':', span_length(span));
	if (colon && (colon == span.begin || colon + 1 == span.end))
		return refuse(why, "a provider or a name is missing");
	if (colon && memchr(colon + 1, ':', (size_t)(span.end - colon - 1)))
		return refuse(why, "behind the file come a provider and a name, and no more");
	if (colon && span_copy((struct span){ span.begin, colon }, &probe->provider))
		return -ENOMEM;
	return span_copy((struct span){ colon ? colon + 1 : span.begin, span.end }, &probe->symbol);
}

/* What would be left of ACCESS is a path and names no symbol: then ACCESS is the symbol. */
static bool is_path_only(struct span span)
{
	const char *length = find_length(span);

	if (length)
		span.end = length;
	return span_has(span, '/') && !find_separator(span);
}

/* Cuts :ACCESS off the end, if there is one. */
static void take_access(struct span *span, struct probe_option *probe)
{
	const char *separator = find_last_separator(*span);
	struct span access = { separator ? separator + 1 : span->end, span->end };
	bool read, write, execute;

	read = span_is(access, "r") || span_is(access, "rw");
	write = span_is(access, "w") || span_is(access, "rw");
	execute = span_is(access, "x");
	if (!read && !write && !execute)
		return;
	if (is_path_only((struct span){ span->begin, separator }))
		return;
	probe->read = read;
	probe->write = write;
	probe->execute = execute;
	span->end = separator;
}

/* Cuts /LEN off the end, if there is one. */
static int take_length(struct span *span, struct probe_option *probe, const char **why)
{
	const char *slash = find_length(*span);
	uint64_t length;

	if (!slash)
		return 0;
	if (span_number((struct span){ slash + 1, span->end }, &length) ||
	    (length != 1 && length != 2 && length != 4 && length != 8))
		return refuse(why, "the length behind '/' is not 1, 2, 4 or 8");
	if (probe->execute && length != sizeof(long))
		return refuse(why, "a breakpoint on execution has no length: leave it out");
	probe->length = (uint32_t)length;
	span->end = slash;
	return 0;
}

/* The name of a breakpoint must not hide a mistyped ACCESS or LEN. */
static int check_name(struct span span, const struct probe_option *probe, const char **why)
{
	const char *slash = memrchr(span.begin, '/', span_length(span));

	if (span_length(span) == 0)
		return refuse(why, "there is no address or symbol");
	if (find_separator(span))
		return refuse(why, "what follows the last ':' is not an access (r, w, rw or x)");
	if (!slash)
		return 0;
	if (!probe->binary)
		return refuse(why, "a path needs ':' and a symbol behind it");
	if (span_is_word((struct span){ slash + 1, span.end }) && slash + 1 < span.end)
		return refuse(why, "the length behind '/' is not 1, 2, 4 or 8");
	return 0;
}

static int parse_breakpoint(struct span span, struct probe_option *probe, const char **why)
{
	int err;

	take_access(&span, probe);
	err = take_length(&span, probe, why);
	if (err)
		return err;
	if (!span_is_hex(span)) {
		err = take_binary(&span, probe, why);
		if (err)
			return err;
	}
	err = check_name(span, probe, why);
	if (err)
		return err;
	if (probe->binary && span_is_hex(span))
		return refuse(why, "an address is one of the target's memory: leave the file out");
	return take_name(span, probe, why);
}

int probe_spec_parse(enum probe_kind kind, const char *text, struct probe_option *probe,
		     const char **why)
{
	struct span span = { text, text + strlen(text) };
	int err;

	*why = NULL;
	*probe = (struct probe_option){ .kind = kind };
	err = span_copy(span, &probe->text);
	if (!err && kind == PROBE_BREAKPOINT)
		err = parse_breakpoint(span, probe, why);
	else if (!err && kind == PROBE_USDT)
		err = parse_usdt(span, probe, why);
	else if (!err)
		err = parse_probe(span, probe, why);
	if (err)
		probe_option_free(probe);
	return err;
}

void probe_option_free(struct probe_option *probe)
{
	free(probe->text);
	free(probe->binary);
	free(probe->symbol);
	free(probe->provider);
	free(probe->condition);
	free(probe->arguments);
	free(probe->source_file);
	*probe = (struct probe_option){};
}
