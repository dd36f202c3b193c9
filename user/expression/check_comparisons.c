// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which values can be compared. What a type's range decides is a mistake, and refused. */
#include <errno.h>
#include <stdio.h>

#include "check.h"

/* A task's name, without the NUL. */
#define COMM_CHARACTERS 15

#define SIGNED_HIGHEST ((wide)INT64_MAX)

/* ---- strings ---------------------------------------------------------------------------------- */

/* So many characters it has at least that matches. */
static uint64_t least_length(const struct machine_text *pattern)
{
	return pattern->length - (uint64_t)__builtin_popcountll(pattern->any);
}

static int check_length(struct checker *checker, const struct node *text, uint64_t room)
{
	if (least_length(&text->pattern) <= room)
		return 0;
	return expression_refuse(checker->error, text->where,
				 "this is never equal: there is room for %llu characters",
				 (unsigned long long)room);
}

/* May it be an address, for all that is known? */
static bool may_point(const struct value *value)
{
	return (value->is_raw || value->may_point) && value->size == sizeof(uint64_t);
}

static bool is_string(const struct checker *checker, const struct value *value)
{
	if (value->shape == SHAPE_POINTER || value->shape == SHAPE_ARRAY)
		return is_char_type(checker, value->described.target);
	return may_point(value);
}

