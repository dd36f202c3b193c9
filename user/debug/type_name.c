// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of types, written as C's declarations are: what goes before the name that is declared ("int (*"),
 * and what goes after it (")[3]"), from the inside out.
 */
#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "qualify.h"
#include "state.h"
#include "type_state.h"

/* A declaration that needs more of one is a circle, or nobody's to read. */
#define MAX_DEPTH      32
#define MAX_NAME       4096
#define MAX_PARAMETERS 32

struct name_writer {
	struct debug_info *info;
	char text[MAX_NAME];
	size_t length;
	int depth;
};

static void put(struct name_writer *writer, const char *text)
{
	size_t length = strlen(text);

	if (length > sizeof(writer->text) - 1 - writer->length)
		length = sizeof(writer->text) - 1 - writer->length;
	memcpy(writer->text + writer->length, text, length);
	writer->length += length;
	writer->text[writer->length] = '\0';
}

/* A space between words and what follows them, but none after "*" and brackets. */
static void put_space(struct name_writer *writer)
{
	char last = writer->length ? writer->text[writer->length - 1] : ' ';

	if (isalnum((unsigned char)last) || strchr("_>}&", last))
		put(writer, " ");
}

static const char *keyword(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_class_type:
		return "class ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

/* gcc's names of numbers, and as people write them (clang does too). */
static const char *usual_name(const char *name)
{
	static const char *const names[][2] = {
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
		{ "__int128 unsigned", "unsigned __int128" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	}
	return name;
}

static void put_named(struct name_writer *writer, Dwarf_Die *die)
{
	Dwarf_Die unit_type;
	const struct unit *unit;
	const char *name, *word;

	if (die_reference(die, DW_AT_signature, &unit_type))
		die = &unit_type;
	unit = unit_of(writer->info, die);
	name = qualified_name(writer->info, die);
	word = keyword(dwarf_tag(die));
	if (!name) {
		put(writer, word);
		put(writer, *word ? "{...}" : "?");
		return;
	}
	if (unit && unit->language == UNIT_C)
		put(writer, word);
	put(writer, dwarf_tag(die) == DW_TAG_base_type ? usual_name(name) : name);
}

/* In the order in which they are written, whatever it was in the source. */
static const struct {
	int tag;
	const char *word;
} qualifiers[] = {
	{ DW_TAG_atomic_type, "_Atomic" },
	{ DW_TAG_const_type, "const" },
	{ DW_TAG_volatile_type, "volatile" },
	{ DW_TAG_restrict_type, "restrict" },
};

#define QUALIFIERS (sizeof(qualifiers) / sizeof(qualifiers[0]))

/* A bit for each; 0: it is none. */
static unsigned int qualifier(Dwarf_Die *die)
{
	for (unsigned int i = 0; i < QUALIFIERS; i++) {
		if (dwarf_tag(die) == qualifiers[i].tag)
			return 1u << i;
	}
	return 0;
}

static const char *pointer_sign(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	default:
		return NULL;
	}
}

/* Go and Rust give names to types that C and C++ build from others. */
static bool is_built(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_ptr_to_member_type:
		return !dwarf_diename(die);
	default:
		return (qualifier(die) || pointer_sign(dwarf_tag(die))) && !dwarf_diename(die);
	}
}

/* "int (*)[3]": a pointer to what is written after it needs brackets. */
static bool needs_brackets(Dwarf_Die *target)
{
	int tag = dwarf_tag(target);

	return (tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type) && is_built(target);
}

static bool is_pointer(Dwarf_Die *die)
{
	return pointer_sign(dwarf_tag(die)) && is_built(die);
}

static void put_before(struct name_writer *writer, Dwarf_Die *die);

static void put_member_pointer(struct name_writer *writer, Dwarf_Die *pointer, Dwarf_Die *target)
{
	Dwarf_Die owner;

	put_before(writer, target);
	put_space(writer);
	if (target && needs_brackets(target))
		put(writer, "(");
	if (die_reference(pointer, DW_AT_containing_type, &owner)) {
		put_named(writer, &owner);
		put(writer, "::");
	}
	put(writer, "*");
}

static void put_pointer(struct name_writer *writer, Dwarf_Die *target, const char *sign)
{
	put_before(writer, target);
	put_space(writer);
	if (target && needs_brackets(target))
		put(writer, "(");
	put(writer, sign);
}

/* Takes the qualifiers off, and says which; false when they qualify void. */
static bool unqualify(Dwarf_Die *die, unsigned int *seen)
{
	for (int i = 0; i < MAX_DEPTH && qualifier(die); i++) {
		*seen |= qualifier(die);
		if (!die_type(die, die))
			return false;
	}
	return true;
}

