// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATH_ROOM 256

struct rendering {
	struct leaves *leaves;
	char path[PATH_ROOM];
	size_t length; /* of the path */
	size_t rows;
	bool is_full;
};

static void render(struct rendering *rendering, const struct value_type *type, const uint8_t *bytes,
		   size_t size);

/* ---- rows ---------------------------------------------------------------------------------------- */

static void add(struct rendering *rendering, enum leaf_kind kind, const char *text, size_t bytes)
{
	if (rendering->rows == RENDER_ROWS) {
		if (!rendering->is_full)
			leaves_add(rendering->leaves, "...", LEAF_MISSING, "...", 3);
		rendering->is_full = true;
		return;
	}
	rendering->rows++;
	leaves_add(rendering->leaves, rendering->path, kind, text, bytes);
}

__attribute__((format(printf, 3, 4))) static void
add_formatted(struct rendering *rendering, enum leaf_kind kind, const char *format, ...)
{
	char text[64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	add(rendering, kind, text, sizeof(text));
}

/* Appends to the path; what it was before is what its length was. */
__attribute__((format(printf, 2, 3))) static void extend_path(struct rendering *rendering,
							      const char *format, ...)
{
	va_list arguments;
	int written;

	va_start(arguments, format);
	written = vsnprintf(rendering->path + rendering->length, PATH_ROOM - rendering->length,
			    format, arguments);
	va_end(arguments);
	if (written > 0)
		rendering->length += (size_t)written;
	if (rendering->length >= PATH_ROOM)
		rendering->length = PATH_ROOM - 1;
}

static void cut_path(struct rendering *rendering, size_t length)
{
	rendering->length = length;
	rendering->path[length] = '\0';
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static int64_t sign_extended(uint64_t number, unsigned bits)
{
	unsigned unused = 64 - bits;

	return (int64_t)(number << unused) >> unused;
}

static uint64_t cut_to(uint64_t number, unsigned bits)
{
	return bits < 64 ? number & ((1ull << bits) - 1) : number;
}

static const char *enumerator_of(const struct value_type *type, int64_t number)
{
	for (size_t i = 0; i < type->enumerator_count; i++)
		if (type->enumerators[i].number == number)
			return type->enumerators[i].name;
	return NULL;
}

/* Of flags, which are an enumeration of single bits: their names with '|' between. False: it is not made of them. */
static bool name_flags(const struct value_type *type, uint64_t number, char *text, size_t size)
{
	uint64_t left = number;
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < type->enumerator_count && left; i++) {
		uint64_t bit = (uint64_t)type->enumerators[i].number;

		if (!bit || bit & (bit - 1) || !(left & bit))
			continue;
		left &= ~bit;
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "|" : "",
					 type->enumerators[i].name);
		if (used >= size)
			return false;
	}
	return number && !left;
}

static void add_integer(struct rendering *rendering, const struct value_type *type, uint64_t number)
{
	enum leaf_kind kind = type->kind == VALUE_CHAR ? LEAF_CHARACTER : LEAF_NUMBER;

	if (type->is_signed)
		add_formatted(rendering, kind, "%" PRId64, (int64_t)number);
	else
		add_formatted(rendering, kind, "%" PRIu64, number);
}

static void add_enum(struct rendering *rendering, const struct value_type *type, uint64_t number)
{
	const char *name = enumerator_of(type, (int64_t)number);
	char names[256];

	if (name)
		add(rendering, LEAF_WORD, name, strlen(name));
	else if (name_flags(type, number, names, sizeof(names)))
		add(rendering, LEAF_WORD, names, sizeof(names));
	else
		add_integer(rendering, type, number);
}

static void add_bool(struct rendering *rendering, uint64_t number)
{
	if (number > 1)
		add_formatted(rendering, LEAF_NUMBER, "%" PRIu64, number);
	else
		add_formatted(rendering, LEAF_WORD, "%s", number ? "true" : "false");
}

