// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From a checked tree to a program. */
#include <errno.h>
#include <string.h>

#include "check.h"

struct compiler {
	struct machine_program *program;
	struct expression_error *error;
	struct extent whole;
	unsigned depth; /* values on the stack, when the instructions so far have run */
};

static int compile_value(struct compiler *compiler, const struct node *node);
static int compile_address(struct compiler *compiler, const struct node *node, int64_t *offset);

/* ---- instructions ----------------------------------------------------------------------------- */

/* Appends an instruction that makes the stack grow by so many values. */
static int emit(struct compiler *compiler, enum machine_op op, uint8_t flags, uint32_t size,
		uint64_t value, int grows)
{
	struct machine_program *program = compiler->program;

	if (program->length == MACHINE_INSNS)
		return expression_refuse(compiler->error, compiler->whole,
					 "the expression is too long: it needs more than %d steps",
					 MACHINE_INSNS);
	compiler->depth += (unsigned)grows;
	if (compiler->depth > MACHINE_VALUES)
		return expression_refuse(compiler->error, compiler->whole,
					 "the expression is nested too deep");
	program->insns[program->length++] = (struct machine_insn){
		.op = (uint8_t)op, .flags = flags, .size = size, .value = value
	};
	return 0;
}

static int emit_constant(struct compiler *compiler, uint64_t value)
{
	return emit(compiler, MACHINE_CONSTANT, 0, 0, value, 1);
}

/* With nothing but the operator's own flags. */
static int emit_plain(struct compiler *compiler, enum machine_op op, int grows)
{
	return emit(compiler, op, 0, 0, 0, grows);
}

/* The number of a pattern in the program: one that is there already, if it can be. */
static int pattern_number(struct compiler *compiler, const struct node *text, uint64_t *number)
{
	struct machine_program *program = compiler->program;
	uint32_t i;

	for (i = 0; i < program->text_count; i++)
		if (memcmp(&program->texts[i], &text->pattern, sizeof(text->pattern)) == 0)
			break;
	if (i == MACHINE_TEXTS)
		return expression_refuse(compiler->error, text->where,
					 "there can be %d different strings in an expression",
					 MACHINE_TEXTS);
	if (i == program->text_count)
		program->texts[program->text_count++] = text->pattern;
	*number = i;
	return 0;
}

/* ---- values of the program ---------------------------------------------------------------------- */

/* Adds to the address on the stack. */
static int emit_offset(struct compiler *compiler, int64_t offset)
{
	int err;

	if (!offset)
		return 0;
	err = emit_constant(compiler, (uint64_t)offset);
	return err ? err : emit(compiler, MACHINE_ADD, MACHINE_RIGHT_SIGNED, 0, 0, -1);
}

/* Cuts a register to the bytes that its type has. */
static int emit_width(struct compiler *compiler, uint32_t size, bool is_signed)
{
	if (!size || size >= sizeof(uint64_t))
		return 0;
	return emit(compiler, MACHINE_BITS, is_signed ? MACHINE_SIGNED : 0, 8 * size, 0, 0);
}

static int compile_place_address(struct compiler *compiler, const struct expression_place *place)
{
	uint64_t offset = (uint64_t)place->offset;

	switch (place->location) {
	case EXPRESSION_AT_REGISTER:
		return emit(compiler, MACHINE_REGISTER, 0, place->number, offset, 1);
	case EXPRESSION_AT_CFA:
		return emit(compiler, MACHINE_CFA, 0, 0, offset, 1);
	case EXPRESSION_AT_IP:
		return emit(compiler, MACHINE_IP, 0, 0, offset, 1);
	default:
		return emit_constant(compiler, offset);
	}
}

/* Leaves the address of a value in memory on the stack, but for an offset that is still to be added. */
static int compile_address(struct compiler *compiler, const struct node *node, int64_t *offset)
{
	int64_t base = 0;
	int err;

	*offset = 0;
	if (node->kind == NODE_NAME)
		return compile_place_address(compiler, &node->place);
	if (node->left->value.shape == SHAPE_POINTER)
		err = compile_value(compiler, node->left);
	else
		err = compile_address(compiler, node->left, &base);
	if (!err && __builtin_add_overflow(base, node->offset, offset))
		return expression_refuse(compiler->error, node->where, "this is beyond all memory");
	return err;
}

