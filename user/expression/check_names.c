// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What names stand for: the event's fields, the program's names, enumerators, members. */
#include <errno.h>
#include <string.h>

#include "check.h"

struct near_name {
	struct suggestions near;
	const char *written;
};

static void take_name(void *names, const char *name)
{
	struct near_name *near = names;

	suggestions_take(&near->near, near->written, strlen(near->written), name);
}

static void take_fields(struct near_name *near, enum expression_source source)
{
	for (const struct field *field = field_next(NULL, source); field;
	     field = field_next(field, source))
		take_name(near, field->name);
}

static int find(const struct checker *checker, const char *name, struct expression_place *place,
		const char **why)
{
	const struct expression_scope *scope = checker->scope;

	*why = NULL;
	memset(place, 0, sizeof(*place));
	return scope->find ? scope->find(scope->context, name, place, why) : -ENOENT;
}

/* ---- fields ----------------------------------------------------------------------------------- */

static const void *type_of_field(const struct checker *checker, const struct field *field)
{
	if (field->field == MACHINE_RETURN)
		return checker->scope->return_type;
	if (field->field == MACHINE_OLD || field->field == MACHINE_NEW)
		return checker->scope->watched_type;
	return NULL;
}

static uint32_t size_of_field(const struct checker *checker, const struct field *field)
{
	uint32_t size = checker->scope->watched_size;

	if (field->field != MACHINE_OLD && field->field != MACHINE_NEW)
		return sizeof(uint64_t);
	return size == 1 || size == 2 || size == 4 ? size : (uint32_t)sizeof(uint64_t);
}

static int check_raw_field(struct checker *checker, struct node *node)
{
	const void *type = type_of_field(checker, node->field);
	char name[TYPE_NAME];
	int err;

	if (type) {
		err = check_type(checker, node, type);
		if (!err && node->value.shape >= SHAPE_STRUCT)
			return expression_refuse(
				checker->error, node->where,
				"%s is of type %s, which is no number that one register has",
				node->name, type_name(checker, type, name));
		return err;
	}
	node->value.shape = SHAPE_INTEGER;
	node->value.is_raw = true;
	node->value.size = size_of_field(checker, node->field);
	value_set_range(&node->value, 8 * node->value.size, true);
	return 0;
}

/* Of a USDT probe: as large and as signed as its note says. */
static int check_argument(struct checker *checker, struct node *node)
{
	const struct expression_scope *scope = checker->scope;
	struct expression_argument *argument = &node->argument;
	const char *why = NULL;
	int err = scope->argument ?
			  scope->argument(scope->context, node->field->argument, argument, &why) :
			  -ENODATA;

	if (err == -ENOMEM)
		return err;
	if (err)
		return expression_refuse(checker->error, node->where, "%s %s", node->field->name,
					 why ? why : "is not known here");
	node->name_is = NAME_IS_ARGUMENT;
	node->value.shape = SHAPE_INTEGER;
	node->value.may_point = true;
	node->value.size = argument->size;
	value_set_range(&node->value, 8 * argument->size, argument->is_signed);
	return 0;
}

static int check_field(struct checker *checker, struct node *node, const struct field *field)
{
	if (!field_is_known(field, checker->scope->source))
		return expression_refuse(checker->error, node->where, "%s is known to %s only",
					 field->name, field_option(field));
	node->field = field;
	node->name_is = field->is_comm ? NAME_IS_COMM : NAME_IS_FIELD;
	if (field->is_comm) {
		node->value.shape = SHAPE_COMM;
		return 0;
	}
	if (field->argument && checker->scope->source == EXPRESSION_USDT)
		return check_argument(checker, node);
	if (field->is_raw)
		return check_raw_field(checker, node);
	node->value.shape = field->is_duration ? SHAPE_DURATION : SHAPE_INTEGER;
	node->value.high = field->highest;
	return 0;
}

/* ---- the program's names ------------------------------------------------------------------------ */

