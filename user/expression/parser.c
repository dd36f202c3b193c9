// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From tokens to a tree, by recursive descent. How deep it may recurse, and how large a tree be, is bounded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

#define DEEPEST 64
#define LARGEST 256

struct parser {
	const char *text;
	struct token token; /* not taken yet */
	size_t end;	    /* of the one before */
	struct expression *expression;
	struct expression_error *error;
	unsigned depth, nodes;
};

static int parse_binary(struct parser *parser, unsigned level, struct node **node);
static int parse_unary(struct parser *parser, struct node **node);

static int advance(struct parser *parser)
{
	parser->end = parser->token.where.to;
	return lexer_next(parser->text, parser->end, &parser->token, parser->error);
}

static int node_new(struct parser *parser, enum node_kind kind, struct extent where,
		    struct node **node)
{
	if (++parser->nodes > LARGEST)
		return expression_refuse(parser->error, where, "the expression is too long");
	*node = calloc(1, sizeof(**node));
	if (!*node)
		return -ENOMEM;
	(*node)->kind = kind;
	(*node)->where = (*node)->at = where;
	(*node)->older = parser->expression->newest;
	parser->expression->newest = *node;
	return 0;
}

/* A node for the token, which is taken. */
static int node_of_token(struct parser *parser, enum node_kind kind, struct node **node)
{
	const struct token *token = &parser->token;
	int err = node_new(parser, kind, token->where, node);

	if (err)
		return err;
	(*node)->sign = token->kind;
	(*node)->number = token->number;
	(*node)->pattern = token->pattern;
	if (token->name.to) {
		(*node)->name =
			strndup(parser->text + token->name.from, token->name.to - token->name.from);
		if (!(*node)->name)
			return -ENOMEM;
	}
	return advance(parser);
}

static bool token_is(const struct parser *parser, const char *name)
{
	struct extent where = parser->token.name;

	return parser->token.kind == TOKEN_NAME && strlen(name) == where.to - where.from &&
	       memcmp(parser->text + where.from, name, strlen(name)) == 0;
}

static int refuse_token(struct parser *parser, const char *wanted)
{
	struct extent where = parser->token.where;

	if (parser->token.kind == TOKEN_END)
		return expression_refuse(parser->error, where, "%s is missing at the end", wanted);
	return expression_refuse(parser->error, where, "%s is missing before this", wanted);
}

static int expect(struct parser *parser, enum token_kind kind, const char *wanted)
{
	return parser->token.kind == kind ? advance(parser) : refuse_token(parser, wanted);
}

/* ---- casts ----------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} cast_types[] = {
	{ "char", 1, true },	  { "short", 2, true },	    { "int", 4, true },
	{ "long", 8, true },	  { "signed", 4, true },    { "unsigned", 4, false },
	{ "int8_t", 1, true },	  { "int16_t", 2, true },   { "int32_t", 4, true },
	{ "int64_t", 8, true },	  { "ssize_t", 8, true },   { "uint8_t", 1, false },
	{ "uint16_t", 2, false }, { "uint32_t", 4, false }, { "uint64_t", 8, false },
	{ "size_t", 8, false },
};

#define CAST_CHAR  0 /* also of char * */
#define CAST_TYPES (sizeof(cast_types) / sizeof(cast_types[0]))

static size_t cast_type_of(const struct parser *parser)
{
	size_t i;

	for (i = 0; i < CAST_TYPES; i++)
		if (token_is(parser, cast_types[i].name))
			break;
	return i;
}

