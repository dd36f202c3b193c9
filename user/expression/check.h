/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each node of a tree is, at a place. All functions: 0, -EINVAL with the error set, or -ENOMEM. */
#ifndef TRACER_EXPRESSION_CHECK_H
#define TRACER_EXPRESSION_CHECK_H

#include "node.h"

/* Of a type's name as messages give it. */
#define TYPE_NAME 96

struct checker {
	const struct expression_scope *scope;
	struct expression_error *error;
	const void *enumeration; /* the enum whose enumerators a name may be one of; NULL none */
};

/* Checks the tree below, and completes its nodes. */
int check_node(struct checker *checker, struct node *node);
/* Then: can the value be a condition? */
int check_condition(struct checker *checker, const struct node *node);
/* Can it be a result of its own, for --args? */
int check_result(struct checker *checker, const struct node *node);

/* check_types.c: the value of a type; in_memory and what follows from a place are the caller's. */
int check_type(struct checker *checker, struct node *node, const void *type);
/* What a pointer leads to, or an array has; *size is its size in bytes, above 0. */
int check_target(struct checker *checker, const struct node *node, const void **target,
		 uint64_t *size);
bool is_char_type(const struct checker *checker, const void *type);
const char *type_name(const struct checker *checker, const void *type, char name[TYPE_NAME]);
/* Refuses a value that is no number: says what it is. */
int refuse_shape(struct checker *checker, const struct node *node, const char *what);
/* Sets what a number of that many bits can be. */
void value_set_range(struct value *value, unsigned bits, bool is_signed);
void value_set_constant(struct value *value, enum shape shape, wide number);

/* check_names.c */
int check_name(struct checker *checker, struct node *node);
/* A name whose place, node->place, has been found. */
int check_place(struct checker *checker, struct node *node);
/* Is it a name that only an enum can explain? */
bool is_unknown_name(const struct checker *checker, const struct node *node);
/* A struct's member: its type, and where it is. */
int check_member_name(struct checker *checker, struct node *node);

/* check_comparisons.c: both sides are checked already. */
int check_comparison(struct checker *checker, struct node *node);
/* Makes registers without a type as signed as the other side needs them. */
void settle_raw(struct node *left, struct node *right);

#endif
