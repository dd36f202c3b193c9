/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The language of --if and --args: from text to a program that the kernel's machine runs (bpf/machine.h).
 *
 *   --if 'req->conn.fd == 3 && (new - old > 100 || comm == "nginx*")'
 *
 * A text is parsed once, and compiled for each place that it is asked at, because names are in other places
 * there. What is to be had at a place is told through struct expression_scope.
 *
 * Precedence is C's:  ||   &&   &   == !=   < <= > >=   + -   unary ! - ~ * (TYPE)   . -> [CONSTANT]
 *
 *   types       (int) and the other numbers', which cut a number; (char *) says that one is a string's address
 *   operands    10 0x1f 'a' 4K 1M 2G true false NULL "text", 10ms (ns, us, ms, s: for latency alone)
 *               comm pid tid cpu, and by source arg1 to arg6 (of USDT probes those that the probe has, to arg12), ret,
 *               new, old, latency, all with or without a $ before them, which tells them from a name of the
 *               program; @name is that name
 *   comparison  is of the numbers: -1 is less than any unsigned. One that a type's range decides is refused
 *   registers   arg1, ret and, without a type, new and old are as signed as what they are compared with
 *               needs, else signed; compared with a string they are addresses of one. (int)ret says how wide.
 *               Arguments of USDT probes have a size and a sign of their own
 *   sums        that do not fit 64 bits are not judged. ~ of an unsigned number keeps its width
 *   strings     == and != on char *, char[] and comm; * stands for anything, ? for one character, behind a
 *               backslash for themselves. Of a string 62 characters are seen; one that is longer is not
 *               judged where its end matters
 *   memory      that cannot be read makes the event not judged, which is not a match; && and || leave out
 *               what no longer matters, so that p && p->x is safe
 */
#ifndef TRACER_EXPRESSION_H
#define TRACER_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../bpf/machine.h"

/* What is wrong, and with which bytes of the text. Zero before the first use. */
struct expression_error {
	char *message; /* to be freed: expression_error_free() */
	size_t from, to;
};

/* At what kind of event the expression is asked, which decides on what the event has. */
enum expression_source {
	EXPRESSION_UPROBE,
	EXPRESSION_URETPROBE,
	EXPRESSION_LATENCY,
	EXPRESSION_BREAKPOINT,
	EXPRESSION_USDT,
	EXPRESSION_OTHER,
	EXPRESSION_SOURCES,
};

enum expression_kind {
	EXPRESSION_INTEGER,
	EXPRESSION_BOOLEAN,
	EXPRESSION_ENUM,
	EXPRESSION_POINTER, /* C++'s references too: what is called one is followed by * */
	EXPRESSION_STRUCT,  /* or union, or class */
	EXPRESSION_ARRAY,
	EXPRESSION_FLOAT,
	EXPRESSION_UNKNOWN, /* anything else, and what is only declared */
};

/* A type, without typedefs and qualifiers. */
struct expression_type {
	enum expression_kind kind;
	uint64_t size; /* bytes; 0 not known */
	bool is_signed;
	bool is_char;	    /* integers: a character of a string */
	uint64_t count;	    /* arrays: elements; 0 not known */
	const void *target; /* what a pointer leads to, or an array has; NULL: void, or not known */
};

/* Where a name's value is. */
enum expression_location {
	EXPRESSION_IN_REGISTER, /* general register number, by DWARF */
	EXPRESSION_AT_REGISTER, /* in memory, at what register number holds + offset */
	EXPRESSION_AT_CFA, /* in memory, at the canonical frame address + offset: at function entries */
	EXPRESSION_AT_IP,	/* in memory, at the address of the probed instruction + offset */
	EXPRESSION_AT_ADDRESS,	/* in memory, at offset */
	EXPRESSION_IS_CONSTANT, /* nowhere: it is offset */
};

struct expression_place {
	enum expression_location location;
	uint32_t number;
	int64_t offset;
	const void *type;
};

struct expression_member {
	const void *type;
	uint64_t offset;     /* bytes from the beginning of the struct */
	uint32_t bit_offset; /* of a bit-field: from there, */
	uint32_t bit_size;   /* and its width; 0: it is none */
};

/* An argument of a USDT probe: what these instructions leave, cut to the size. The scope's. */
struct expression_argument {
	const struct machine_insn *insns;
	uint32_t count;
	uint32_t size; /* bytes: 1, 2, 4 or 8 */
	bool is_signed;
};