int check_place(struct checker *checker, struct node *node)
{
	const struct expression_place *place = &node->place;
	struct value *value = &node->value;
	int err = check_type(checker, node, place->type);

	if (err)
		return err;
	node->name_is = NAME_IS_PLACE;
	value->in_memory = place->location != EXPRESSION_IN_REGISTER &&
			   place->location != EXPRESSION_IS_CONSTANT;
	if (value->shape >= SHAPE_STRUCT && !value->in_memory)
		return expression_refuse(
			checker->error, node->where,
			"this is in a register, of which only numbers and pointers can be read");
	if (place->location == EXPRESSION_IS_CONSTANT) {
		wide number = place->offset;

		if (!value->is_signed && number < 0)
			number += (wide)1 << 64;
		value_set_constant(value, value->shape, number);
	}
	return 0;
}

static int enumerator(const struct checker *checker, const char *name, int64_t *number)
{
	const struct expression_scope *scope = checker->scope;
	const char *last = strrchr(name, ':');
	int err;

	if (!checker->enumeration || !scope->enumerator)
		return -ENOENT;
	err = scope->enumerator(scope->context, checker->enumeration, name, number);
	if (err == -ENOENT && last)
		err = scope->enumerator(scope->context, checker->enumeration, last + 1, number);
	return err;
}

static int refuse_name(struct checker *checker, const struct node *node)
{
	const struct expression_scope *scope = checker->scope;
	struct near_name near = { .written = node->name };
	char name[TYPE_NAME];

	if (node->sign != TOKEN_PROGRAM)
		take_fields(&near, scope->source);
	if (node->sign == TOKEN_FIELD)
		return expression_refuse_near(checker->error, node->where, &near.near,
					      "an event has no \"%s\"", node->name);
	if (scope->each_name)
		scope->each_name(scope->context, take_name, &near);
	if (checker->enumeration && scope->each_enumerator) {
		scope->each_enumerator(scope->context, checker->enumeration, take_name, &near);
		return expression_refuse_near(checker->error, node->where, &near.near,
					      "\"%s\" is no name that is known here, nor in %s",
					      node->name,
					      type_name(checker, checker->enumeration, name));
	}
	if (!scope->find)
		return expression_refuse_near(
			checker->error, node->where, &near.near,
			"\"%s\" is not known: the program has no debugging information",
			node->name);
	return expression_refuse_near(checker->error, node->where, &near.near,
				      "\"%s\" is no name that is known here", node->name);
}

static int check_enumerator(struct checker *checker, struct node *node)
{
	int64_t number;
	int err = enumerator(checker, node->name, &number);

	if (err == -ENOENT)
		return refuse_name(checker, node);
	if (err)
		return err == -ENOMEM ?
			       err :
			       expression_refuse(checker->error, node->where,
						 "it cannot be looked up: %s", strerror(-err));
	node->name_is = NAME_IS_ENUMERATOR;
	err = check_type(checker, node, checker->enumeration);
	if (err)
		return err;
	value_set_constant(&node->value, node->value.shape,
			   node->value.is_signed || number >= 0 ? (wide)number :
								  (wide)(uint64_t)number);
	return 0;
}

static int refuse_place(struct checker *checker, const struct node *node, int err, const char *why)
{
	if (err == -ENOMEM)
		return err;
	if (err == -ENODATA)
		return expression_refuse(checker->error, node->where, "%s %s", node->name,
					 why ? why : "has no place in memory or registers here");
	return expression_refuse(checker->error, node->where, "%s cannot be looked up: %s",
				 node->name, strerror(-err));
}

int check_name(struct checker *checker, struct node *node)
{
	const struct field *field = node->sign == TOKEN_PROGRAM ? NULL : field_find(node->name);
	const char *why;
	int err;

	if (node->sign == TOKEN_FIELD)
		return field ? check_field(checker, node, field) : refuse_name(checker, node);
	err = find(checker, node->name, &node->place, &why);
	if (err == -ENOENT)
		return field ? check_field(checker, node, field) : check_enumerator(checker, node);
	if (field && field_is_known(field, checker->scope->source))
		return expression_refuse(
			checker->error, node->where,
			"the event has a %s and so has the program: write $%s for the event's, @%s for the program's",
			node->name, node->name, node->name);
	return err ? refuse_place(checker, node, err, why) : check_place(checker, node);
}

