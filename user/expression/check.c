// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tree from its leaves up: what each node is, and what it can be. */
#include "check.h"

#include <errno.h>
#include <string.h>

#define LOWEST	((wide)INT64_MIN)
#define HIGHEST ((wide)UINT64_MAX)

static bool is_number(const struct value *value)
{
	return value->shape == SHAPE_INTEGER || value->shape == SHAPE_ENUM;
}

static wide least(wide a, wide b)
{
	return a < b ? a : b;
}

static wide most(wide a, wide b)
{
	return a > b ? a : b;
}

/*
 * A computed number: from low to high, as far as 64 bits go. One that can be negative is signed; what then does
 * not fit is found when it is computed, and not judged.
 */
static int set_computed(struct checker *checker, struct node *node, enum shape shape, wide low,
			wide high)
{
	struct value *value = &node->value;
	bool is_constant = node->left->value.is_constant &&
			   (!node->right || node->right->value.is_constant);

	if (is_constant && (low < LOWEST || low > HIGHEST))
		return expression_refuse(checker->error, node->where,
					 "this number needs more than 64 bits");
	value->shape = shape;
	value->is_constant = is_constant;
	value->is_signed = low < 0;
	value->low = most(low, LOWEST);
	value->high = least(high, low < 0 ? (wide)INT64_MAX : HIGHEST);
	return 0;
}

/* ---- members and elements --------------------------------------------------------------------- */

static int check_member(struct checker *checker, struct node *node)
{
	int err = check_node(checker, node->left);

	return err ? err : check_member_name(checker, node);
}

/* node is an element of, or what is behind, its left: the one of that number. */
static int check_element(struct checker *checker, struct node *node, int64_t number)
{
	const struct value *left = &node->left->value;
	const void *target;
	uint64_t size;
	char name[TYPE_NAME];
	int err;

	if (left->shape != SHAPE_POINTER && left->shape != SHAPE_ARRAY && left->type)
		return expression_refuse(checker->error, node->left->where,
					 "this is of type %s, neither a pointer nor an array",
					 type_name(checker, left->type, name));
	if (left->shape != SHAPE_POINTER && left->shape != SHAPE_ARRAY)
		return expression_refuse(checker->error, node->left->where,
					 "this is neither a pointer nor an array");
	err = check_target(checker, node->left, &target, &size);
	if (!err)
		err = check_type(checker, node, target);
	if (err)
		return err;
	if (__builtin_mul_overflow(number, (int64_t)size, &node->offset))
		return expression_refuse(checker->error, node->where, "this is beyond all memory");
	node->value.in_memory = true;
	return 0;
}

static int check_index(struct checker *checker, struct node *node)
{
	const struct value *left = &node->left->value, *index = &node->right->value;
	int err = check_node(checker, node->left);

	if (!err)
		err = check_node(checker, node->right);
	if (err)
		return err;
	if (!index->is_constant || !is_number(index) || index->high > INT64_MAX)
		return expression_refuse(checker->error, node->right->where,
					 "an index must be a number as written, and whole");
	if (left->shape == SHAPE_ARRAY && index->low < 0)
		return expression_refuse(checker->error, node->right->where,
					 "an array's elements begin at 0");
	if (left->shape == SHAPE_ARRAY && left->described.count &&
	    index->low >= (wide)left->described.count)
		return expression_refuse(checker->error, node->right->where,
					 "the array has elements 0 to %llu",
					 (unsigned long long)left->described.count - 1);
	return check_element(checker, node, (int64_t)index->low);
}

/* ---- unary ------------------------------------------------------------------------------------ */

static int check_negated(struct checker *checker, struct node *node)
{
	const struct value *left = &node->left->value;

	if (!is_number(left))
		return refuse_shape(checker, node->left, "negated");
	return set_computed(checker, node, SHAPE_INTEGER, -left->high, -left->low);
}

