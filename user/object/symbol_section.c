// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * .dynsym has a symbol's version in a section beside it, .symtab has it in the name ("f@@V2"). Both
 * become a name without it, and the version.
 */
#include "symbol_section.h"

#include <ctype.h>
#include <string.h>

#include "symbol_table.h"
#include "symbol_versions.h"

/* ARM's marks for code and data in a section ($x, $d, $x.12) are no names of anything. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

/* Has this entry an address of its own and a kind we speak of? */
static bool is_wanted(const struct symbol_table *table, const GElf_Sym *entry, const char *name)
{
	if (!name || !name[0])
		return false;
	if (entry->st_shndx == SHN_UNDEF || entry->st_shndx == SHN_ABS ||
	    entry->st_shndx == SHN_COMMON)
		return false;
	switch (GELF_ST_TYPE(entry->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return entry->st_value != 0;
	case STT_TLS:
		return true;
	case STT_NOTYPE:
		return symbol_table_is_code(table, entry->st_value) && !is_mapping_symbol(name);
	default:
		return false;
	}
}

/* A name that cannot be cut, as there is no room for it, stays whole. */
static void split_version(struct symbol_table *table, struct elf_symbol *symbol)
{
	const char *at = strchr(symbol->name, '@'), *version, *name;
	bool is_default;

	if (!at || at == symbol->name)
		return;
	is_default = at[1] == '@';
	version = at + (is_default ? 2 : 1);
	if ((!isalpha((unsigned char)*version) && *version != '_') || strchr(version, '@'))
		return;
	name = symbol_table_keep_name(table, symbol->name, (size_t)(at - symbol->name));
	if (!name)
		return;
	symbol->name = name;
	symbol->version = version;
	symbol->is_default_version = is_default;
}

static size_t entry_count(Elf *elf, Elf_Data *data)
{
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);

	return data && size ? data->d_size / size : 0;
}

static int add_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
		       const struct symbol_versions *versions, struct symbol_table *table)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entries = entry_count(elf, data);
	GElf_Sym entry;
	int err = 0;

	for (size_t i = 0; i < entries && i <= INT32_MAX && !err; i++) {
		struct elf_symbol symbol = {};

		if (!gelf_getsym(data, (int)i, &entry))
			break;
		symbol.name = elf_strptr(elf, header->sh_link, entry.st_name);
		if (!is_wanted(table, &entry, symbol.name))
			continue;
		symbol.vaddr = entry.st_value;
		symbol.size = entry.st_size;
		symbol.type = GELF_ST_TYPE(entry.st_info);
		symbol.bind = GELF_ST_BIND(entry.st_info);
		if (header->sh_type == SHT_DYNSYM)
			symbol_versions_tell(versions, i, &symbol);
		else
			split_version(table, &symbol);
		err = symbol_table_add(table, &symbol);
	}
	return err;
}

int symbol_section_add(Elf *elf, uint32_t type, struct symbol_table *table)
{
	struct symbol_versions versions = {};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	int err = 0;

	if (type == SHT_DYNSYM)
		err = symbol_versions_load(elf, &versions);
	while (!err && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			err = add_section(elf, section, &header, &versions, table);
	}
	symbol_versions_free(&versions);
	return err;
}
