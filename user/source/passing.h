/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the C calling convention passes a value of a type. */
#ifndef TRACER_PASSING_H
#define TRACER_PASSING_H

struct debug_type;

enum passing_kind {
	PASSED_UNKNOWN,
	PASSED_IN_REGISTERS, /* general and vector ones, so many of each */
	PASSED_IN_MEMORY,    /* on the stack; of a result, at an address that the caller gives */
	PASSED_BY_ADDRESS,   /* in one general register: the address of a copy */
};

struct passing {
	enum passing_kind kind;
	unsigned general, vector;
};

/* is_c: C++ passes structs in other ways, by their constructors, of which a caller cannot be sure. */
struct passing passing_of(struct debug_type *type, int is_c);

#endif
