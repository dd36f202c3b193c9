/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What recorded bytes mean: a type with all that is needed to print one of its values, and nothing else, so that the
 * program's DWARF need not be kept.
 */
#ifndef TRACER_VALUE_TYPE_H
#define TRACER_VALUE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_type;

enum value_kind {
	VALUE_RAW, /* a register: hexadecimal */
	VALUE_INTEGER,
	VALUE_CHAR, /* a character of a string, in an array */
	VALUE_BOOL,
	VALUE_FLOAT,
	VALUE_ENUM,
	VALUE_POINTER,
	VALUE_STRUCT, /* and union */
	VALUE_ARRAY,
	VALUE_OTHER, /* of which only the bytes are known */
};

struct value_enumerator {
	char *name;
	int64_t number;
};

struct value_member {
	char *name; /* NULL: what is in it counts as members of what it is in */
	struct value_type *type;
	uint64_t offset;	       /* bytes */
	uint8_t bit_offset, bit_width; /* of a bit-field, from offset's lowest bit; width 0: none */
};

struct value_type {
	enum value_kind kind;
	bool is_signed;
	uint64_t size;	/* bytes */
	uint64_t count; /* elements of an array, 0 not known */
	struct value_type *element;
	struct value_member *members;
	size_t member_count;
	struct value_enumerator *enumerators;
	size_t enumerator_count;
};

/* A number of so many bytes. NULL without memory. */
struct value_type *value_type_number(enum value_kind kind, uint64_t size, bool is_signed);
/*
 * from_debug.c: everything that a value of the type has, but not what is behind pointers; of a large one what is first.
 * NULL without memory.
 */
struct value_type *value_type_from_debug(struct debug_type *type);
void value_type_free(struct value_type *type); /* NULL is fine */

#endif
