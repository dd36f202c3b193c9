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

bool variable_path_has_parts(const char *path)
{
	return strpbrk(path, ".[") != NULL;
}

static int wrong(char why[WHY], const char *reason, const char *text, size_t length)
{
	snprintf(why, WHY, "%s %.*s", reason, (int)length, text);
	return -EINVAL;
}

/* ".NAME" */
static int take_member(const char **path, struct variable_part *part, char why[WHY])
{
	const char *begin = *path + 1;
	size_t length = strcspn(begin, ".[");
	struct debug_member member;
	char name[256];

	if (!length || length >= sizeof(name))
		return wrong(why, "there is no name behind", ".", 1);
	snprintf(name, sizeof(name), "%.*s", (int)length, begin);
	if (debug_type_member_named(part->type, name, &member) || !member.has_offset ||
	    !member.type)
		return wrong(why, "there is no member", begin, length);
	if (member.is_bit_field)
		return wrong(why,
			     "only whole bytes can be watched, and this is a bit-field:", begin,
			     length);
	part->vaddr += member.offset;
	part->type = member.type;
	*path = begin + length;
	return 0;
}

/* "[NUMBER]" */
static int take_element(const char **path, struct variable_part *part, char why[WHY])
{
	const char *begin = *path + 1;
	size_t length = strcspn(begin, "]");
	struct debug_type *element = debug_type_target(part->type);
	uint64_t index;

	if (begin[length] != ']' || digits_parse(begin, length, 10, &index))
		return wrong(why, "this is no index:", *path, strlen(*path));
	if (debug_type_kind(part->type) != DEBUG_KIND_ARRAY || !element)
		return wrong(why, "this is no array:", *path, length + 2);
	if (index >= debug_type_count(part->type))
		return wrong(why, "the array is not that long:", *path, length + 2);
	part->vaddr += index * debug_type_size(element);
	part->type = element;
	*path = begin + length + 1;
	return 0;
}

static int take_parts(const char *path, struct variable_part *part, char why[WHY])
{
	int err = 0;

	while (!err && *path && part->type) {
		if (*path == '.')
			err = take_member(&path, part, why);
		else if (*path == '[')
			err = take_element(&path, part, why);
		else
			err = wrong(why, "this is no part of a variable:", path, strlen(path));
	}
	part->size = part->type ? debug_type_size(part->type) : 0;
	return err;
}

int variable_path_find(struct debug_info *info, const char *path, struct variable_part *part,
		       char why[WHY])
{
	struct debug_variables variables;
	size_t length = strcspn(path, ".[");
	char *name = strndup(path, length);
	int err = name ? debug_variables_named(info, name, &variables) : -ENOMEM;

	free(name);
	if (err)
		return err;
	if (variables.count > 1) {
		err = -ENOTUNIQ;
	} else if (variables.list[0].location.place != DEBUG_PLACE_MEMORY) {
		err = wrong(why, "it has no address that is the same for all:", path, length);
	} else {
		*part = (struct variable_part){
			.vaddr = (uint64_t)variables.list[0].location.offset,
			.type = variables.list[0].type,
		};
		err = take_parts(path + length, part, why);
	}
	debug_variables_free(&variables);
	return err;
}