static int compile_load(struct compiler *compiler, const struct node *node)
{
	uint32_t bytes = node->bit_size ? (node->bit_offset + node->bit_size + 7) / 8 :
					  node->value.size;
	uint8_t flags = node->value.is_signed ? MACHINE_SIGNED : 0;
	int64_t offset;
	int err = compile_address(compiler, node, &offset);

	if (!err)
		err = emit(compiler, MACHINE_LOAD, node->bit_size ? 0 : flags, bytes,
			   (uint64_t)offset, 0);
	if (!err && node->bit_size)
		err = emit(compiler, MACHINE_BITS, flags, node->bit_size, node->bit_offset, 0);
	return err;
}

/* By how many values an instruction of an argument makes the stack grow. */
static int growth_of(enum machine_op op)
{
	return op <= MACHINE_FIELD ? 1 : op >= MACHINE_ADD && op <= MACHINE_LESS_MIXED_TOO ? -1 : 0;
}

static int compile_argument(struct compiler *compiler, const struct expression_argument *argument)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < argument->count; i++) {
		const struct machine_insn *insn = &argument->insns[i];

		err = emit(compiler, insn->op, insn->flags, insn->size, insn->value,
			   growth_of(insn->op));
	}
	return err;
}

static int compile_name(struct compiler *compiler, const struct node *node)
{
	const struct value *value = &node->value;
	int err;

	if (value->in_memory)
		return compile_load(compiler, node);
	if (node->name_is == NAME_IS_ARGUMENT)
		return compile_argument(compiler, &node->argument);
	if (node->name_is == NAME_IS_PLACE)
		err = emit(compiler, MACHINE_REGISTER, 0, node->place.number, 0, 1);
	else
		err = emit(compiler, MACHINE_FIELD, 0, node->field->field, 0, 1);
	return err ? err : emit_width(compiler, value->size, value->is_signed);
}

/* ---- operators -------------------------------------------------------------------------------- */

static int compile_both(struct compiler *compiler, const struct node *first,
			const struct node *second)
{
	int err = compile_value(compiler, first);

	return err ? err : compile_value(compiler, second);
}

static int emit_sum(struct compiler *compiler, enum machine_op op, const struct node *node,
		    bool left_signed, bool right_signed)
{
	uint8_t flags = node->value.low < 0 ? MACHINE_SIGNED : 0;

	flags |= left_signed ? MACHINE_LEFT_SIGNED : 0;
	flags |= right_signed ? MACHINE_RIGHT_SIGNED : 0;
	return emit(compiler, op, flags, 0, 0, -1);
}

static int compile_sum(struct compiler *compiler, const struct node *node)
{
	int err = compile_both(compiler, node->left, node->right);

	if (err)
		return err;
	return emit_sum(compiler, node->sign == TOKEN_PLUS ? MACHINE_ADD : MACHINE_SUBTRACT, node,
			node->left->value.low < 0, node->right->value.low < 0);
}

/* -x is 0 - x; ~x is -1 - x, or of an unsigned number all its bits - x. */
static int compile_negated(struct compiler *compiler, const struct node *node)
{
	const struct value *left = &node->left->value;
	wide from = 0;
	int err;

	if (node->sign == TOKEN_INVERT)
		from = node->value.low < 0 ? (wide)-1 : node->value.high;
	err = emit_constant(compiler, (uint64_t)from);
	if (!err)
		err = compile_value(compiler, node->left);
	return err ? err : emit_sum(compiler, MACHINE_SUBTRACT, node, from < 0, left->low < 0);
}

/* A condition as 0 or 1, or the contrary. */
static int compile_truth(struct compiler *compiler, const struct node *node, bool is_negated)
{
	int err = compile_value(compiler, node);

	if (err)
		return err;
	if (is_negated)
		return emit_plain(compiler, MACHINE_NOT, 0);
	/* what a variable of type bool holds need not be 0 or 1 */
	if (node->value.shape == SHAPE_BOOLEAN && node->value.size == 0)
		return 0;
	return emit_plain(compiler, MACHINE_TRUTH, 0);
}

