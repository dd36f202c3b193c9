// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From what DWARF says of a type to what printing its values needs. */
#include <stdlib.h>
#include <string.h>

#include "../debug/type.h"
#include "type.h"

/* A type has so many parts at most, and is nested so deep: DWARF that says more is damaged, or of no use in a line. */
#define MOST_PARTS 512
#define DEEPEST	   16

struct copying {
	size_t parts;
	unsigned depth;
	bool no_memory;
};

static struct value_type *copy_type(struct copying *copying, struct debug_type *from);

static char *copy_name(struct copying *copying, const char *name)
{
	char *copy = name ? strdup(name) : NULL;

	if (name && !copy)
		copying->no_memory = true;
	return copy;
}

static void copy_enumerators(struct copying *copying, struct debug_type *from,
			     struct value_type *type)
{
	const char *name;
	int64_t number;
	size_t count = 0;

	while (count < MOST_PARTS && !debug_type_enumerator(from, count, &name, &number))
		count++;
	type->enumerators = calloc(count ? count : 1, sizeof(*type->enumerators));
	if (!type->enumerators) {
		copying->no_memory = true;
		return;
	}
	for (size_t i = 0; i < count && !debug_type_enumerator(from, i, &name, &number); i++) {
		type->enumerators[i].name = copy_name(copying, name ? name : "");
		type->enumerators[i].number = number;
		type->enumerator_count++;
	}
}

static void copy_member(struct copying *copying, const struct debug_member *from,
			struct value_type *type)
{
	struct value_member *member = &type->members[type->member_count];

	/* where a virtual base is, only the object knows */
	if (!from->has_offset || !from->type)
		return;
	member->type = copy_type(copying, from->type);
	if (!member->type)
		return;
	member->name = from->is_base ? NULL : copy_name(copying, from->name);
	member->offset = from->offset;
	if (from->is_bit_field) {
		member->bit_offset = (uint8_t)from->bit_offset;
		member->bit_width = (uint8_t)from->bit_size;
	}
	type->member_count++;
}

static void copy_members(struct copying *copying, struct debug_type *from, struct value_type *type)
{
	size_t count = debug_type_member_count(from);
	struct debug_member member;

	if (count > MOST_PARTS)
		count = MOST_PARTS;
	type->members = calloc(count ? count : 1, sizeof(*type->members));
	if (!type->members) {
		copying->no_memory = true;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (!debug_type_member(from, i, &member))
			copy_member(copying, &member, type);
}

static enum value_kind kind_of(enum debug_kind kind)
{
	switch (kind) {
	case DEBUG_KIND_SIGNED:
	case DEBUG_KIND_UNSIGNED:
		return VALUE_INTEGER;
	case DEBUG_KIND_CHAR:
		return VALUE_CHAR;
	case DEBUG_KIND_BOOL:
		return VALUE_BOOL;
	case DEBUG_KIND_FLOAT:
		return VALUE_FLOAT;
	case DEBUG_KIND_ENUM:
		return VALUE_ENUM;
	case DEBUG_KIND_POINTER:
	case DEBUG_KIND_REFERENCE:
		return VALUE_POINTER;
	case DEBUG_KIND_STRUCT:
	case DEBUG_KIND_UNION:
		return VALUE_STRUCT;
	case DEBUG_KIND_ARRAY:
		return VALUE_ARRAY;
	default:
		return VALUE_OTHER;
	}
}

static void copy_parts(struct copying *copying, struct debug_type *from, struct value_type *type)
{
	struct debug_type *element;

	if (type->kind == VALUE_ENUM)
		copy_enumerators(copying, from, type);
	if (type->kind == VALUE_STRUCT)
		copy_members(copying, from, type);
	if (type->kind != VALUE_ARRAY)
		return;
	element = debug_type_target(from);
	type->count = debug_type_count(from);
	type->element = element ? copy_type(copying, element) : NULL;
	if (!type->element)
		type->kind = VALUE_OTHER;
}

/* NULL: too much of it, or no memory. */
static struct value_type *copy_type(struct copying *copying, struct debug_type *from)
{
	struct value_type *type;

	if (copying->parts == MOST_PARTS || copying->depth == DEEPEST || copying->no_memory)
		return NULL;
	copying->parts++;
	type = value_type_number(kind_of(debug_type_kind(from)), debug_type_size(from),
				 debug_type_is_signed(from));
	if (!type) {
		copying->no_memory = true;
		return NULL;
	}
	copying->depth++;
	copy_parts(copying, from, type);
	copying->depth--;
	return type;
}

struct value_type *value_type_from_debug(struct debug_type *type)
{
	struct copying copying = {};
	struct value_type *copy = copy_type(&copying, type);

	if (!copying.no_memory)
		return copy;
	value_type_free(copy);
	return NULL;
}
