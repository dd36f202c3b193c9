// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What was added becomes two sorted arrays: all symbols, for those who search by
 * name or list; and the functions among them, for the question which one covers an address. The
 * second keeps, with each function, how far it and all before it reach, so that the search knows
 * when to stop although functions may overlap.
 */
#include "symbol_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "name_store.h"

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
	size_t count, room;
	size_t called_functions; /* among all that were added */
	struct name_store names;
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

static bool is_function(const struct elf_symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
	       symbol->type == STT_NOTYPE;
}

bool symbol_table_is_code(const struct symbol_table *table, uint64_t vaddr)
{
	return code_section(table, vaddr) != NULL;
}

int symbol_table_add(struct symbol_table *table, const struct elf_symbol *symbol)
{
	if (table->count == table->room) {
		size_t room = table->room ? 2 * table->room : 1024;
		struct elf_symbol *grown = reallocarray(table->symbols, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		table->symbols = grown;
		table->room = room;
	}
	table->symbols[table->count++] = *symbol;
	table->called_functions += symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
	return 0;
}

size_t symbol_table_function_count(const struct symbol_table *table)
{
	return table->called_functions;
}

const char *symbol_table_keep_name(struct symbol_table *table, const char *name, size_t length)
{
	return name_store_add(&table->names, name, length);
}

/* The default before others, and what has no version last. */
static int compare_versions(const struct elf_symbol *a, const struct elf_symbol *b)
{
	if (!a->version || !b->version)
		return (a->version == NULL) - (b->version == NULL);
	if (a->is_default_version != b->is_default_version)
		return a->is_default_version ? -1 : 1;
	return strcmp(a->version, b->version);
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
	/* Of those that are the same, the one that comes first stays: one that knows its size. */
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	order = compare_versions(a, b);
	if (order)
		return order;
	return (a->size < b->size) - (a->size > b->size);
}

/* The one that knows its size need not be the one that knows its version. */
static void merge_version(struct elf_symbol *kept, const struct elf_symbol *same)
{
	if (kept->version)
		return;
	kept->version = same->version;
	kept->is_default_version = same->is_default_version;
}

static void sort_symbols(struct symbol_table *table)
{
	size_t kept = 0;

	if (!table->count)
		return;
	qsort(table->symbols, table->count, sizeof(*table->symbols), compare_symbols);
	for (size_t i = 1; i < table->count; i++) {
		struct elf_symbol *last = &table->symbols[kept];
		const struct elf_symbol *next = &table->symbols[i];

		if (last->vaddr == next->vaddr && !strcmp(last->name, next->name))
			merge_version(last, next);
		else
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

int symbol_table_new(Elf *elf, struct symbol_table **table)
{
	struct symbol_table *created = calloc(1, sizeof(*created));
	int err;

	*table = NULL;
	if (!created)
		return -ENOMEM;
	err = load_code_sections(created, elf);
	if (err)
		symbol_table_free(created);
	else
		*table = created;
	return err;
}

int symbol_table_finish(struct symbol_table *table)
{
	sort_symbols(table);
	return index_functions(table);
}

void symbol_table_free(struct symbol_table *table)
{
	if (!table)
		return;
	name_store_free(&table->names);
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

static bool is_old(const struct elf_symbol *symbol)
{
	return symbol->version && !symbol->is_default_version;
}

/*
 * Of several names of one function: global before local, a function's before a label's, one that
 * programs are linked with today before one for old programs, plain before __plain.
 */
static bool is_better_name(const struct elf_symbol *a, const struct elf_symbol *b)
{
	size_t a_underscores = strspn(a->name, "_"), b_underscores = strspn(b->name, "_");

	if (bind_rank(a) != bind_rank(b))
		return bind_rank(a) > bind_rank(b);
	if ((a->type == STT_NOTYPE) != (b->type == STT_NOTYPE))
		return b->type == STT_NOTYPE;
	if (is_old(a) != is_old(b))
		return is_old(b);
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
