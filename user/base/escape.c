/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Escaping for terminals, JSON, folded stacks and XML. One loop reads characters; what differs is
 * the function that says how one character is written. A character is written whole or not at all,
 * so a result that was cut is still valid UTF-8 and never ends inside an escape or an entity.
 */
#include "escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
/* The longest that one character becomes: four bytes as \xNN. */
#define ESCAPED_MAX 20

/* One character of the source: its bytes, and the code point when they are valid UTF-8. */
struct character {
	const unsigned char *bytes;
	size_t length; /* 1 when not valid */
	uint32_t point;
	bool is_valid;
};

/* Writes the character, NUL-terminated, to out. */
typedef void write_character(const struct character *c, char out[ESCAPED_MAX]);

static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	return 0; /* continuation bytes, overlong C0 and C1, beyond U+10FFFF */
}

static bool point_is_valid(uint32_t point, size_t length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	bool is_surrogate = point >= 0xd800 && point <= 0xdfff;

	return point >= least[length] && point <= 0x10ffff && !is_surrogate;
}

static void read_character(const char *src, struct character *c)
{
	static const unsigned char lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *bytes = (const unsigned char *)src;
	size_t length = sequence_length(bytes[0]);
	uint32_t point = bytes[0] & lead_mask[length];

	*c = (struct character){ .bytes = bytes, .length = 1, .point = bytes[0] };
	/* The terminating NUL is no continuation byte, so this never reads beyond it. */
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return;
		point = point << 6 | (bytes[i] & 0x3f);
	}
	if (length == 0 || !point_is_valid(point, length))
		return;
	c->length = length;
	c->point = point;
	c->is_valid = true;
}

static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f);
}

/* Characters without a glyph that reorder what stands around them. */
static bool is_bidi_override(uint32_t point)
{
	return (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

static void write_bytes(const struct character *c, char out[ESCAPED_MAX])
{
	memcpy(out, c->bytes, c->length);
	out[c->length] = '\0';
}

static void write_terminal(const struct character *c, char out[ESCAPED_MAX])
{
	if (c->is_valid && c->point == '\n') {
		strcpy(out, "\\n");
	} else if (c->is_valid && c->point == '\t') {
		strcpy(out, "\\t");
	} else if (!c->is_valid || is_control(c->point) || is_bidi_override(c->point)) {
		for (size_t i = 0; i < c->length; i++)
			snprintf(out + 4 * i, ESCAPED_MAX - 4 * i, "\\x%02x", c->bytes[i]);
	} else {
		write_bytes(c, out);
	}
}

static void write_folded(const struct character *c, char out[ESCAPED_MAX])
{
	if (c->point == ';')
		strcpy(out, ":");
	else
		write_terminal(c, out);
}

/* C1 controls and bidi overrides are legal in JSON, but JSON also goes to terminals. */
static void write_json(const struct character *c, char out[ESCAPED_MAX])
{
	if (!c->is_valid)
		strcpy(out, REPLACEMENT);
	else if (c->point == '"' || c->point == '\\')
		snprintf(out, ESCAPED_MAX, "\\%c", (char)c->point);
	else if (c->point == '\n')
		strcpy(out, "\\n");
	else if (c->point == '\t')
		strcpy(out, "\\t");
	else if (is_control(c->point) || is_bidi_override(c->point))
		snprintf(out, ESCAPED_MAX, "\\u%04x", c->point);
	else
		write_bytes(c, out);
}

static const char *xml_entity(uint32_t point)
{
	switch (point) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static bool is_xml_character(uint32_t point)
{
	if (point < 0x20)
		return point == '\t' || point == '\n' || point == '\r';
	return point != 0xfffe && point != 0xffff;
}

/* Controls that XML allows become references: in attributes a parser would turn them into spaces. */
static void write_xml(const struct character *c, char out[ESCAPED_MAX])
{
	const char *entity = xml_entity(c->point);

	if (!c->is_valid || !is_xml_character(c->point))
		strcpy(out, REPLACEMENT);
	else if (entity)
		strcpy(out, entity);
	else if (is_control(c->point) || is_bidi_override(c->point))
		snprintf(out, ESCAPED_MAX, "&#x%x;", c->point);
	else
		write_bytes(c, out);
}

static char *escape(char *dst, size_t size, const char *src, write_character *write)
{
	char out[ESCAPED_MAX];
	struct character c;
	size_t used = 0;

	if (size == 0)
		return dst;
	for (; *src; src += c.length) {
		size_t length;

		read_character(src, &c);
		write(&c, out);
		length = strlen(out);
		if (length >= size - used)
			break;
		memcpy(dst + used, out, length);
		used += length;
	}
	dst[used] = '\0';
	return dst;
}

char *escape_terminal(char *dst, size_t size, const char *src)
{
	return escape(dst, size, src, write_terminal);
}

char *escape_json(char *dst, size_t size, const char *src)
{
	return escape(dst, size, src, write_json);
}

char *escape_folded(char *dst, size_t size, const char *src)
{
	return escape(dst, size, src, write_folded);
}

char *escape_xml(char *dst, size_t size, const char *src)
{
	return escape(dst, size, src, write_xml);
}
