/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tree that the parser makes, the check completes, and the program is made of. */
#ifndef TRACER_EXPRESSION_NODE_H
#define TRACER_EXPRESSION_NODE_H

#include "fields.h"
#include "lexer.h"

enum node_kind {
	NODE_NUMBER,
	NODE_TRUTH, /* true, false */
	NODE_NULL,
	NODE_TEXT,
	NODE_NAME,   /* sign: TOKEN_NAME, TOKEN_FIELD or TOKEN_PROGRAM */
	NODE_MEMBER, /* left . name, left -> name */
	NODE_INDEX,  /* left [right] */
	NODE_UNARY,  /* sign left */
	NODE_BINARY, /* left sign right */
	NODE_CAST,   /* (type) left */
};

/* What a value is, after the check. */
enum shape {
	SHAPE_INTEGER,
	SHAPE_BOOLEAN,
	SHAPE_DURATION,
	SHAPE_ENUM,
	SHAPE_POINTER,
	SHAPE_NULL,
	SHAPE_TEXT, /* as written */
	SHAPE_COMM,
	SHAPE_STRUCT,
	SHAPE_ARRAY,
	SHAPE_FLOAT,
	SHAPE_UNKNOWN,
};

/* Wider than any value, so that what a sum may be can be reckoned. */
__extension__ typedef __int128 wide;

struct value {
	enum shape shape;
	wide low, high;	  /* what a number can be */
	uint32_t size;	  /* bytes of a number; 0 for one that was computed */
	bool is_signed;	  /* as it is loaded */
	bool is_constant; /* low, which high is too */
	bool is_raw;	  /* a register or variable without a type */
	bool is_string;	  /* one that is said to be the address of a string */
	bool may_point;	  /* has no type either, but a sign: an argument of a USDT probe */
	bool in_memory;	  /* has an address */
	const void *type;
	struct expression_type described;
};

/* What a bare name turned out to be. */
enum name_is {
	NAME_IS_FIELD,
	NAME_IS_COMM,
	NAME_IS_ARGUMENT,
	NAME_IS_PLACE,
	NAME_IS_ENUMERATOR,
};

struct node {
	enum node_kind kind;
	enum token_kind sign;
	struct extent where; /* all of it */
	struct extent at;    /* its sign, or the name of a member */
	struct node *left, *right;
	char *name;
	uint64_t number; /* also the size of a cast's type */
	struct machine_text pattern;
	struct node *older; /* to be freed after this one */
	bool is_signed;	    /* a cast's type */
	bool is_string;	    /* the same: char * */
	bool in_parentheses;
	/* what the check finds */
	enum name_is name_is;
	struct value value;
	const struct field *field;
	struct expression_place place;
	struct expression_argument argument;
	int64_t offset; /* of members and elements, from the address of what is on the left */
	uint32_t bit_offset, bit_size;
};

struct expression {
	struct node *root;
	struct node *newest; /* of all nodes */
};

static inline bool is_comparison(enum token_kind sign)
{
	return sign >= TOKEN_EQUAL && sign <= TOKEN_GREATER_EQUAL;
}

#endif
