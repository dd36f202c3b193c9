// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The dimensions of an array. */
#include <dwarf.h>

#include "die.h"
#include "type_state.h"

#define MAX_DIMENSIONS 64

static bool is_dimension(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subrange_type || dwarf_tag(die) == DW_TAG_enumeration_type;
}

/* The wanted-th, or how many there are. */
static size_t go_through(Dwarf_Die *array, size_t wanted, Dwarf_Die *dimension)
{
	struct die_walk walk = { NULL };
	size_t count = 0;

	if (dwarf_child(array, dimension))
		return 0;
	do {
		if (!die_walk_on(&walk, dimension))
			break;
		if (!is_dimension(dimension))
			continue;
		if (count == wanted || count >= MAX_DIMENSIONS)
			break;
		count++;
	} while (!dwarf_siblingof(dimension, dimension));
	return count;
}

size_t type_dimensions(Dwarf_Die *array)
{
	Dwarf_Die dimension;

	return go_through(array, SIZE_MAX, &dimension);
}

uint64_t type_dimension_count(Dwarf_Die *array, uint64_t index)
{
	uint64_t count;
	int64_t upper, lower = 0;
	Dwarf_Die dimension;

	if (index >= type_dimensions(array))
		return 0;
	go_through(array, index, &dimension);
	if (die_number(&dimension, DW_AT_count, &count))
		return count;
	if (!die_constant(&dimension, DW_AT_upper_bound, &upper))
		return 0;
	die_constant(&dimension, DW_AT_lower_bound, &lower);
	/* An upper bound of -1 is an array of nothing. */
	return (uint64_t)upper - (uint64_t)lower + 1;
}