/* (TYPE) OPERAND, of which the first word of the type is the token; node is the parenthesis'. */
static int parse_cast(struct parser *parser, struct node *node)
{
	bool is_unsigned = token_is(parser, "unsigned"), has_sign = is_unsigned;
	size_t type = cast_type_of(parser);
	int err;

	has_sign |= token_is(parser, "signed");
	err = advance(parser);
	if (!err && has_sign && cast_type_of(parser) < CAST_TYPES) {
		type = cast_type_of(parser);
		err = advance(parser);
	}
	if (err)
		return err;
	node->kind = NODE_CAST;
	node->number = cast_types[type].size;
	node->is_signed = cast_types[type].is_signed && !is_unsigned;
	if (parser->token.kind == TOKEN_STAR) {
		if (type != CAST_CHAR || has_sign)
			return expression_refuse(parser->error, parser->token.where,
						 "only numbers and char * can be types");
		node->is_string = true;
		node->number = sizeof(uint64_t);
		node->is_signed = false;
		err = advance(parser);
	}
	if (!err)
		err = expect(parser, TOKEN_CLOSE, "the )");
	if (!err)
		err = parse_unary(parser, &node->left);
	node->where.to = parser->end;
	return err;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Behind "(": a cast, or an expression in parentheses, which needs no node of its own. */
static int parse_parenthesis(struct parser *parser, struct node **node)
{
	struct extent open = parser->token.where;
	int err = advance(parser);

	if (err)
		return err;
	if (cast_type_of(parser) < CAST_TYPES) {
		err = node_new(parser, NODE_CAST, open, node);
		return err ? err : parse_cast(parser, *node);
	}
	err = parse_binary(parser, 0, node);
	if (!err && parser->token.kind != TOKEN_CLOSE && parser->token.kind == TOKEN_END)
		return expression_refuse(parser->error, open, "the ( is not closed");
	if (!err)
		err = expect(parser, TOKEN_CLOSE, "an operator, or the ),");
	if (err)
		return err;
	(*node)->in_parentheses = true;
	(*node)->where = (struct extent){ open.from, parser->end };
	return 0;
}

static int parse_operand(struct parser *parser, struct node **node)
{
	switch (parser->token.kind) {
	case TOKEN_NUMBER:
	case TOKEN_DURATION:
		return node_of_token(parser, NODE_NUMBER, node);
	case TOKEN_TEXT:
		return node_of_token(parser, NODE_TEXT, node);
	case TOKEN_NAME:
		if (token_is(parser, "true") || token_is(parser, "false"))
			return node_of_token(parser, NODE_TRUTH, node);
		if (token_is(parser, "NULL") || token_is(parser, "nullptr"))
			return node_of_token(parser, NODE_NULL, node);
		return node_of_token(parser, NODE_NAME, node);
	case TOKEN_FIELD:
	case TOKEN_PROGRAM:
		return node_of_token(parser, NODE_NAME, node);
	case TOKEN_OPEN:
		return parse_parenthesis(parser, node);
	case TOKEN_BIT_AND:
		return expression_refuse(parser->error, parser->token.where,
					 "addresses cannot be taken; & stands between two numbers");
	default:
		return refuse_token(parser, "a value");
	}
}

/* A node of what is behind *left, which is put in its place. */
static int wrap(struct parser *parser, enum node_kind kind, struct node **left)
{
	struct node *node = NULL;
	int err = node_new(parser, kind, parser->token.where, &node);

	if (err || !node)
		return err;
	node->sign = parser->token.kind;
	node->where.from = (*left)->where.from;
	node->left = *left;
	*left = node;
	return advance(parser);
}

static int parse_member(struct parser *parser, struct node **node)
{
	struct extent where;
	int err = wrap(parser, NODE_MEMBER, node);

	if (err)
		return err;
	if (parser->token.kind != TOKEN_NAME)
		return refuse_token(parser, "the name of a member");
	where = parser->token.where;
	(*node)->name = strndup(parser->text + where.from, where.to - where.from);
	if (!(*node)->name)
		return -ENOMEM;
	(*node)->at = where;
	(*node)->where.to = where.to;
	return advance(parser);
}

static int parse_index(struct parser *parser, struct node **node)
{
	int err = wrap(parser, NODE_INDEX, node);

	if (!err)
		err = parse_binary(parser, 0, &(*node)->right);
	if (!err)
		err = expect(parser, TOKEN_CLOSE_INDEX, "the ]");
	if (!err)
		(*node)->where.to = parser->end;
	return err;
}

static int parse_postfix(struct parser *parser, struct node **node)
{
	int err = parse_operand(parser, node);

	while (!err) {
		if (parser->token.kind == TOKEN_DOT || parser->token.kind == TOKEN_ARROW)
			err = parse_member(parser, node);
		else if (parser->token.kind == TOKEN_OPEN_INDEX)
			err = parse_index(parser, node);
		else if (parser->token.kind == TOKEN_OPEN)
			return expression_refuse(parser->error, parser->token.where,
						 "functions cannot be called");
		else
			break;
	}
	return err;
}

static bool is_unary(enum token_kind kind)
{
	return kind == TOKEN_NOT || kind == TOKEN_MINUS || kind == TOKEN_INVERT ||
	       kind == TOKEN_STAR;
}

static int parse_signed(struct parser *parser, struct node **node)
{
	int err = node_new(parser, NODE_UNARY, parser->token.where, node);

	if (err)
		return err;
	(*node)->sign = parser->token.kind;
	err = advance(parser);
	if (!err)
		err = parse_unary(parser, &(*node)->left);
	(*node)->where.to = parser->end;
	return err;
}

/* All recursion comes by here. */
static int parse_unary(struct parser *parser, struct node **node)
{
	int err;

	if (++parser->depth > DEEPEST)
		return expression_refuse(parser->error, parser->token.where,
					 "the expression is nested too deep");
	err = is_unary(parser->token.kind) ? parse_signed(parser, node) :
					     parse_postfix(parser, node);
	parser->depth--;
	return err;
}

/* ---- between operands ------------------------------------------------------------------------- */

#define LEVELS 6

/* How strongly a sign binds: from 0, the weakest; LEVELS: it stands between no operands. */
static unsigned level_of(enum token_kind kind)
{
	switch (kind) {
	case TOKEN_OR:
		return 0;
	case TOKEN_AND:
		return 1;
	case TOKEN_BIT_AND:
		return 2;
	case TOKEN_EQUAL:
	case TOKEN_NOT_EQUAL:
		return 3;
	case TOKEN_LESS:
	case TOKEN_LESS_EQUAL:
	case TOKEN_GREATER:
	case TOKEN_GREATER_EQUAL:
		return 4;
	case TOKEN_PLUS:
	case TOKEN_MINUS:
		return 5;
	default:
		return LEVELS;
	}
}

static int parse_binary(struct parser *parser, unsigned level, struct node **node)
{
	int err = level + 1 < LEVELS ? parse_binary(parser, level + 1, node) :
				       parse_unary(parser, node);

	while (!err && level_of(parser->token.kind) == level) {
		err = wrap(parser, NODE_BINARY, node);
		if (err)
			return err;
		err = level + 1 < LEVELS ? parse_binary(parser, level + 1, &(*node)->right) :
					   parse_unary(parser, &(*node)->right);
		(*node)->where.to = parser->end;
	}
	return err;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* Two operands with nothing, or something else, between them. */
static int refuse_rest(struct parser *parser, bool in_list)
{
	struct extent where = parser->token.where;

	if (parser->token.kind == TOKEN_COMMA)
		return expression_refuse(parser->error, where,
					 "conditions are joined with && or ||");
	if (parser->token.kind == TOKEN_STAR)
		return expression_refuse(parser->error, where, "numbers cannot be multiplied");
	if (parser->token.kind == TOKEN_CLOSE)
		return expression_refuse(parser->error, where, "this ) closes no (");
	if (token_is(parser, "and") || token_is(parser, "or"))
		return expression_refuse(parser->error, where, "%s is written %s",
					 token_is(parser, "and") ? "and" : "or",
					 token_is(parser, "and") ? "&&" : "||");
	return expression_refuse(parser->error, where, "%s is missing before this",
				 in_list ? "an operator, or a comma," : "an operator");
}

static int parse_one(struct parser *parser, bool in_list, struct expression **expression)
{
	int err;

	*expression = calloc(1, sizeof(**expression));
	if (!*expression)
		return -ENOMEM;
	parser->expression = *expression;
	parser->nodes = parser->depth = 0;
	err = parse_binary(parser, 0, &(*expression)->root);
	if (!err && parser->token.kind != TOKEN_END &&
	    !(in_list && parser->token.kind == TOKEN_COMMA))
		err = refuse_rest(parser, in_list);
	if (!err)
		return 0;
	expression_free(*expression);
	*expression = NULL;
	return err;
}

static int parser_begin(struct parser *parser, const char *text, struct expression_error *error)
{
	int err;

	*parser = (struct parser){ .text = text, .error = error };
	err = lexer_next(text, 0, &parser->token, error);
	if (!err && parser->token.kind == TOKEN_END)
		return expression_refuse(error, (struct extent){ 0, 0 },
					 "there is no expression here");
	return err;
}

int expression_parse(const char *text, struct expression **expression,
		     struct expression_error *error)
{
	struct parser parser;
	int err = parser_begin(&parser, text, error);

	*expression = NULL;
	return err ? err : parse_one(&parser, false, expression);
}

static int list_append(struct expression_list *list, struct expression *expression)
{
	struct expression **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items) {
		expression_free(expression);
		return -ENOMEM;
	}
	list->items = items;
	items[list->count++] = expression;
	return 0;
}

int expression_parse_list(const char *text, struct expression_list *list,
			  struct expression_error *error)
{
	struct parser parser;
	bool goes_on = true;
	int err = parser_begin(&parser, text, error);

	*list = (struct expression_list){};
	while (!err && goes_on) {
		struct expression *expression;

		err = parse_one(&parser, true, &expression);
		if (!err)
			err = list_append(list, expression);
		goes_on = parser.token.kind == TOKEN_COMMA;
		if (!err && goes_on)
			err = advance(&parser);
	}
	if (err)
		expression_list_free(list);
	return err;
}

void expression_free(struct expression *expression)
{
	if (!expression)
		return;
	while (expression->newest) {
		struct node *node = expression->newest;

		expression->newest = node->older;
		free(node->name);
		free(node);
	}
	free(expression);
}

void expression_list_free(struct expression_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		expression_free(list->items[i]);
	free(list->items);
	*list = (struct expression_list){};
}

void expression_span(const struct expression *expression, size_t *from, size_t *to)
{
	*from = expression->root->where.from;
	*to = expression->root->where.to;
}

bool expression_needs_program(const struct expression *expression, enum expression_source source)
{
	for (const struct node *node = expression->newest; node; node = node->older) {
		const struct field *field;

		if (node->kind != NODE_NAME)
			continue;
		field = field_find(node->name);
		if (!field || !field_is_known(field, source) || node->sign == TOKEN_PROGRAM)
			return true;
		/* its type tells its width and sign */
		if (field->is_raw && !field->argument)
			return true;
	}
	return false;
}
