// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "variable_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/values.h"
#include "../debug/type.h"
#include "../debug/variables.h"

#define WHY 128

static bool is_arrow(const char *at)
{
	return at[0] == '-' && at[1] == '>';
}

/* Up to the next part. */
static size_t name_length(const char *path)
{
	size_t length = 0;

	while (path[length] && path[length] != '.' && path[length] != '[' &&
	       !is_arrow(path + length))
		length++;
	return length;
}

bool variable_path_has_parts(const char *path)
{
	return *path == '*' || path[name_length(path)];
}

static int wrong(char why[WHY], const char *reason, const char *text, size_t length)
{
	snprintf(why, WHY, "%s %.*s", reason, (int)length, text);
	return -EINVAL;
}

/* To what lies so many bytes behind where the path has led. */
static void advance(struct variable_part *part, uint64_t bytes)
{
	if (part->pointer_count)
		part->offsets[part->pointer_count - 1] += bytes;
	else
		part->vaddr += bytes;
}

static bool is_pointer(struct debug_type *type)
{
	enum debug_kind kind = debug_type_kind(type);

	return kind == DEBUG_KIND_POINTER || kind == DEBUG_KIND_REFERENCE;
}

/* To what the pointer points to; text is what asks for that. */
static int follow(struct variable_part *part, const char *text, size_t length, char why[WHY])
{
	if (!part->type || !is_pointer(part->type))
		return wrong(why, "this is no pointer that could be followed:", text, length);
	if (part->pointer_count == VARIABLE_PATH_POINTERS)
		return wrong(why, "these are too many pointers to follow:", text, length);
	part->offsets[part->pointer_count++] = 0;
	part->type = debug_type_target(part->type);
	return 0;
}

/* ".NAME" or "->NAME" */
static int take_member(const char **path, struct variable_part *part, char why[WHY])
{
	bool by_pointer = is_arrow(*path);
	const char *begin = *path + (by_pointer ? 2 : 1);
	size_t length = name_length(begin);
	struct debug_member member;
	char name[256];

	if (!length || length >= sizeof(name))
		return wrong(why, "there is no name behind", *path, by_pointer ? 2 : 1);
	if (by_pointer && follow(part, *path, length + 2, why))
		return -EINVAL;
	if (!by_pointer && debug_type_kind(part->type) == DEBUG_KIND_POINTER)
		return wrong(why, "a pointer's members are behind ->, not .:", begin, length);
	snprintf(name, sizeof(name), "%.*s", (int)length, begin);
	if (!part->type || debug_type_member_named(part->type, name, &member) ||
	    !member.has_offset || !member.type)
		return wrong(why, "there is no member", begin, length);
	if (member.is_bit_field)
		return wrong(why,
			     "only whole bytes can be watched, and this is a bit-field:", begin,
			     length);
	advance(part, member.offset);
	part->type = member.type;
	*path = begin + length;
	return 0;
}

/* Of an array; or of a pointer, which is taken for one to the first of many. */
static int go_to_element(struct variable_part *part, uint64_t index, const char *text,
			 size_t length, char why[WHY])
{
	bool is_array = debug_type_kind(part->type) == DEBUG_KIND_ARRAY;

	if (is_array && index >= debug_type_count(part->type))
		return wrong(why, "the array is not that long:", text, length);
	if (is_array)
		part->type = debug_type_target(part->type);
	else if (debug_type_kind(part->type) != DEBUG_KIND_POINTER)
		return wrong(why, "this is no array:", text, length);
	else if (follow(part, text, length, why))
		return -EINVAL;
	if (!part->type || !debug_type_size(part->type))
		return wrong(why, "how long an element is is not known:", text, length);
	advance(part, index * debug_type_size(part->type));
	return 0;
}

/* "[NUMBER]" */
static int take_element(const char **path, struct variable_part *part, char why[WHY])
{
	const char *begin = *path + 1;
	size_t length = strcspn(begin, "]");
	uint64_t index;

	if (begin[length] != ']' || digits_parse(begin, length, 10, &index) || index > UINT32_MAX)
		return wrong(why, "this is no index:", *path, strlen(*path));
	if (go_to_element(part, index, *path, length + 2, why))
		return -EINVAL;
	*path = begin + length + 1;
	return 0;
}

static int take_parts(const char *path, struct variable_part *part, char why[WHY])
{
	int err = 0;

	while (!err && *path) {
		if (!part->type)
			err = wrong(why,
				    "its type is not known, which this would be part of:", path,
				    strlen(path));
		else if (*path == '.' || is_arrow(path))
			err = take_member(&path, part, why);
		else if (*path == '[')
			err = take_element(&path, part, why);
		else
			err = wrong(why, "this is no part of a variable:", path, strlen(path));
	}
	return err;
}

/* The '*' in front are about all that follows, as in C. */
static int take_stars(const char *path, size_t stars, struct variable_part *part, char why[WHY])
{
	int err = 0;

	for (size_t i = 0; !err && i < stars; i++)
		err = follow(part, path, strlen(path), why);
	return err;
}

static bool has_place(const struct debug_variable *variable)
{
	return variable->location.place == DEBUG_PLACE_MEMORY ||
	       variable->location.place == DEBUG_PLACE_TLS;
}

int variable_path_find(struct debug_info *info, const char *path, struct variable_part *part,
		       char why[WHY])
{
	size_t stars = strspn(path, "*"), length = name_length(path + stars);
	struct debug_variables variables;
	char *name = strndup(path + stars, length);
	int err = name ? debug_variables_named(info, name, &variables) : -ENOMEM;

	free(name);
	if (err)
		return err;
	if (variables.count > 1) {
		err = -ENOTUNIQ;
	} else if (!has_place(&variables.list[0])) {
		err = wrong(why, "it has no address that is the same for all:", path, length);
	} else {
		*part = (struct variable_part){
			.is_thread_local = variables.list[0].location.place == DEBUG_PLACE_TLS,
			.vaddr = (uint64_t)variables.list[0].location.offset,
			.type = variables.list[0].type,
		};
		err = take_parts(path + stars + length, part, why);
	}
	if (!err)
		err = take_stars(path, stars, part, why);
	if (!err)
		part->size = part->type ? debug_type_size(part->type) : 0;
	debug_variables_free(&variables);
	return err;
}
