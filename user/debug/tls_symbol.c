// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tls_symbol.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

static const char *symbol_name(Dwarf_Die *variable)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(variable, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(variable);
}

static Elf_Data *symbol_table(Elf *elf, GElf_Shdr *header)
{
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
	     section = elf_nextscn(elf, section))
		if (gelf_getshdr(section, header) && header->sh_type == SHT_SYMTAB &&
		    header->sh_entsize)
			return elf_getdata(section, NULL);
	return NULL;
}

/* Elsewhere what has no place in DWARF has none, and a symbol of that name is another variable's. */
static bool is_silent(Elf *elf)
{
	GElf_Ehdr header;

	return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64;
}

bool tls_symbol(Dwarf *dwarf, Dwarf_Die *variable, int64_t *offset)
{
	const char *name = symbol_name(variable), *other;
	Elf *elf = dwarf_getelf(dwarf);
	GElf_Shdr header;
	Elf_Data *data = name && is_silent(elf) ? symbol_table(elf, &header) : NULL;
	size_t found = 0;

	for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol))
			return false;
		if (GELF_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF)
			continue;
		other = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (!other || strcmp(other, name) != 0)
			continue;
		*offset = (int64_t)symbol.st_value;
		found++;
	}
	return found == 1;
}