static int compile_logic(struct compiler *compiler, const struct node *node)
{
	struct machine_program *program = compiler->program;
	uint32_t branch;
	int err = compile_value(compiler, node->left);

	branch = program->length;
	if (!err)
		err = emit_plain(compiler,
				 node->sign == TOKEN_AND ? MACHINE_IF_FALSE : MACHINE_IF_TRUE, -1);
	if (!err)
		err = compile_truth(compiler, node->right, false);
	if (!err)
		program->insns[branch].value = program->length;
	return err;
}

static int compile_match(struct compiler *compiler, const struct node *node)
{
	bool text_is_left = node->left->value.shape == SHAPE_TEXT;
	const struct node *text = text_is_left ? node->left : node->right;
	const struct node *other = text_is_left ? node->right : node->left;
	uint64_t pattern = 0, count = other->value.described.count;
	uint32_t array = 0;
	int64_t offset;
	int err = pattern_number(compiler, text, &pattern);

	if (err)
		return err;
	if (other->value.shape == SHAPE_COMM)
		return emit(compiler, MACHINE_MATCH_COMM, 0, 0, pattern, 1);
	if (other->value.shape == SHAPE_ARRAY) {
		array = count < MACHINE_TEXT_BYTES ? (uint32_t)count : MACHINE_TEXT_BYTES;
		err = compile_address(compiler, other, &offset);
		if (!err)
			err = emit_offset(compiler, offset);
	} else {
		err = compile_value(compiler, other);
	}
	return err ? err : emit(compiler, MACHINE_MATCH, 0, array, pattern, 0);
}

static bool may_be_huge(const struct value *value)
{
	return value->high > INT64_MAX;
}

/* a < b, whatever is signed of it. */
static enum machine_op less_of(const struct value *a, const struct value *b)
{
	if (a->low < 0)
		return may_be_huge(b) ? MACHINE_LESS_MIXED : MACHINE_LESS_SIGNED;
	if (b->low < 0)
		return may_be_huge(a) ? MACHINE_LESS_MIXED_TOO : MACHINE_LESS_SIGNED;
	return MACHINE_LESS;
}

static int compile_equal(struct compiler *compiler, const struct node *node)
{
	const struct node *left = node->left, *right = node->right;
	bool left_mixed = left->value.low < 0 && may_be_huge(&right->value);
	bool right_mixed = right->value.low < 0 && may_be_huge(&left->value);
	int err = right_mixed ? compile_both(compiler, right, left) :
				compile_both(compiler, left, right);

	return err ? err :
		     emit_plain(compiler,
				left_mixed || right_mixed ? MACHINE_EQUAL_MIXED : MACHINE_EQUAL,
				-1);
}

/* Of a < b: a > b is b < a, a <= b is not b < a. */
static int compile_order(struct compiler *compiler, const struct node *node)
{
	bool is_swapped = node->sign == TOKEN_GREATER || node->sign == TOKEN_LESS_EQUAL;
	const struct node *a = is_swapped ? node->right : node->left;
	const struct node *b = is_swapped ? node->left : node->right;
	int err = compile_both(compiler, a, b);

	return err ? err : emit_plain(compiler, less_of(&a->value, &b->value), -1);
}

static int compile_comparison(struct compiler *compiler, const struct node *node)
{
	bool is_text = node->left->value.shape == SHAPE_TEXT ||
		       node->right->value.shape == SHAPE_TEXT;
	bool is_equality = node->sign == TOKEN_EQUAL || node->sign == TOKEN_NOT_EQUAL;
	int err = is_text     ? compile_match(compiler, node) :
		  is_equality ? compile_equal(compiler, node) :
				compile_order(compiler, node);

	if (!err && (node->sign == TOKEN_NOT_EQUAL || node->sign == TOKEN_LESS_EQUAL ||
		     node->sign == TOKEN_GREATER_EQUAL))
		err = emit_plain(compiler, MACHINE_NOT, 0);
	return err;
}

static int compile_binary(struct compiler *compiler, const struct node *node)
{
	int err;

	if (node->sign == TOKEN_AND || node->sign == TOKEN_OR)
		return compile_logic(compiler, node);
	if (is_comparison(node->sign))
		return compile_comparison(compiler, node);
	if (node->sign == TOKEN_PLUS || node->sign == TOKEN_MINUS)
		return compile_sum(compiler, node);
	err = compile_both(compiler, node->left, node->right);
	return err ? err : emit_plain(compiler, MACHINE_AND, -1);
}

