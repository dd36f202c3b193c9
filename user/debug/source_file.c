// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* By the table of the unit that says it. */
#include "source_file.h"

#include <stddef.h>

#include "die.h"

const char *source_file(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Half version;
	Dwarf_Files *files;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t count;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &number) ||
	    dwarf_cu_info(attribute.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL))
		return NULL;
	/* libdw's own dwarf_decl_file() takes 0 for none, as it was before DWARF 5. */
	if ((!number && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

unsigned int source_line(Dwarf_Die *die, unsigned int name)
{
	uint64_t line;

	return die_number(die, name, &line) && line <= UINT32_MAX ? (unsigned int)line : 0;
}
