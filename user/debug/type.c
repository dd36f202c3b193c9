// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Types by DIE, kept; what kind and how big they are, and what they lead to. */
#include "type.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "die.h"
#include "state.h"
#include "type_state.h"

void debug_types_free(struct debug_info *info)
{
	struct debug_type *type, *next;

	HASH_ITER(hh, info->types, type, next) {
		HASH_DEL(info->types, type);
		free(type->name);
		free(type);
	}
}

static bool is_transparent(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
	case DW_TAG_template_alias:
	case DW_TAG_subrange_type: /* a type of its own in Pascal and Ada */
		return true;
	default:
		return false;
	}
}

bool type_strip(Dwarf_Die *die, Dwarf_Die *bare)
{
	Dwarf_Die unit_type;

	*bare = *die;
	for (int i = 0; i < DIE_MAX_DEPTH; i++) {
		if (!is_transparent(bare)) {
			/* gcc leaves nothing but the signature of what is in a type unit. */
			if (die_reference(bare, DW_AT_signature, &unit_type))
				*bare = unit_type;
			return true;
		}
		if (!die_type(bare, bare))
			return false;
	}
	return false;
}

static enum debug_kind kind_of_base(Dwarf_Die *die)
{
	uint64_t encoding;

	if (!die_number(die, DW_AT_encoding, &encoding))
		return DEBUG_KIND_OTHER;
	switch (encoding) {
	case DW_ATE_boolean:
		return DEBUG_KIND_BOOL;
	case DW_ATE_float:
		return DEBUG_KIND_FLOAT;
	case DW_ATE_signed:
		return DEBUG_KIND_SIGNED;
	case DW_ATE_unsigned:
	case DW_ATE_address:
		return DEBUG_KIND_UNSIGNED;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_UCS:
	case DW_ATE_ASCII:
		return DEBUG_KIND_CHAR;
	default:
		return DEBUG_KIND_OTHER;
	}
}

static enum debug_kind kind_of(Dwarf_Die *bare)
{
	switch (dwarf_tag(bare)) {
	case DW_TAG_base_type:
		return kind_of_base(bare);
	case DW_TAG_enumeration_type:
		return DEBUG_KIND_ENUM;
	case DW_TAG_pointer_type:
		return DEBUG_KIND_POINTER;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return DEBUG_KIND_REFERENCE;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return DEBUG_KIND_STRUCT;
	case DW_TAG_union_type:
		return DEBUG_KIND_UNION;
	case DW_TAG_array_type:
		return DEBUG_KIND_ARRAY;
	case DW_TAG_subroutine_type:
		return DEBUG_KIND_FUNCTION;
	default:
		return DEBUG_KIND_OTHER;
	}
}

static struct debug_type *type_new(struct debug_info *info, Dwarf_Die *die, struct type_key key)
{
	struct debug_type *type = calloc(1, sizeof(*type));

	if (!type)
		return NULL;
	type->info = info;
	type->key = key;
	type->kind = DEBUG_KIND_VOID;
	if (die)
		type->die = *die;
	if (die && type_strip(die, &type->bare))
		type->kind = kind_of(&type->bare);
	else
		type->bare = (Dwarf_Die){ 0 };
	HASH_ADD(hh, info->types, key, sizeof(type->key), type);
	if (!type->hh.tbl) {
		free(type);
		return NULL;
	}
	return type;
}

struct debug_type *type_get_dimension(struct debug_info *info, Dwarf_Die *die, uint64_t dimension)
{
	struct type_key key = { die ? die->addr : NULL, dimension };
	struct debug_type *type;

	/* The analyzer does not follow the key's bytes into the hash. */
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
	HASH_FIND(hh, info->types, &key, sizeof(key), type);
	return type ? type : type_new(info, die, key);
}

struct debug_type *type_get(struct debug_info *info, Dwarf_Die *die)
{
	return type_get_dimension(info, die, 0);
}

struct debug_type *type_of(struct debug_info *info, Dwarf_Die *die)
{
	Dwarf_Die type;

	return type_get(info, die_type(die, &type) ? &type : NULL);
}

enum debug_kind debug_type_kind(struct debug_type *type)
{
	return type->kind;
}

