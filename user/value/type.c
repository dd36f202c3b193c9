// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "type.h"

#include <stdlib.h>

struct value_type *value_type_number(enum value_kind kind, uint64_t size, bool is_signed)
{
	struct value_type *type = calloc(1, sizeof(*type));

	if (type)
		*type = (struct value_type){ .kind = kind, .is_signed = is_signed, .size = size };
	return type;
}

/* A value holds no other of its own type, so this ends. */
void value_type_free(struct value_type *type)
{
	if (!type)
		return;
	for (size_t i = 0; i < type->member_count; i++) {
		free(type->members[i].name);
		value_type_free(type->members[i].type);
	}
	for (size_t i = 0; i < type->enumerator_count; i++)
		free(type->enumerators[i].name);
	value_type_free(type->element);
	free(type->members);
	free(type->enumerators);
	free(type);
}
