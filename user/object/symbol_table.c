// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * .symtab and .dynsym of one file become two sorted arrays: all symbols, for those who search by
 * name or list; and the functions among them, for the question which one covers an address. The
 * second keeps, with each function, how far it and all before it reach, so that the search knows
 * when to stop although functions may overlap.
 */
#include "symbol_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct range {
	uint64_t start, end;
};

struct function {
	uint64_t start;
	uint64_t end;	/* start when the size is not known */
	uint64_t reach; /* the greatest end of this and all before */
	const struct elf_symbol *symbol;
};

struct symbol_table {
	struct elf_symbol *symbols;
	size_t count;
	struct function *functions;
	size_t function_count;
	struct range *code; /* executable sections, in the file's order */
	size_t code_count;
};

static const struct range *code_section(const struct symbol_table *table, uint64_t vaddr)
{
	for (size_t i = 0; i < table->code_count; i++) {
		const struct range *range = &table->code[i];

		if (vaddr >= range->start && vaddr < range->end)
			return range;
	}
	return NULL;
}

static int load_code_sections(struct symbol_table *table, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t count;

	if (elf_getshdrnum(elf, &count) || !count)
		return 0;
	table->code = calloc(count, sizeof(*table->code));
	if (!table->code)
		return -ENOMEM;
	while ((section = elf_nextscn(elf, section)) && table->code_count < count) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
			continue;
		if (!header.sh_size || header.sh_addr + header.sh_size < header.sh_addr)
			continue;
		table->code[table->code_count++] =
			(struct range){ header.sh_addr, header.sh_addr + header.sh_size };
	}
	return 0;
}

/* ARM's marks for code and data in a section ($x, $d, $x.12) are no names of anything. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_function(const struct elf_symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
	       symbol->type == STT_NOTYPE;
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
		return code_section(table, entry->st_value) && !is_mapping_symbol(name);
	default:
		return false;
	}
}

static size_t entry_count(Elf *elf, Elf_Data *data)
{
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);

	return data && size ? data->d_size / size : 0;
}

static int load_section(struct symbol_table *table, Elf *elf, Elf_Scn *section, size_t strings)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entries = entry_count(elf, data);
	struct elf_symbol *grown;
	GElf_Sym entry;

	if (!entries)
		return 0;
	grown = reallocarray(table->symbols, table->count + entries, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	table->symbols = grown;
	for (size_t i = 0; i < entries && i <= INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &entry))
			break;
		name = elf_strptr(elf, strings, entry.st_name);
		if (!is_wanted(table, &entry, name))
			continue;
		table->symbols[table->count++] = (struct elf_symbol){
			.name = name,
			.vaddr = entry.st_value,
			.size = entry.st_size,
			.type = GELF_ST_TYPE(entry.st_info),
			.bind = GELF_ST_BIND(entry.st_info),
		};
	}
	return 0;
}

static int load_symbols(struct symbol_table *table, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	int err = 0;

	while (!err && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			err = load_section(table, elf, section, header.sh_link);
	}
	return err;
}

static int compare_symbols(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;
	int order;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	order = strcmp(a->name, b->name);
	if (order)
		return order;
	/* Of two that are the same, the one that knows its size comes first and stays. */
	return (a->size < b->size) - (a->size > b->size);
}

static void sort_symbols(struct symbol_table *table)
{
	size_t kept = 0;

	if (!table->count)
		return;
	qsort(table->symbols, table->count, sizeof(*table->symbols), compare_symbols);
	for (size_t i = 1; i < table->count; i++) {
		const struct elf_symbol *last = &table->symbols[kept], *next = &table->symbols[i];

		if (last->vaddr != next->vaddr || strcmp(last->name, next->name))
			table->symbols[++kept] = *next;
	}
	table->count = kept + 1;
}