bool is_unknown_name(const struct checker *checker, const struct node *node)
{
	struct expression_place place;
	const char *why;

	while (node->kind == NODE_UNARY)
		node = node->left;
	return node->kind == NODE_NAME && node->sign == TOKEN_NAME && !field_find(node->name) &&
	       find(checker, node->name, &place, &why) == -ENOENT;
}

/* ---- members ---------------------------------------------------------------------------------- */

/* The struct that a member is of: what is on the left, or what it points to. */
static int check_struct(struct checker *checker, const struct node *node, const void **type)
{
	const struct node *left = node->left;
	struct expression_type described = left->value.described;
	bool is_arrow = node->sign == TOKEN_ARROW;
	char name[TYPE_NAME];

	*type = left->value.type;
	if (left->value.shape == SHAPE_POINTER) {
		*type = described.target;
		memset(&described, 0, sizeof(described));
		described.kind = EXPRESSION_UNKNOWN;
		if (*type && checker->scope->type)
			checker->scope->type(checker->scope->context, *type, &described);
		if (described.kind == EXPRESSION_STRUCT && !is_arrow)
			return expression_refuse(checker->error, node->where,
						 "this is a pointer, whose members follow ->");
	} else if (left->value.shape == SHAPE_STRUCT && is_arrow) {
		return expression_refuse(checker->error, node->where,
					 "this is no pointer: its members follow a .");
	}
	if (described.kind == EXPRESSION_STRUCT)
		return 0;
	if (!left->value.type)
		return expression_refuse(checker->error, left->where,
					 "this has no members: its type is not known");
	return expression_refuse(checker->error, left->where,
				 "this is of type %s, which has no members",
				 type_name(checker, left->value.type, name));
}

static int refuse_member(struct checker *checker, const struct node *node, const void *type)
{
	const struct expression_scope *scope = checker->scope;
	struct near_name near = { .written = node->name };
	char name[TYPE_NAME];

	if (scope->each_member)
		scope->each_member(scope->context, type, take_name, &near);
	return expression_refuse_near(checker->error, node->at, &near.near,
				      "there is no member \"%s\" in %s", node->name,
				      type_name(checker, type, name));
}

static int check_bit_field(struct checker *checker, struct node *node,
			   const struct expression_member *member)
{
	struct value *value = &node->value;
	uint32_t first = member->bit_offset % 8;

	if (value->shape > SHAPE_ENUM || value->shape == SHAPE_DURATION || member->bit_size > 64 ||
	    first + member->bit_size > 64)
		return expression_refuse(checker->error, node->at,
					 "this bit-field lies across nine bytes");
	node->offset += member->bit_offset / 8;
	node->bit_offset = first;
	node->bit_size = member->bit_size;
	value->in_memory = false;
	if (value->shape != SHAPE_BOOLEAN)
		value_set_range(value, member->bit_size, value->is_signed);
	return 0;
}

int check_member_name(struct checker *checker, struct node *node)
{
	const struct expression_scope *scope = checker->scope;
	struct expression_member member = {};
	const void *type;
	int err = check_struct(checker, node, &type);

	if (err)
		return err;
	err = scope->member ? scope->member(scope->context, type, node->name, &member) : -ENOENT;
	if (err == -ENOMEM)
		return err;
	if (err || member.offset > INT32_MAX)
		return refuse_member(checker, node, type);
	err = check_type(checker, node, member.type);
	if (err)
		return err;
	node->offset = (int64_t)member.offset;
	node->value.in_memory = true;
	return member.bit_size ? check_bit_field(checker, node, &member) : 0;
}