/* ~: of an unsigned variable all bits that it has; else -x - 1, which is the same bits. */
static int check_inverted(struct checker *checker, struct node *node)
{
	const struct value *left = &node->left->value;

	if (!is_number(left))
		return refuse_shape(checker, node->left, "inverted");
	if (!left->is_constant && left->low >= 0 && left->size)
		return set_computed(checker, node, SHAPE_INTEGER, 0, left->high);
	if (!left->is_constant && left->high > INT64_MAX)
		return set_computed(checker, node, SHAPE_INTEGER, 0, HIGHEST);
	return set_computed(checker, node, SHAPE_INTEGER, -left->high - 1, -left->low - 1);
}

static int check_unary(struct checker *checker, struct node *node)
{
	int err = check_node(checker, node->left);

	if (err)
		return err;
	switch (node->sign) {
	case TOKEN_STAR:
		return check_element(checker, node, 0);
	case TOKEN_MINUS:
		return check_negated(checker, node);
	case TOKEN_INVERT:
		return check_inverted(checker, node);
	default: /* TOKEN_NOT */
		node->value.shape = SHAPE_BOOLEAN;
		value_set_range(&node->value, 1, false);
		return check_condition(checker, node->left);
	}
}

static int check_cast(struct checker *checker, struct node *node)
{
	struct value *value = &node->value;
	int err = check_node(checker, node->left);

	if (err)
		return err;
	if (!is_number(&node->left->value) && node->left->value.shape != SHAPE_BOOLEAN &&
	    node->left->value.shape != SHAPE_POINTER)
		return refuse_shape(checker, node->left, "made a number");
	value->shape = SHAPE_INTEGER;
	value->size = (uint32_t)node->number;
	value_set_range(value, 8 * value->size, node->is_signed);
	value->is_string = value->is_raw = node->is_string;
	return 0;
}

/* ---- binary ----------------------------------------------------------------------------------- */

static int check_with_enum(struct checker *checker, struct node *node, const struct value *other)
{
	const void *before = checker->enumeration;
	int err;

	if (other->shape == SHAPE_ENUM)
		checker->enumeration = other->type;
	err = check_node(checker, node);
	checker->enumeration = before;
	return err;
}

/* Both sides: a bare name may be an enumerator of what is on the other. */
static int check_sides(struct checker *checker, struct node *node)
{
	bool right_first = is_unknown_name(checker, node->left);
	struct node *first = right_first ? node->right : node->left;
	struct node *second = right_first ? node->left : node->right;
	int err;

	/* of two unknown names the left one is said to be unknown */
	if (right_first && is_unknown_name(checker, node->right))
		first = node->left;
	err = check_node(checker, first);
	return err ? err : check_with_enum(checker, second, &first->value);
}

static int refuse_operand(struct checker *checker, const struct node *node, const char *what)
{
	if (node->kind == NODE_BINARY && is_comparison(node->sign) && !node->in_parentheses)
		return expression_refuse(
			checker->error, node->where,
			"& is weaker than a comparison, as in C: parentheses are needed");
	return refuse_shape(checker, node, what);
}

static int check_sum(struct checker *checker, struct node *node)
{
	const struct value *left = &node->left->value, *right = &node->right->value;
	bool are_durations = left->shape == SHAPE_DURATION && right->shape == SHAPE_DURATION;
	enum shape shape = are_durations ? SHAPE_DURATION : SHAPE_INTEGER;

	if (!are_durations && !is_number(left))
		return refuse_shape(checker, node->left, "added to or subtracted from");
	if (!are_durations && !is_number(right))
		return refuse_shape(checker, node->right, "added or subtracted");
	settle_raw(node->left, node->right);
	if (node->sign == TOKEN_PLUS)
		return set_computed(checker, node, shape, left->low + right->low,
				    left->high + right->high);
	return set_computed(checker, node, shape, left->low - right->high, left->high - right->low);
}

static int set_bits(struct checker *checker, struct node *node)
{
	const struct value *left = &node->left->value, *right = &node->right->value;

	if (left->is_constant && right->is_constant) {
		uint64_t bits = (uint64_t)left->low & (uint64_t)right->low;
		bool is_negative = left->low < 0 && right->low < 0;
		wide result = is_negative ? (wide)(int64_t)bits : (wide)bits;

		return set_computed(checker, node, SHAPE_INTEGER, result, result);
	}
	if (left->low < 0 && right->low < 0)
		return set_computed(checker, node, SHAPE_INTEGER, LOWEST, INT64_MAX);
	return set_computed(checker, node, SHAPE_INTEGER, 0,
			    left->low < 0  ? right->high :
			    right->low < 0 ? left->high :
					     least(left->high, right->high));
}