static int index_functions(struct symbol_table *table)
{
	uint64_t reach = 0;

	table->functions = calloc(table->count + 1, sizeof(*table->functions));
	if (!table->functions)
		return -ENOMEM;
	for (size_t i = 0; i < table->count; i++) {
		const struct elf_symbol *symbol = &table->symbols[i];
		uint64_t end = symbol->vaddr + symbol->size;

		if (!is_function(symbol))
			continue;
		if (end < symbol->vaddr)
			end = UINT64_MAX;
		if (end > reach)
			reach = end;
		table->functions[table->function_count++] =
			(struct function){ symbol->vaddr, end, reach, symbol };
	}
	return 0;
}

int symbol_table_load(Elf *elf, struct symbol_table **table)
{
	struct symbol_table *loaded = calloc(1, sizeof(*loaded));
	GElf_Ehdr header;
	int err;

	*table = NULL;
	if (!loaded)
		return -ENOMEM;
	err = load_code_sections(loaded, elf);
	/* In a relocatable file a symbol's value is no address: there are none to tell. */
	if (!err && gelf_getehdr(elf, &header) && header.e_type != ET_REL)
		err = load_symbols(loaded, elf);
	if (err)
		goto cleanup;
	sort_symbols(loaded);
	err = index_functions(loaded);
	if (err)
		goto cleanup;
	*table = loaded;
	return 0;
cleanup:
	symbol_table_free(loaded);
	return err;
}

void symbol_table_free(struct symbol_table *table)
{
	if (!table)
		return;
	free(table->symbols);
	free(table->functions);
	free(table->code);
	free(table);
}

const struct elf_symbol *symbol_table_all(const struct symbol_table *table, size_t *count)
{
	*count = table->count;
	return table->symbols;
}

/* How many functions begin at or below vaddr. */
static size_t functions_below(const struct symbol_table *table, uint64_t vaddr)
{
	size_t low = 0, high = table->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->functions[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int bind_rank(const struct elf_symbol *symbol)
{
	if (symbol->bind == STB_LOCAL)
		return 0;
	return symbol->bind == STB_WEAK ? 1 : 2;
}

/*
 * Of several names of one function: global before local, a function's before a label's, plain
 * before __plain.
 */
static bool is_better_name(const struct elf_symbol *a, const struct elf_symbol *b)
{
	size_t a_underscores = strspn(a->name, "_"), b_underscores = strspn(b->name, "_");

	if (bind_rank(a) != bind_rank(b))
		return bind_rank(a) > bind_rank(b);
	if ((a->type == STT_NOTYPE) != (b->type == STT_NOTYPE))
		return b->type == STT_NOTYPE;
	return a_underscores < b_underscores; /* else the first in the alphabet, as sorted */
}

static const struct elf_symbol *sized_at(const struct symbol_table *table, size_t below,
					 uint64_t vaddr)
{
	const struct elf_symbol *best = NULL;

	for (size_t i = below; i-- > 0;) {
		const struct function *function = &table->functions[i];

		if (function->reach <= vaddr || (best && function->start != best->vaddr))
			break;
		if (function->end <= vaddr)
			continue;
		if (!best || !is_better_name(best, function->symbol))
			best = function->symbol;
	}
	return best;
}

/*
 * A function of unknown size ends where the next begins, known size or not, and with its section.
 */
static const struct elf_symbol *unsized_at(const struct symbol_table *table, size_t below,
					   uint64_t vaddr)
{
	const struct range *section = code_section(table, vaddr);
	const struct elf_symbol *best = NULL;
	uint64_t start;

	if (!section || !below)
		return NULL;
	start = table->functions[below - 1].start;
	if (start < section->start)
		return NULL;
	for (size_t i = below; i-- > 0 && table->functions[i].start == start;) {
		const struct function *function = &table->functions[i];

		if (function->end != start)
			return NULL;
		if (!best || !is_better_name(best, function->symbol))
			best = function->symbol;
	}
	return best;
}

const struct elf_symbol *symbol_table_function_at(const struct symbol_table *table, uint64_t vaddr)
{
	size_t below = functions_below(table, vaddr);
	const struct elf_symbol *symbol = sized_at(table, below, vaddr);

	return symbol ? symbol : unsized_at(table, below, vaddr);
}