/* The low bits of a number, as the type has it. */
static void add_number(struct rendering *rendering, const struct value_type *type, uint64_t number,
		       unsigned bits)
{
	number = type->is_signed ? (uint64_t)sign_extended(number, bits) : cut_to(number, bits);
	switch (type->kind) {
	case VALUE_BOOL:
		add_bool(rendering, number);
		break;
	case VALUE_ENUM:
		add_enum(rendering, type, number);
		break;
	case VALUE_INTEGER:
	case VALUE_CHAR:
		add_integer(rendering, type, number);
		break;
	default:
		add_formatted(rendering, LEAF_ADDRESS, "0x%" PRIx64, number);
	}
}

/* The fewest digits that tell it from its neighbours. */
static void add_double(struct rendering *rendering, double number, int digits_surely)
{
	char text[64];

	for (int digits = 6; digits <= digits_surely; digits++) {
		double back = 0;

		snprintf(text, sizeof(text), "%.*g", digits, number);
		sscanf(text, "%lf", &back);
		if (digits_surely == 9 ? (float)back == (float)number : back == number)
			break;
	}
	/* what is no number has no place among JSON's */
	add(rendering, number - number == 0 ? LEAF_NUMBER : LEAF_WORD, text, sizeof(text));
}

static void add_float(struct rendering *rendering, const uint8_t *bytes, size_t size)
{
	float single = 0;
	double number = 0;

	if (size == sizeof(single)) {
		memcpy(&single, bytes, sizeof(single));
		add_double(rendering, (double)single, 9);
	} else if (size == sizeof(number)) {
		memcpy(&number, bytes, sizeof(number));
		add_double(rendering, number, 17);
	} else if (size == sizeof(long double)) {
		long double longest = 0;

		memcpy(&longest, bytes, sizeof(longest));
		add_formatted(rendering, LEAF_NUMBER, "%.18Lg", longest);
	} else {
		add_formatted(rendering, LEAF_MISSING, "floating point of %zu bytes", size);
	}
}

/* ---- bytes --------------------------------------------------------------------------------------- */

/* Little-endian, as both architectures have it. */
static uint64_t number_of(const uint8_t *bytes, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, bytes, size < sizeof(number) ? size : sizeof(number));
	return number;
}

/* The highest byte first, as a number is written. */
static void add_hex(struct rendering *rendering, const uint8_t *bytes, size_t size)
{
	char text[2 + 2 * 32 + 1] = "0x";

	if (size > 32) {
		add_formatted(rendering, LEAF_MISSING, "%zu bytes", size);
		return;
	}
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 + 2 * i, 3, "%02x", bytes[size - 1 - i]);
	add(rendering, LEAF_ADDRESS, text, sizeof(text));
}

static void render_members(struct rendering *rendering, const struct value_type *type,
			   const uint8_t *bytes, size_t size);

static void render_bits(struct rendering *rendering, const struct value_member *member,
			const uint8_t *bytes, size_t size)
{
	unsigned end = member->bit_offset + member->bit_width;

	if (end > 64 || end > 8 * size)
		add_formatted(rendering, LEAF_MISSING, "not recorded");
	else
		add_number(rendering, member->type, number_of(bytes, size) >> member->bit_offset,
			   member->bit_width);
}

static void render_member(struct rendering *rendering, const struct value_member *member,
			  const uint8_t *bytes, size_t size)
{
	size_t before = rendering->length;
	size_t there = member->offset < size ? size - member->offset : 0;

	if (!member->name && member->type->kind == VALUE_STRUCT) {
		render_members(rendering, member->type, bytes + (there ? member->offset : 0),
			       there);
		return;
	}
	if (!member->name) /* a bit-field that only fills up */
		return;
	extend_path(rendering, ".%s", member->name);
	if (member->bit_width)
		render_bits(rendering, member, bytes + (there ? member->offset : 0), there);
	else
		render(rendering, member->type, bytes + (there ? member->offset : 0),
		       there < member->type->size ? there : member->type->size);
	cut_path(rendering, before);
}

