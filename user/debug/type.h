/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types. A type is the info's, and the same pointer when it is the same in the file. What is asked of
 * a type is answered through its typedefs and qualifiers, but for its name; and of one that is only
 * declared in its unit ("struct point;"), by its definition in another, if there is one.
 */
#ifndef TRACER_DEBUG_TYPE_H
#define TRACER_DEBUG_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_type;

enum debug_kind {
	DEBUG_KIND_OTHER, /* a complex number, a pointer to a member, ...; or damaged */
	DEBUG_KIND_VOID,
	DEBUG_KIND_SIGNED,
	DEBUG_KIND_UNSIGNED,
	DEBUG_KIND_BOOL,
	DEBUG_KIND_CHAR, /* of any size; signed or not */
	DEBUG_KIND_FLOAT,
	DEBUG_KIND_ENUM,
	DEBUG_KIND_POINTER,
	DEBUG_KIND_REFERENCE, /* C++'s, of both kinds */
	DEBUG_KIND_STRUCT,    /* struct, class, and what other languages make of them */
	DEBUG_KIND_UNION,
	DEBUG_KIND_ARRAY,
	DEBUG_KIND_FUNCTION,
};

enum debug_kind debug_type_kind(struct debug_type *type);
/* In bytes; 0 when it has none, or it is not known. */
uint64_t debug_type_size(struct debug_type *type);
/* Of a number, a character, or the numbers of an enumeration. */
bool debug_type_is_signed(struct debug_type *type);
/* Only declared, and defined nowhere in the file. */
bool debug_type_is_incomplete(struct debug_type *type);
/* As a person writes it: "const char *", "struct point", "ns::Color", "int (*)(int)". NULL without memory. */
const char *debug_type_name(struct debug_type *type);
/* Without typedefs and qualifiers; NULL without memory. */
struct debug_type *debug_type_stripped(struct debug_type *type);
/*
 * What a pointer or a reference leads to, what an array is made of (of one with more dimensions, an
 * array), what a function returns, what type the numbers of an enumeration have. NULL for others, when
 * it is not told, or without memory.
 */
struct debug_type *debug_type_target(struct debug_type *type);
/* Is it an array that is held in a vector register (GNU C's vector_size)? */
bool debug_type_is_vector(struct debug_type *type);
/* What was asked with alignas() or __attribute__((aligned)), in bytes; 0: nothing. Not looked for in members. */
uint64_t debug_type_alignment(struct debug_type *type);
/* How many elements an array has; 0 when it is not known in advance. */
uint64_t debug_type_count(struct debug_type *type);

/* ---- members of a struct or a union ---- */

struct debug_member {
	const char *name;	 /* NULL: it has none; the info's */
	struct debug_type *type; /* NULL when it is not told */
	uint64_t offset;	 /* in bytes, from the start of what was asked */
	bool has_offset;	 /* false of a virtual base: where it is depends on the object */
	bool is_base;		 /* what C++ inherits */
	uint64_t alignment;	 /* in bytes, that was asked for it alone; 0: none */
	bool is_bit_field;
	/*
	 * Of a bit-field: its lowest bit is this one (0 to 7, 0 the lowest) of the byte at offset, and
	 * the higher ones follow in the bytes after it, as little-endian machines have it.
	 */
	unsigned int bit_offset, bit_size;
};

/* How many there are, bases included; what is in them is not counted. */
size_t debug_type_member_count(struct debug_type *type);
/* The index-th, from 0. 0 or -ENOENT. */
int debug_type_member(struct debug_type *type, size_t index, struct debug_member *member);
/* By name; also what is in members without a name, and inherited. 0 or -ENOENT. */
int debug_type_member_named(struct debug_type *type, const char *name, struct debug_member *member);

/* ---- the constants of an enumeration ---- */

/* The index-th, from 0; the name is the info's. 0 or -ENOENT. */
int debug_type_enumerator(struct debug_type *type, size_t index, const char **name, int64_t *value);
/* The name of a value: the first that has it; NULL when none has. */
const char *debug_type_enumerator_of(struct debug_type *type, int64_t value);
/* 0 or -ENOENT. */
int debug_type_enumerator_named(struct debug_type *type, const char *name, int64_t *value);

#endif