static int check_strings(struct checker *checker, const struct node *node)
{
	bool text_is_left = node->left->value.shape == SHAPE_TEXT;
	const struct node *text = text_is_left ? node->left : node->right;
	const struct node *other = text_is_left ? node->right : node->left;
	char name[TYPE_NAME];

	if (text->value.shape != SHAPE_TEXT || other->value.shape == SHAPE_TEXT)
		return expression_refuse(checker->error, node->where,
					 "a string is compared with a \"text\" only");
	if (node->sign != TOKEN_EQUAL && node->sign != TOKEN_NOT_EQUAL)
		return expression_refuse(checker->error, node->at,
					 "strings are compared with == and != only");
	if (other->value.shape == SHAPE_COMM)
		return check_length(checker, text, COMM_CHARACTERS);
	if (is_string(checker, &other->value))
		return other->value.shape == SHAPE_ARRAY && other->value.described.count ?
			       check_length(checker, text, other->value.described.count) :
			       0;
	if (!other->value.type)
		return expression_refuse(checker->error, node->where,
					 "a number and a string cannot be compared");
	return expression_refuse(checker->error, node->where,
				 "a string cannot be compared with one of type %s",
				 type_name(checker, other->value.type, name));
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static void settle_one(struct node *node, const struct value *other)
{
	struct value *value = &node->value;

	/* also where a minus, or parentheses, are around it: those keep no register's name */
	if (value->is_raw && other->high > value->high && other->low >= 0)
		value_set_range(value, 8 * value->size, false);
}

void settle_raw(struct node *left, struct node *right)
{
	settle_one(left, &right->value);
	settle_one(right, &left->value);
}

static void write_wide(char text[24], wide number)
{
	if (number < 0)
		snprintf(text, 24, "%lld", (long long)number);
	else
		snprintf(text, 24, "%llu", (unsigned long long)number);
}

enum verdict { OPEN, NEVER, ALWAYS };

/* What the range of value decides of "value SIGN number". */
static enum verdict decide(const struct value *value, enum token_kind sign, wide number)
{
	switch (sign) {
	case TOKEN_EQUAL:
		return number < value->low || number > value->high ? NEVER : OPEN;
	case TOKEN_NOT_EQUAL:
		return number < value->low || number > value->high ? ALWAYS : OPEN;
	case TOKEN_LESS:
		return value->high < number ? ALWAYS : value->low >= number ? NEVER : OPEN;
	case TOKEN_GREATER_EQUAL:
		return value->low >= number ? ALWAYS : value->high < number ? NEVER : OPEN;
	case TOKEN_LESS_EQUAL:
		return value->high <= number ? ALWAYS : value->low > number ? NEVER : OPEN;
	default: /* TOKEN_GREATER */
		return value->low > number ? ALWAYS : value->high <= number ? NEVER : OPEN;
	}
}

/* a < b is b > a. */
static enum token_kind mirrored(enum token_kind sign)
{
	switch (sign) {
	case TOKEN_LESS:
		return TOKEN_GREATER;
	case TOKEN_LESS_EQUAL:
		return TOKEN_GREATER_EQUAL;
	case TOKEN_GREATER:
		return TOKEN_LESS;
	case TOKEN_GREATER_EQUAL:
		return TOKEN_LESS_EQUAL;
	default:
		return sign;
	}
}

static int check_ranges(struct checker *checker, const struct node *node)
{
	bool constant_is_left = node->left->value.is_constant;
	const struct value *constant = constant_is_left ? &node->left->value : &node->right->value;
	const struct value *value = constant_is_left ? &node->right->value : &node->left->value;
	enum verdict verdict;
	char low[24], high[24];

	if (!constant->is_constant || value->is_constant)
		return 0;
	verdict =
		decide(value, constant_is_left ? mirrored(node->sign) : node->sign, constant->low);
	if (verdict == OPEN)
		return 0;
	write_wide(low, value->low);
	write_wide(high, value->high);
	return expression_refuse(checker->error, node->where,
				 "this is %s true: what is compared is from %s to %s",
				 verdict == NEVER ? "never" : "always", low, high);
}

static bool is_zero(const struct value *value)
{
	return value->is_constant && !value->low;
}

static int check_null(struct checker *checker, const struct node *node)
{
	const struct value *other = node->left->value.shape == SHAPE_NULL ? &node->right->value :
									    &node->left->value;

	if (node->sign != TOKEN_EQUAL && node->sign != TOKEN_NOT_EQUAL)
		return expression_refuse(checker->error, node->at,
					 "NULL is compared with == and != only");
	if (other->shape == SHAPE_POINTER || other->is_raw || may_point(other))
		return 0;
	return expression_refuse(checker->error, node->where, "only pointers can be NULL");
}

static int check_durations(struct checker *checker, const struct node *node)
{
	const struct value *left = &node->left->value, *right = &node->right->value;

	if ((left->shape == SHAPE_DURATION || is_zero(left)) &&
	    (right->shape == SHAPE_DURATION || is_zero(right)))
		return 0;
	if (left->is_constant && left->shape != SHAPE_DURATION)
		return expression_refuse(checker->error, node->left->where,
					 "a time has a unit: ns, us, ms or s");
	if (right->is_constant && right->shape != SHAPE_DURATION)
		return expression_refuse(checker->error, node->right->where,
					 "a time has a unit: ns, us, ms or s");
	return expression_refuse(checker->error, node->where,
				 "a time is compared with latency only");
}

/* A pointer and a number: only if the number is written, or of a register. */
static int check_pointers(struct checker *checker, const struct node *node)
{
	const struct value *left = &node->left->value, *right = &node->right->value;

	if (left->shape == right->shape || left->is_constant || left->is_raw || may_point(left) ||
	    right->is_constant || right->is_raw || may_point(right))
		return 0;
	return expression_refuse(checker->error, node->where,
				 "a pointer and a number cannot be compared");
}

static bool is_bare_comparison(const struct node *node)
{
	return node->kind == NODE_BINARY && is_comparison(node->sign) && !node->in_parentheses;
}

static bool is_either(const struct node *node, enum shape shape)
{
	return node->left->value.shape == shape || node->right->value.shape == shape;
}

int check_comparison(struct checker *checker, struct node *node)
{
	struct node *left = node->left, *right = node->right;
	int err = 0;

	value_set_range(&node->value, 1, false);
	node->value.shape = SHAPE_BOOLEAN;
	if (is_bare_comparison(left) || is_bare_comparison(right))
		return expression_refuse(
			checker->error, node->where,
			"comparisons do not chain: write a < b && b < c, or parentheses");
	if (is_either(node, SHAPE_TEXT) || is_either(node, SHAPE_COMM))
		return check_strings(checker, node);
	if (left->value.shape >= SHAPE_STRUCT)
		return refuse_shape(checker, left, "compared as a whole");
	if (right->value.shape >= SHAPE_STRUCT)
		return refuse_shape(checker, right, "compared as a whole");
	if (is_either(node, SHAPE_NULL))
		return check_null(checker, node);
	if (is_either(node, SHAPE_DURATION))
		err = check_durations(checker, node);
	else if (is_either(node, SHAPE_POINTER))
		err = check_pointers(checker, node);
	if (err)
		return err;
	settle_raw(left, right);
	return check_ranges(checker, node);
}