/* Some bits of an enum are still of it: (flags & MASK) == FLAG. */
static void keep_enum(struct value *value, const struct value *from)
{
	if (from->shape != SHAPE_ENUM)
		return;
	value->shape = SHAPE_ENUM;
	value->type = from->type;
	value->described = from->described;
}

static int check_bits(struct checker *checker, struct node *node)
{
	int err;

	if (!is_number(&node->left->value))
		return refuse_operand(checker, node->left, "combined with &");
	if (!is_number(&node->right->value))
		return refuse_operand(checker, node->right, "combined with &");
	settle_raw(node->left, node->right);
	err = set_bits(checker, node);
	keep_enum(&node->value, &node->right->value);
	keep_enum(&node->value, &node->left->value);
	return err;
}

static int check_logic(struct checker *checker, struct node *node)
{
	int err = check_node(checker, node->left);

	if (!err)
		err = check_condition(checker, node->left);
	if (!err)
		err = check_node(checker, node->right);
	if (!err)
		err = check_condition(checker, node->right);
	node->value.shape = SHAPE_BOOLEAN;
	value_set_range(&node->value, 1, false);
	return err;
}

static int check_binary(struct checker *checker, struct node *node)
{
	int err;

	if (node->sign == TOKEN_AND || node->sign == TOKEN_OR)
		return check_logic(checker, node);
	err = check_sides(checker, node);
	if (err)
		return err;
	if (is_comparison(node->sign))
		return check_comparison(checker, node);
	if (node->sign == TOKEN_BIT_AND)
		return check_bits(checker, node);
	return check_sum(checker, node);
}

/* ---- all -------------------------------------------------------------------------------------- */

int check_node(struct checker *checker, struct node *node)
{
	memset(&node->value, 0, sizeof(node->value));
	node->offset = 0;
	node->bit_offset = node->bit_size = 0;
	node->field = NULL;
	switch (node->kind) {
	case NODE_NUMBER:
		value_set_constant(&node->value,
				   node->sign == TOKEN_DURATION ? SHAPE_DURATION : SHAPE_INTEGER,
				   node->number);
		return 0;
	case NODE_TRUTH:
		value_set_constant(&node->value, SHAPE_BOOLEAN, node->name[0] == 't');
		return 0;
	case NODE_NULL:
		value_set_constant(&node->value, SHAPE_NULL, 0);
		return 0;
	case NODE_TEXT:
		node->value.shape = SHAPE_TEXT;
		return 0;
	case NODE_NAME:
		return check_name(checker, node);
	case NODE_MEMBER:
		return check_member(checker, node);
	case NODE_INDEX:
		return check_index(checker, node);
	case NODE_UNARY:
		return check_unary(checker, node);
	case NODE_CAST:
		return check_cast(checker, node);
	case NODE_BINARY:
		return check_binary(checker, node);
	}
	return -EINVAL;
}

int check_condition(struct checker *checker, const struct node *node)
{
	if (node->value.shape == SHAPE_BOOLEAN || is_number(&node->value) ||
	    node->value.shape == SHAPE_POINTER)
		return 0;
	return refuse_shape(checker, node, "a condition of its own");
}

int check_result(struct checker *checker, const struct node *node)
{
	const struct value *value = &node->value;
	char name[TYPE_NAME];

	if (value->shape == SHAPE_TEXT || value->shape == SHAPE_NULL)
		return expression_refuse(checker->error, node->where, "this is nothing to record");
	if (value->shape == SHAPE_COMM)
		return expression_refuse(checker->error, node->where,
					 "comm is recorded with every event");
	if (value->shape == SHAPE_UNKNOWN && !value->described.size)
		return expression_refuse(checker->error, node->where,
					 "this is of type %s, of which nothing can be recorded",
					 type_name(checker, value->type, name));
	return 0;
}
