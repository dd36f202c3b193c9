// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Members of structs and unions, and where they are. */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "die.h"
#include "state.h"
#include "type_state.h"

/* Anonymous members in anonymous members, and bases of bases. */
#define MAX_DEPTH 16

/* Static members are none here. */
static bool is_member(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_inheritance ||
	       (dwarf_tag(die) == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external) &&
		!dwarf_hasattr(die, DW_AT_declaration));
}

/* The wanted-th into *member, or how many there are. */
static size_t go_through(struct debug_type *type, size_t wanted, Dwarf_Die *member)
{
	struct die_walk walk = { NULL };
	size_t count = 0;

	type_settle(type);
	if ((type->kind != DEBUG_KIND_STRUCT && type->kind != DEBUG_KIND_UNION) ||
	    dwarf_child(&type->bare, member))
		return 0;
	do {
		if (!die_walk_on(&walk, member))
			break;
		if (!is_member(member))
			continue;
		if (count == wanted)
			break;
		count++;
	} while (!dwarf_siblingof(member, member));
	return count;
}

size_t debug_type_member_count(struct debug_type *type)
{
	Dwarf_Die member;

	return go_through(type, SIZE_MAX, &member);
}

/* A number of bytes, or an expression that adds one to the address of the whole. */
static bool byte_offset(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;
	Dwarf_Op *ops;
	size_t count;

	*offset = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attribute))
		return true;
	if (!dwarf_formudata(&attribute, &word)) {
		*offset = word;
		return true;
	}
	if (dwarf_getlocation(&attribute, &ops, &count) || count != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = ops[0].number;
	return true;
}

static void set_bits(struct debug_member *member, uint64_t first_bit)
{
	member->offset = first_bit / 8;
	member->bit_offset = (unsigned int)(first_bit % 8);
}

/*
 * DWARF 4 counts from the start of the whole to the lowest bit. Before, there was a unit of storage of
 * some size, and the bits above the field in it were counted.
 */
static void find_bits(Dwarf_Die *die, struct debug_member *member)
{
	uint64_t size, bits, storage;

	if (!die_number(die, DW_AT_bit_size, &size) || size > 1024)
		return;
	member->is_bit_field = true;
	member->bit_size = (unsigned int)size;
	if (die_number(die, DW_AT_data_bit_offset, &bits)) {
		set_bits(member, member->offset * 8 + bits);
	} else if (die_number(die, DW_AT_bit_offset, &bits)) {
		if (!die_number(die, DW_AT_byte_size, &storage))
			storage = member->type ? debug_type_size(member->type) : 0;
		set_bits(member, (member->offset + storage) * 8 - bits - size);
	}
}

static void describe(struct debug_type *type, Dwarf_Die *die, struct debug_member *member)
{
	*member = (struct debug_member){
		.name = dwarf_diename(die),
		.type = type_of(type->info, die),
		.is_base = dwarf_tag(die) == DW_TAG_inheritance,
	};
	die_number(die, DW_AT_alignment, &member->alignment);
	member->has_offset = byte_offset(die, &member->offset);
	find_bits(die, member);
}

int debug_type_member(struct debug_type *type, size_t index, struct debug_member *member)
{
	Dwarf_Die die;

	if (index == SIZE_MAX || index >= go_through(type, SIZE_MAX, &die))
		return -ENOENT;
	go_through(type, index, &die);
	describe(type, &die, member);
	return 0;
}

/* Is what is in it found as if it were in the whole? */
static bool is_open(const struct debug_member *member)
{
	return member->type && (member->is_base || !member->name || !*member->name);
}

/* budget: how many members are looked at, in all. */
static int find_named(struct debug_type *type, const char *name, int depth, size_t *budget,
		      struct debug_member *member);

/* NOLINTNEXTLINE(misc-no-recursion) as deep as MAX_DEPTH */
static int find_inside(const struct debug_member *outer, const char *name, int depth,
		       size_t *budget, struct debug_member *member)
{
	int err = find_named(outer->type, name, depth + 1, budget, member);

	if (err)
		return err;
	member->offset += outer->offset;
	member->has_offset &= outer->has_offset;
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion) as deep as MAX_DEPTH */
static int find_named(struct debug_type *type, const char *name, int depth, size_t *budget,
		      struct debug_member *member)
{
	struct die_walk walk = { NULL };
	Dwarf_Die die;

	type_settle(type);
	if ((type->kind != DEBUG_KIND_STRUCT && type->kind != DEBUG_KIND_UNION) ||
	    depth > MAX_DEPTH || dwarf_child(&type->bare, &die))
		return -ENOENT;
	do {
		struct debug_member at;

		if (!die_walk_on(&walk, &die) || !*budget)
			break;
		(*budget)--;
		if (!is_member(&die))
			continue;
		describe(type, &die, &at);
		if (!at.is_base && at.name && !strcmp(at.name, name)) {
			*member = at;
			return 0;
		}
		if (is_open(&at) && !find_inside(&at, name, depth, budget, member))
			return 0;
	} while (!dwarf_siblingof(&die, &die));
	return -ENOENT;
}

int debug_type_member_named(struct debug_type *type, const char *name, struct debug_member *member)
{
	size_t budget = 1u << 20;

	return find_named(type, name, 0, &budget, member);
}
