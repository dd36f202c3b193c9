/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From characters to tokens. */
#ifndef TRACER_EXPRESSION_LEXER_H
#define TRACER_EXPRESSION_LEXER_H

#include "refuse.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_DURATION,
	TOKEN_TEXT,
	TOKEN_NAME,    /* name, ns::name */
	TOKEN_FIELD,   /* $name */
	TOKEN_PROGRAM, /* @name */
	TOKEN_OR,
	TOKEN_AND,
	TOKEN_BIT_AND,
	TOKEN_EQUAL,
	TOKEN_NOT_EQUAL,
	TOKEN_LESS,
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER,
	TOKEN_GREATER_EQUAL,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_STAR,
	TOKEN_NOT,
	TOKEN_INVERT,
	TOKEN_DOT,
	TOKEN_ARROW,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_OPEN_INDEX,
	TOKEN_CLOSE_INDEX,
	TOKEN_COMMA,
};

struct token {
	enum token_kind kind;
	struct extent where;
	struct extent name; /* of names: without what is before them */
	uint64_t number;    /* durations: ns */
	struct machine_text pattern;
};

/* Reads the token that begins at or after byte `at`. 0, -EINVAL with the error set, or -ENOMEM. */
int lexer_next(const char *text, size_t at, struct token *token, struct expression_error *error);

#endif
