// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From the program's types to what can be done with a value. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

void value_set_range(struct value *value, unsigned bits, bool is_signed)
{
	wide one = 1;

	value->is_signed = is_signed;
	value->low = is_signed ? -(one << (bits - 1)) : 0;
	value->high = (one << (is_signed ? bits - 1 : bits)) - 1;
}

void value_set_constant(struct value *value, enum shape shape, wide number)
{
	value->shape = shape;
	value->low = value->high = number;
	value->is_signed = number < 0;
	value->is_constant = true;
}

const char *type_name(const struct checker *checker, const void *type, char name[TYPE_NAME])
{
	const struct expression_scope *scope = checker->scope;

	snprintf(name, TYPE_NAME, "a type without a name");
	if (type && scope->type_name)
		scope->type_name(scope->context, type, name, TYPE_NAME);
	return name;
}

static int describe(const struct checker *checker, const void *type,
		    struct expression_type *described)
{
	const struct expression_scope *scope = checker->scope;

	memset(described, 0, sizeof(*described));
	described->kind = EXPRESSION_UNKNOWN;
	if (!type || !scope->type)
		return 0;
	return scope->type(scope->context, type, described);
}

static bool is_number_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static enum shape shape_of(const struct expression_type *type)
{
	switch (type->kind) {
	case EXPRESSION_INTEGER:
		return is_number_size(type->size) ? SHAPE_INTEGER : SHAPE_UNKNOWN;
	case EXPRESSION_BOOLEAN:
		return is_number_size(type->size) ? SHAPE_BOOLEAN : SHAPE_UNKNOWN;
	case EXPRESSION_ENUM:
		return is_number_size(type->size) ? SHAPE_ENUM : SHAPE_UNKNOWN;
	case EXPRESSION_POINTER:
		return type->size == 8 || type->size == 4 ? SHAPE_POINTER : SHAPE_UNKNOWN;
	case EXPRESSION_STRUCT:
		return SHAPE_STRUCT;
	case EXPRESSION_ARRAY:
		return SHAPE_ARRAY;
	case EXPRESSION_FLOAT:
		return SHAPE_FLOAT;
	default:
		return SHAPE_UNKNOWN;
	}
}

int check_type(struct checker *checker, struct node *node, const void *type)
{
	struct value *value = &node->value;
	int err = describe(checker, type, &value->described);

	if (err == -ENOMEM)
		return err;
	if (err)
		return expression_refuse(checker->error, node->where, "its type cannot be read: %s",
					 strerror(-err));
	value->type = type;
	value->shape = shape_of(&value->described);
	if (value->shape == SHAPE_BOOLEAN) {
		value_set_range(value, 1, false);
	} else if (value->shape == SHAPE_INTEGER || value->shape == SHAPE_ENUM ||
		   value->shape == SHAPE_POINTER) {
		value_set_range(value, 8 * (unsigned)value->described.size,
				value->described.is_signed && value->shape != SHAPE_POINTER);
	} else {
		return 0;
	}
	value->size = (uint32_t)value->described.size;
	return 0;
}

int check_target(struct checker *checker, const struct node *node, const void **target,
		 uint64_t *size)
{
	struct expression_type described;
	char name[TYPE_NAME];
	int err;

	*target = node->value.described.target;
	err = describe(checker, *target, &described);
	if (err == -ENOMEM)
		return err;
	*size = described.size;
	if (*target && !err && described.size && described.size <= INT32_MAX)
		return 0;
	return expression_refuse(checker->error, node->where,
				 "what is behind %s is not known, so it cannot be read",
				 type_name(checker, node->value.type, name));
}

bool is_char_type(const struct checker *checker, const void *type)
{
	struct expression_type described;

	return !describe(checker, type, &described) && described.kind == EXPRESSION_INTEGER &&
	       described.is_char;
}

int refuse_shape(struct checker *checker, const struct node *node, const char *what)
{
	char name[TYPE_NAME];

	switch (node->value.shape) {
	case SHAPE_FLOAT:
		return expression_refuse(checker->error, node->where,
					 "floating point cannot be compared in the kernel");
	case SHAPE_TEXT:
		return expression_refuse(checker->error, node->where, "a string cannot be %s",
					 what);
	case SHAPE_COMM:
		return expression_refuse(checker->error, node->where,
					 "comm is a string, which cannot be %s", what);
	case SHAPE_DURATION:
		return expression_refuse(checker->error, node->where, "a time cannot be %s", what);
	case SHAPE_STRUCT:
	case SHAPE_ARRAY:
	case SHAPE_UNKNOWN:
	case SHAPE_POINTER:
	case SHAPE_ENUM:
		return expression_refuse(checker->error, node->where,
					 "this is of type %s, which cannot be %s",
					 type_name(checker, node->value.type, name), what);
	default:
		return expression_refuse(checker->error, node->where, "this cannot be %s", what);
	}
}
