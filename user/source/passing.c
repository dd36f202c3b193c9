// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* System V x86-64 psABI 3.2.3, and AAPCS64 6.8.2. */
#include "passing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../debug/type.h"

/* What is larger than that is never in registers; and how deep a type of such a size is worth following. */
#define LARGEST 16
#define DEEPEST 8

static bool is_general(enum debug_kind kind)
{
	return kind == DEBUG_KIND_SIGNED || kind == DEBUG_KIND_UNSIGNED ||
	       kind == DEBUG_KIND_BOOL || kind == DEBUG_KIND_CHAR || kind == DEBUG_KIND_ENUM ||
	       kind == DEBUG_KIND_POINTER || kind == DEBUG_KIND_REFERENCE;
}

static struct passing in_registers(unsigned general, unsigned vector)
{
	return (struct passing){ PASSED_IN_REGISTERS, general, vector };
}

static struct passing of_kind(enum passing_kind kind)
{
	return (struct passing){ .kind = kind };
}

/* What the parts of a struct are, by the half that they lie in. */
struct parts {
	bool has_general[LARGEST / 8], has_vector[LARGEST / 8];
	unsigned floats;     /* how many, */
	uint64_t float_size; /* of what size each; 0: of several */
	bool is_odd;	     /* something lies across its natural alignment, or is not known */
};

static void add_parts(struct parts *parts, struct debug_type *type, uint64_t at, unsigned depth);

static void add_scalar(struct parts *parts, enum debug_kind kind, uint64_t size, uint64_t at)
{
	if (!size || size > 8 || at % size || at + size > LARGEST) {
		parts->is_odd = true;
		return;
	}
	if (kind != DEBUG_KIND_FLOAT) {
		parts->has_general[at / 8] = true;
		return;
	}
	parts->has_vector[at / 8] = true;
	parts->float_size = !parts->floats || parts->float_size == size ? size : 0;
	parts->floats++;
}

static void add_members(struct parts *parts, struct debug_type *type, uint64_t at, unsigned depth)
{
	size_t count = debug_type_member_count(type);
	struct debug_member member;

	for (size_t i = 0; i < count; i++) {
		if (debug_type_member(type, i, &member) || !member.has_offset || !member.type) {
			parts->is_odd = true;
			continue;
		}
		if (!member.is_bit_field)
			add_parts(parts, member.type, at + member.offset, depth);
		else if (at + member.offset < LARGEST)
			parts->has_general[(at + member.offset) / 8] = true;
	}
}

static void add_elements(struct parts *parts, struct debug_type *type, uint64_t at, unsigned depth)
{
	struct debug_type *element = debug_type_target(type);
	uint64_t size = element ? debug_type_size(element) : 0;
	uint64_t count = debug_type_count(type);

	if (!size || !count || debug_type_is_vector(type)) {
		parts->is_odd = true;
		return;
	}
	for (uint64_t i = 0; i < count && i < LARGEST; i++)
		add_parts(parts, element, at + i * size, depth);
}

static bool is_wide(struct debug_type *type, unsigned depth);

static bool has_wide_member(struct debug_type *type, unsigned depth)
{
	size_t count = debug_type_member_count(type);
	struct debug_member member;

	for (size_t i = 0; i < count; i++)
		if (!debug_type_member(type, i, &member) && member.type &&
		    (member.alignment > 8 || is_wide(member.type, depth + 1)))
			return true;
	return false;
}

/* Must it lie at multiples of more than 8 bytes? On the stack that leaves gaps. */
static bool is_wide(struct debug_type *type, unsigned depth)
{
	enum debug_kind kind = debug_type_kind(type);
	struct debug_type *element;

	if (depth == DEEPEST || debug_type_alignment(type) > 8 || debug_type_is_vector(type))
		return true;
	if (kind == DEBUG_KIND_STRUCT || kind == DEBUG_KIND_UNION)
		return has_wide_member(type, depth);
	if (kind != DEBUG_KIND_ARRAY)
		return debug_type_size(type) > 8;
	element = debug_type_target(type);
	return !element || is_wide(element, depth + 1);
}

static void add_parts(struct parts *parts, struct debug_type *type, uint64_t at, unsigned depth)
{
	enum debug_kind kind = debug_type_kind(type);
	bool is_inside = depth < DEEPEST && at < LARGEST;

	if (is_inside && (kind == DEBUG_KIND_STRUCT || kind == DEBUG_KIND_UNION))
		add_members(parts, type, at, depth + 1);
	else if (is_inside && kind == DEBUG_KIND_ARRAY)
		add_elements(parts, type, at, depth + 1);
	else if (is_inside && (is_general(kind) || kind == DEBUG_KIND_FLOAT))
		add_scalar(parts, kind, debug_type_size(type), at);
	else
		parts->is_odd = true;
}

#if defined(__aarch64__)

static struct passing passing_of_struct(const struct parts *parts, uint64_t size)
{
	bool has_general = parts->has_general[0] || parts->has_general[1];

	/* of up to four floats of one size, each has a register */
	if (parts->is_odd)
		return of_kind(PASSED_UNKNOWN);
	if (parts->floats && !has_general)
		return parts->float_size && parts->floats <= 4 ? in_registers(0, parts->floats) :
								 of_kind(PASSED_UNKNOWN);
	return in_registers((unsigned)(size + 7) / 8, 0);
}

static struct passing passing_of_large(void)
{
	return of_kind(PASSED_BY_ADDRESS);
}

#else

static struct passing passing_of_struct(const struct parts *parts, uint64_t size)
{
	unsigned general = 0, vector = 0;

	if (parts->is_odd)
		return of_kind(PASSED_UNKNOWN);
	for (uint64_t i = 0; i < (size + 7) / 8; i++) {
		general += parts->has_general[i];
		vector += !parts->has_general[i] && parts->has_vector[i];
	}
	return in_registers(general, vector);
}

static struct passing passing_of_large(void)
{
	return of_kind(PASSED_IN_MEMORY);
}

#endif

struct passing passing_of(struct debug_type *type, int is_c)
{
	enum debug_kind kind = type ? debug_type_kind(type) : DEBUG_KIND_OTHER;
	uint64_t size = type ? debug_type_size(type) : 0;
	struct parts parts = {};

	if (is_general(kind))
		return size && size <= 8 ? in_registers(1, 0) : of_kind(PASSED_UNKNOWN);
	if (kind == DEBUG_KIND_FLOAT)
		return size <= 8 ? in_registers(0, 1) : of_kind(PASSED_UNKNOWN);
	if ((kind != DEBUG_KIND_STRUCT && kind != DEBUG_KIND_UNION) || !is_c || !size ||
	    is_wide(type, 0))
		return of_kind(PASSED_UNKNOWN);
	if (size > LARGEST)
		return passing_of_large();
	add_parts(&parts, type, 0, 0);
	return passing_of_struct(&parts, size);
}