static int compile_cast(struct compiler *compiler, const struct node *node)
{
	int err = compile_value(compiler, node->left);

	return err ? err : emit_width(compiler, node->value.size, node->value.is_signed);
}

static int compile_unary(struct compiler *compiler, const struct node *node)
{
	if (node->sign == TOKEN_NOT)
		return compile_truth(compiler, node->left, true);
	return node->sign == TOKEN_STAR ? compile_load(compiler, node) :
					  compile_negated(compiler, node);
}

/* Leaves a number or pointer on the stack. */
static int compile_value(struct compiler *compiler, const struct node *node)
{
	if (node->value.is_constant)
		return emit_constant(compiler, (uint64_t)node->value.low);
	switch (node->kind) {
	case NODE_NAME:
		return compile_name(compiler, node);
	case NODE_MEMBER:
	case NODE_INDEX:
		return compile_load(compiler, node);
	case NODE_UNARY:
		return compile_unary(compiler, node);
	case NODE_CAST:
		return compile_cast(compiler, node);
	case NODE_BINARY:
		return compile_binary(compiler, node);
	default:
		return -EINVAL;
	}
}

/* ---- entry points ------------------------------------------------------------------------------ */

static int check_root(struct expression *expression, const struct expression_scope *scope,
		      struct expression_error *error, bool is_condition)
{
	struct checker checker = { .scope = scope, .error = error };
	int err = check_node(&checker, expression->root);

	if (err)
		return err;
	return is_condition ? check_condition(&checker, expression->root) :
			      check_result(&checker, expression->root);
}

int expression_compile_predicate(struct expression *expression,
				 const struct expression_scope *scope,
				 struct machine_program *program, struct expression_error *error)
{
	struct compiler compiler = { .program = program,
				     .error = error,
				     .whole = expression->root->where };
	int err = check_root(expression, scope, error, true);

	memset(program, 0, sizeof(*program));
	if (!err)
		err = compile_value(&compiler, expression->root);
	return err ? err : emit_plain(&compiler, MACHINE_END, 0);
}

/* Of a node that is checked. */
static int compile_result(const struct node *root, struct machine_program *program,
			  struct expression_value *value, struct expression_error *error)
{
	const struct value *result = &root->value;
	struct compiler compiler = { .program = program, .error = error, .whole = root->where };
	int64_t offset;
	int err;

	value->is_address = result->shape >= SHAPE_STRUCT;
	value->type = result->type;
	value->size = value->is_address ? 0 :
		      result->size	? result->size :
					  (uint32_t)sizeof(uint64_t);
	value->is_signed = result->is_signed;
	value->is_duration = result->shape == SHAPE_DURATION;
	/* a USDT probe's own, of the size of an address, is shown as one */
	value->is_raw = result->is_raw ||
			(root->kind == NODE_NAME && root->name_is == NAME_IS_ARGUMENT &&
			 result->size == sizeof(uint64_t) && !result->is_signed);
	value->is_string = result->is_string;
	value->is_boolean = result->shape == SHAPE_BOOLEAN && !result->type;
	if (value->is_address) {
		err = compile_address(&compiler, root, &offset);
		if (!err)
			err = emit_offset(&compiler, offset);
	} else {
		err = compile_value(&compiler, root);
	}
	return err ? err : emit_plain(&compiler, MACHINE_END, 0);
}

int expression_compile_value(struct expression *expression, const struct expression_scope *scope,
			     struct machine_program *program, struct expression_value *value,
			     struct expression_error *error)
{
	int err = check_root(expression, scope, error, false);

	memset(program, 0, sizeof(*program));
	memset(value, 0, sizeof(*value));
	return err ? err : compile_result(expression->root, program, value, error);
}

int expression_compile_place(const struct expression_place *place,
			     const struct expression_scope *scope, struct machine_program *program,
			     struct expression_value *value, struct expression_error *error)
{
	struct checker checker = { .scope = scope, .error = error };
	struct node node = { .kind = NODE_NAME, .place = *place };
	int err = check_place(&checker, &node);

	memset(program, 0, sizeof(*program));
	memset(value, 0, sizeof(*value));
	if (!err)
		err = check_result(&checker, &node);
	return err ? err : compile_result(&node, program, value, error);
}