struct debug_type *debug_type_stripped(struct debug_type *type)
{
	type_settle(type);
	return type_get_dimension(type->info, type->bare.addr ? &type->bare : NULL,
				  type->key.dimension);
}

static struct debug_type *target_of_array(struct debug_type *type)
{
	uint64_t dimension = type->key.dimension + 1;

	return dimension < type_dimensions(&type->bare) ?
		       type_get_dimension(type->info, &type->bare, dimension) :
		       type_of(type->info, &type->bare);
}

struct debug_type *debug_type_target(struct debug_type *type)
{
	switch (type->kind) {
	case DEBUG_KIND_ARRAY:
		return target_of_array(type);
	case DEBUG_KIND_POINTER:
	case DEBUG_KIND_REFERENCE:
	case DEBUG_KIND_FUNCTION:
		return type_of(type->info, &type->bare);
	case DEBUG_KIND_ENUM:
		type_settle(type);
		return die_has(&type->bare, DW_AT_type) ? type_of(type->info, &type->bare) : NULL;
	default:
		return NULL;
	}
}

/* An array of arrays of ... elements, which may be arrays by typedef. */
static uint64_t size_of_array(struct debug_type *type)
{
	uint64_t size = 1;
	int depth = 0;

	while (type && type->kind == DEBUG_KIND_ARRAY && depth++ < DIE_MAX_DEPTH) {
		uint64_t whole;

		if (!type->key.dimension && die_number(&type->bare, DW_AT_byte_size, &whole))
			return __builtin_mul_overflow(size, whole, &size) ? 0 : size;
		if (__builtin_mul_overflow(size, debug_type_count(type), &size))
			return 0;
		type = debug_type_target(type);
	}
	if (!type || type->kind == DEBUG_KIND_ARRAY ||
	    __builtin_mul_overflow(size, debug_type_size(type), &size))
		return 0;
	return size;
}

/* NOLINTNEXTLINE(misc-no-recursion) once: of an array, whose elements are none here */
uint64_t debug_type_size(struct debug_type *type)
{
	uint64_t size;
	uint8_t address_size;
	Dwarf_Die unit;

	type_settle(type);
	if (!type->bare.addr || type->kind == DEBUG_KIND_FUNCTION)
		return 0;
	if (type->kind == DEBUG_KIND_ARRAY)
		return size_of_array(type);
	if (die_number(&type->bare, DW_AT_byte_size, &size))
		return size;
	if ((type->kind == DEBUG_KIND_POINTER || type->kind == DEBUG_KIND_REFERENCE) &&
	    dwarf_diecu(&type->bare, &unit, &address_size, NULL))
		return address_size;
	return 0;
}

uint64_t debug_type_count(struct debug_type *type)
{
	return type->kind == DEBUG_KIND_ARRAY ?
		       type_dimension_count(&type->bare, type->key.dimension) :
		       0;
}

static bool is_signed_base(Dwarf_Die *die)
{
	uint64_t encoding;

	return die_number(die, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
		encoding == DW_ATE_float);
}

bool debug_type_is_signed(struct debug_type *type)
{
	struct debug_type *numbers = type->kind == DEBUG_KIND_ENUM ? debug_type_target(type) : type;

	return numbers && numbers->bare.addr && dwarf_tag(&numbers->bare) == DW_TAG_base_type &&
	       is_signed_base(&numbers->bare);
}

bool debug_type_is_incomplete(struct debug_type *type)
{
	type_settle(type);
	return type->bare.addr && die_flag(&type->bare, DW_AT_declaration);
}

bool debug_type_is_vector(struct debug_type *type)
{
	return type->bare.addr && die_flag(&type->bare, DW_AT_GNU_vector);
}

uint64_t debug_type_alignment(struct debug_type *type)
{
	uint64_t alignment = 0;

	if (type->die.addr && die_number(&type->die, DW_AT_alignment, &alignment))
		return alignment;
	if (!type->bare.addr || !die_number(&type->bare, DW_AT_alignment, &alignment))
		return 0;
	return alignment;
}

const char *debug_type_name(struct debug_type *type)
{
	if (!type->name)
		type->name = type_write_name(type->info, type->key.die ? &type->die : NULL,
					     type->key.dimension);
	return type->name;
}