typedef void (*expression_name_fn)(void *names, const char *name);

/*
 * What is known at a place. Types are the caller's: pointers that only these functions look behind, valid
 * as long as the scope. All functions may be NULL, when nothing is known of the program.
 */
struct expression_scope {
	enum expression_source source;
	const void *return_type;  /* of ret; NULL: not known */
	const void *watched_type; /* of new and old; NULL: not known, then they are */
	uint32_t watched_size;	  /* so many bytes */
	void *context;		  /* given to all below */
	/*
	 * A name's place: 0; -ENOENT when there is no such name; -ENODATA when it has no place here, then
	 * *why may say why ("is optimized out"), valid until the next call; or another error.
	 */
	int (*find)(void *context, const char *name, struct expression_place *place,
		    const char **why);
	/* EXPRESSION_USDT: the argument of that number, from 1. 0; -ENODATA, *why says why; or another error. */
	int (*argument)(void *context, unsigned number, struct expression_argument *argument,
			const char **why);
	/* Describes a type. 0 or -errno. */
	int (*type)(void *context, const void *type, struct expression_type *described);
	/* Writes a type's name as messages give it: "struct buf". */
	void (*type_name)(void *context, const void *type, char *name, size_t size);
	/* A struct's member, also of an unnamed struct in it or a base class. 0, -ENOENT or another error. */
	int (*member)(void *context, const void *type, const char *name,
		      struct expression_member *member);
	/* The value of an enum's enumerator. 0, -ENOENT or another error. */
	int (*enumerator)(void *context, const void *type, const char *name, int64_t *value);
	/* All names: for suggestions. */
	void (*each_name)(void *context, expression_name_fn callback, void *names);
	void (*each_member)(void *context, const void *type, expression_name_fn callback,
			    void *names);
	void (*each_enumerator)(void *context, const void *type, expression_name_fn callback,
				void *names);
};

/* What a program's result is: machine.value[0] when the run ends with MACHINE_FALSE or MACHINE_TRUE. */
struct expression_value {
	bool is_address;  /* of a value of the type: of structs, arrays and floating point */
	const void *type; /* NULL: a register or field without a type, or what was computed */
	uint32_t size;	  /* bytes that the number had; 0 for what has an address */
	bool is_signed;	  /* how to read the 64 bits of a number */
	bool is_duration; /* ns */
	bool is_raw;	  /* a register, of whose type nothing is known */
	bool is_string;	  /* the address of one: (char *) */
	bool is_boolean;  /* 0 or 1, as a condition leaves it */
};

struct expression;

struct expression_list {
	struct expression **items;
	size_t count;
};

/* Parses the whole text. 0; -EINVAL with the error set; -ENOMEM. */
int expression_parse(const char *text, struct expression **expression,
		     struct expression_error *error);
/* Parses one expression or several with commas between them; as expression_parse(). */
int expression_parse_list(const char *text, struct expression_list *list,
			  struct expression_error *error);
void expression_free(struct expression *expression); /* NULL is fine */
void expression_list_free(struct expression_list *list);
/* Where it is in the text: bytes [*from, *to). */
void expression_span(const struct expression *expression, size_t *from, size_t *to);
/* Has it a name that only the program itself can explain, or a type of its? Without one, no scope but its source is needed. */
bool expression_needs_program(const struct expression *expression, enum expression_source source);

/* Makes a program that ends with MACHINE_TRUE where the expression holds. As expression_parse(). */
int expression_compile_predicate(struct expression *expression,
				 const struct expression_scope *scope,
				 struct machine_program *program, struct expression_error *error);
/* Makes a program that leaves the expression's value, or its address. As expression_parse(). */
int expression_compile_value(struct expression *expression, const struct expression_scope *scope,
			     struct machine_program *program, struct expression_value *value,
			     struct expression_error *error);

/* The same of a value that has a place but no name that could be written. */
int expression_compile_place(const struct expression_place *place,
			     const struct expression_scope *scope, struct machine_program *program,
			     struct expression_value *value, struct expression_error *error);

/*
 * Three lines: the error with "tracer: OPTION: " before it, the text, and a mark below what is wrong. Characters
 * that would move the cursor are shown as '?'.
 */
void expression_error_print(FILE *to, const char *option, const char *text,
			    const struct expression_error *error);
void expression_error_free(struct expression_error *error);

#endif
