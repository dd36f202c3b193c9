// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The layout is that of the Linux Standard Base, "Symbol Versioning". */
#include "symbol_versions.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "elf_file.h"

/* What an index has below the bit that says "not the default". */
#define INDEX_MASK  0x7fff
#define HIDDEN_BIT  0x8000
#define INDEX_COUNT (INDEX_MASK + 1)
#define FIRST_INDEX 2 /* below: local, and global without a version */

static Elf_Scn *find_section(Elf *elf, uint32_t type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	}
	return NULL;
}

/* The first name of a definition is its own, others are of those it follows. */
static const char *name_of(Elf *elf, const GElf_Shdr *header, Elf_Data *data, int offset,
			   const GElf_Verdef *definition)
{
	GElf_Verdaux name;

	if (!definition->vd_cnt || definition->vd_aux > (uint32_t)(INT_MAX - offset) ||
	    !gelf_getverdaux(data, offset + (int)definition->vd_aux, &name))
		return NULL;
	return elf_strptr(elf, header->sh_link, name.vda_name);
}

static void load_names(Elf *elf, struct symbol_versions *versions)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, SHT_GNU_verdef, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Verdef definition;
	int offset = 0;

	while (data && gelf_getverdef(data, offset, &definition)) {
		size_t index = definition.vd_ndx & INDEX_MASK;

		/* The base is the library's own name, which is no version. */
		if (index >= FIRST_INDEX && !(definition.vd_flags & VER_FLG_BASE))
			versions->names[index] = name_of(elf, &header, data, offset, &definition);
		if (!definition.vd_next || definition.vd_next > (uint32_t)(INT_MAX - offset))
			break;
		offset += (int)definition.vd_next;
	}
}

int symbol_versions_load(Elf *elf, struct symbol_versions *versions)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, SHT_GNU_versym, &header);

	*versions = (struct symbol_versions){};
	if (!section || !(versions->indexes = elf_getdata(section, NULL)))
		return 0;
	versions->names = calloc(INDEX_COUNT, sizeof(*versions->names));
	if (!versions->names)
		return -ENOMEM;
	load_names(elf, versions);
	return 0;
}

void symbol_versions_free(struct symbol_versions *versions)
{
	free(versions->names);
	*versions = (struct symbol_versions){};
}

void symbol_versions_tell(const struct symbol_versions *versions, size_t number,
			  struct elf_symbol *symbol)
{
	GElf_Versym index;

	if (!versions->indexes || number > INT_MAX ||
	    !gelf_getversym(versions->indexes, (int)number, &index))
		return;
	symbol->version = versions->names[index & INDEX_MASK];
	symbol->is_default_version = symbol->version && !(index & HIDDEN_BIT);
}