static void put_qualified(struct name_writer *writer, Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	unsigned int seen = 0;
	bool has_target = unqualify(&at, &seen);
	/* "const char", but "char *const". */
	bool after = has_target && is_pointer(&at);

	if (after) {
		put_before(writer, &at);
		put_space(writer);
	}
	/* What an array is made of is as qualified, and says so itself. */
	for (unsigned int i = 0; i < QUALIFIERS; i++) {
		if (!(seen & 1u << i) || (has_target && dwarf_tag(&at) == DW_TAG_array_type))
			continue;
		put(writer, qualifiers[i].word);
		seen &= ~(1u << i);
		put(writer, after && !seen ? "" : " ");
	}
	if (!after)
		put_before(writer, has_target ? &at : NULL);
}

/* NOLINTNEXTLINE(misc-no-recursion) as deep as MAX_DEPTH */
static void put_before(struct name_writer *writer, Dwarf_Die *die)
{
	Dwarf_Die next, *target;

	if (!die) {
		put(writer, "void");
		return;
	}
	if (writer->depth >= MAX_DEPTH) {
		put(writer, "...");
		return;
	}
	if (!is_built(die)) {
		put_named(writer, die);
		return;
	}
	writer->depth++;
	target = die_type(die, &next) ? &next : NULL;
	if (pointer_sign(dwarf_tag(die)))
		put_pointer(writer, target, pointer_sign(dwarf_tag(die)));
	else if (qualifier(die))
		put_qualified(writer, die);
	else if (dwarf_tag(die) == DW_TAG_ptr_to_member_type)
		put_member_pointer(writer, die, target);
	else
		put_before(writer, target);
	writer->depth--;
}

static void put_dimensions(struct name_writer *writer, Dwarf_Die *array, uint64_t first)
{
	size_t count = type_dimensions(array);
	char text[32];

	put_space(writer);
	for (size_t i = first; i < count; i++) {
		uint64_t elements = type_dimension_count(array, i);

		snprintf(text, sizeof(text), elements ? "[%llu]" : "[]",
			 (unsigned long long)elements);
		put(writer, text);
	}
}

static void put_after(struct name_writer *writer, Dwarf_Die *die, uint64_t dimension);

/* NOLINTNEXTLINE(misc-no-recursion) as deep as MAX_DEPTH */
static void put_parameters(struct name_writer *writer, Dwarf_Die *function)
{
	struct die_walk walk = { NULL };
	Dwarf_Die die, type;
	int count = 0;
	bool none = dwarf_child(function, &die) != 0;

	put_space(writer);
	put(writer, "(");
	while (!none && die_walk_on(&walk, &die) && count < MAX_PARAMETERS) {
		bool is_parameter = dwarf_tag(&die) == DW_TAG_formal_parameter;

		if (is_parameter || dwarf_tag(&die) == DW_TAG_unspecified_parameters)
			put(writer, count++ ? ", " : "");
		if (is_parameter && die_type(&die, &type)) {
			put_before(writer, &type);
			put_after(writer, &type, 0);
		} else if (dwarf_tag(&die) == DW_TAG_unspecified_parameters) {
			put(writer, "...");
		}
		none = dwarf_siblingof(&die, &die) != 0;
	}
	put(writer, !count && die_flag(function, DW_AT_prototyped) ? "void)" : ")");
}

/* NOLINTNEXTLINE(misc-no-recursion) as deep as MAX_DEPTH */
static void put_after(struct name_writer *writer, Dwarf_Die *die, uint64_t dimension)
{
	Dwarf_Die target;

	if (!die || writer->depth >= MAX_DEPTH || !is_built(die) ||
	    writer->length >= sizeof(writer->text) - 1)
		return;
	writer->depth++;
	if (dwarf_tag(die) == DW_TAG_array_type)
		put_dimensions(writer, die, dimension);
	else if (dwarf_tag(die) == DW_TAG_subroutine_type)
		put_parameters(writer, die);
	if (die_type(die, &target)) {
		if ((pointer_sign(dwarf_tag(die)) || dwarf_tag(die) == DW_TAG_ptr_to_member_type) &&
		    needs_brackets(&target))
			put(writer, ")");
		put_after(writer, &target, 0);
	}
	writer->depth--;
}

char *type_write_name(struct debug_info *info, Dwarf_Die *die, uint64_t dimension)
{
	struct name_writer *writer = malloc(sizeof(*writer));
	char *text;

	if (!writer)
		return NULL;
	writer->info = info;
	writer->length = 0;
	writer->depth = 0;
	put_before(writer, die);
	put_after(writer, die, dimension);
	text = strdup(writer->text);
	free(writer);
	return text;
}