static void render_members(struct rendering *rendering, const struct value_type *type,
			   const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < type->member_count && !rendering->is_full; i++)
		render_member(rendering, &type->members[i], bytes, size);
}

/* Characters up to the first NUL; all of them may be some. */
static void render_characters(struct rendering *rendering, const struct value_type *type,
			      const uint8_t *bytes, size_t size)
{
	size_t length = strnlen((const char *)bytes, size);
	bool is_cut = length == size && type->count > size;

	add(rendering, is_cut ? LEAF_CUT_STRING : LEAF_STRING, (const char *)bytes, length);
}

static void render_elements(struct rendering *rendering, const struct value_type *type,
			    const uint8_t *bytes, size_t size)
{
	size_t element = type->element->size ? type->element->size : 1;
	size_t before = rendering->length;

	for (size_t i = 0; i < type->count && !rendering->is_full; i++) {
		size_t at = i * element;

		extend_path(rendering, "[%zu]", i);
		render(rendering, type->element, bytes + (at < size ? at : 0),
		       at < size ? (size - at < element ? size - at : element) : 0);
		cut_path(rendering, before);
		if (at >= size)
			break; /* one row says it */
	}
}

/* What is there is less than the type has: it was not recorded. */
static bool is_short(const struct value_type *type, size_t size)
{
	return size < type->size && type->kind != VALUE_STRUCT && type->kind != VALUE_ARRAY;
}

static void render(struct rendering *rendering, const struct value_type *type, const uint8_t *bytes,
		   size_t size)
{
	if (!type->size && type->kind != VALUE_STRUCT && type->kind != VALUE_ARRAY)
		add_formatted(rendering, LEAF_MISSING, "of unknown size");
	else if (is_short(type, size))
		add_formatted(rendering, LEAF_MISSING, "not recorded");
	else if (type->kind == VALUE_STRUCT && type->member_count)
		render_members(rendering, type, bytes, size);
	else if (type->kind == VALUE_STRUCT && type->size <= 1)
		add(rendering, LEAF_WORD, "{}", 2);
	else if (type->kind == VALUE_ARRAY && !type->size)
		add_formatted(rendering, LEAF_MISSING, "of unknown length");
	else if (type->kind == VALUE_ARRAY && type->element->kind == VALUE_CHAR &&
		 type->element->size == 1)
		render_characters(rendering, type, bytes, size);
	else if (type->kind == VALUE_ARRAY)
		render_elements(rendering, type, bytes, size);
	else if (type->kind == VALUE_FLOAT)
		add_float(rendering, bytes, size);
	else if (type->kind == VALUE_OTHER || type->kind == VALUE_STRUCT || size > sizeof(uint64_t))
		add_hex(rendering, bytes, size);
	else
		add_number(rendering, type, number_of(bytes, size), 8 * (unsigned)size);
}

static void begin(struct rendering *rendering, struct leaves *leaves, const char *path)
{
	*rendering = (struct rendering){ .leaves = leaves };
	extend_path(rendering, "%s", path);
}

void value_render(struct leaves *leaves, const char *path, const struct value_type *type,
		  const void *bytes, size_t size)
{
	struct rendering rendering;

	begin(&rendering, leaves, path);
	render(&rendering, type, bytes, size < type->size ? size : type->size);
}

void value_render_number(struct leaves *leaves, const char *path, const struct value_type *type,
			 uint64_t number)
{
	struct rendering rendering;
	unsigned bits = type->size && type->size < sizeof(number) ? 8 * (unsigned)type->size : 64;

	begin(&rendering, leaves, path);
	if (type->kind == VALUE_FLOAT)
		add_float(&rendering, (const uint8_t *)&number, type->size);
	else
		add_number(&rendering, type, number, bits);
}
