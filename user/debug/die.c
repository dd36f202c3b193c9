// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attributes, references and entry addresses of one DIE. */
#include "die.h"

#include <dwarf.h>
#include <stddef.h>

/* How many abstract origins and specifications are followed; real ones are two. */
#define MAX_ORIGINS 16
/* Ranges of one function, or of one unit. */
#define MAX_RANGES 65536

bool die_number(Dwarf_Die *die, unsigned int name, uint64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &word))
		return false;
	*value = word;
	return true;
}

bool die_constant(Dwarf_Die *die, unsigned int name, int64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword number;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attribute))
		return false;
	switch (dwarf_whatform(&attribute)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(&attribute, &number))
			return false;
		*value = number;
		return true;
	default:
		/* Compilers use the short forms for what is not negative only. */
		if (dwarf_formudata(&attribute, &word))
			return false;
		*value = (int64_t)word;
		return true;
	}
}

bool die_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	bool flag;

	return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formflag(&attribute, &flag) &&
	       flag;
}

bool die_has(Dwarf_Die *die, unsigned int name)
{
	return dwarf_hasattr(die, name);
}

bool die_reference(Dwarf_Die *die, unsigned int name, Dwarf_Die *to)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) && dwarf_formref_die(&attribute, to);
}

bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type);
}

const char *die_linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		return NULL;
	return dwarf_formstring(&attribute);
}

Dwarf_Die die_root(const Dwarf_Die *die)
{
	Dwarf_Die root = *die, next;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		if (!die_reference(&root, DW_AT_abstract_origin, &next) &&
		    !die_reference(&root, DW_AT_specification, &next))
			break;
		root = next;
	}
	return root;
}

static bool first_range(Dwarf_Die *die, uint64_t *vaddr)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	for (int i = 0; i < MAX_RANGES; i++) {
		offset = dwarf_ranges(die, offset, &base, &start, &end);
		if (offset <= 0)
			return false;
		if (start < end) {
			*vaddr = start;
			return true;
		}
	}
	return false;
}

bool die_entry(Dwarf_Die *die, uint64_t *vaddr)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr address;
	Dwarf_Word offset;

	if (dwarf_attr(die, DW_AT_entry_pc, &attribute)) {
		if (!dwarf_formaddr(&attribute, &address)) {
			*vaddr = address;
			return true;
		}
		/* DWARF 5 lets it be an offset. */
		if (!dwarf_formudata(&attribute, &offset) &&
		    (!dwarf_lowpc(die, &address) || first_range(die, &address))) {
			*vaddr = address + offset;
			return true;
		}
	}
	if (!dwarf_lowpc(die, &address)) {
		*vaddr = address;
		return true;
	}
	return first_range(die, vaddr);
}
