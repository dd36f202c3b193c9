// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lays rows out page by page. */
#include "table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "ehframe.h"

/* 16 GiB from the first to the last function. */
#define MAX_PAGES (1u << 22)

struct rule_index {
	struct unwind_rule rule;
	uint16_t index;
	UT_hash_handle hh;
};

struct layout {
	struct unwind_table *table;
	struct rule_index *indices;
	size_t rule_room;
	size_t row_room;
};

static int add_rule(struct layout *layout, const struct unwind_rule *rule, uint16_t *index)
{
	struct unwind_table *table = layout->table;
	struct rule_index *added;

	if (table->rule_count == layout->rule_room) {
		size_t room = layout->rule_room ? 2 * layout->rule_room : 64;
		struct unwind_rule *grown = reallocarray(table->rules, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		table->rules = grown;
		layout->rule_room = room;
	}
	added = calloc(1, sizeof(*added));
	if (!added)
		return -ENOMEM;
	added->rule = *rule;
	added->index = (uint16_t)table->rule_count;
	HASH_ADD(hh, layout->indices, rule, sizeof(added->rule), added);
	if (!added->hh.tbl) {
		free(added);
		return -ENOMEM;
	}
	*index = added->index;
	table->rules[table->rule_count++] = *rule;
	return 0;
}

static int index_of(struct layout *layout, const struct unwind_rule *rule, uint16_t *index)
{
	struct rule_index *found;

	HASH_FIND(hh, layout->indices, rule, sizeof(*rule), found);
	if (found) {
		*index = found->index;
		return 0;
	}
	if (layout->table->rule_count == UNWIND_MAX_RULES) {
		layout->table->rules_dropped++;
		*index = UNWIND_UNSUPPORTED_INDEX;
		return 0;
	}
	return add_rule(layout, rule, index);
}

static int add_first_rules(struct layout *layout)
{
	static const struct unwind_rule first[] = {
		[UNWIND_GAP_INDEX] = { .cfa = UNWIND_RULE_GAP },
		[UNWIND_UNSUPPORTED_INDEX] = { .cfa = UNWIND_RULE_UNSUPPORTED },
	};
	uint16_t index;
	int err = add_rule(layout, &first[UNWIND_GAP_INDEX], &index);

	return err ? err : add_rule(layout, &first[UNWIND_UNSUPPORTED_INDEX], &index);
}

static int grow_rows(struct layout *layout, size_t wanted)
{
	struct unwind_table *table = layout->table;
	size_t room = layout->row_room ? layout->row_room : 1024;
	struct unwind_row *grown;

	if (wanted <= layout->row_room)
		return 0;
	while (room < wanted)
		room *= 2;
	grown = reallocarray(table->rows, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	table->rows = grown;
	layout->row_room = room;
	return 0;
}

/* Finds count rows' place, none of which lies in another chunk than the first. */
static int place_page(struct layout *layout, struct unwind_page *page, size_t count)
{
	struct unwind_table *table = layout->table;
	size_t at = table->row_count;
	size_t left = UNWIND_CHUNK_ROWS - at % UNWIND_CHUNK_ROWS;
	int err = grow_rows(layout, table->row_count + count + left);

	if (err)
		return err;
	if (left < count) {
		memset(table->rows + table->row_count, 0, left * sizeof(*table->rows));
		table->row_count += left;
		at += left;
	}
	if (at / UNWIND_CHUNK_ROWS > UINT16_MAX)
		return -E2BIG;
	page->chunk = (uint16_t)(at / UNWIND_CHUNK_ROWS);
	page->first = (uint32_t)(at % UNWIND_CHUNK_ROWS);
	page->count = (uint16_t)count;
	return 0;
}

static uint64_t page_of(uint64_t vaddr)
{
	return vaddr >> UNWIND_PAGE_SHIFT;
}

static bool begins_on(const struct cfi_rows *rows, size_t row, uint64_t page)
{
	return row < rows->count && page_of(rows->rows[row].vaddr) == page;
}

static int add_table_row(struct layout *layout, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct unwind_row *row = &layout->table->rows[layout->table->row_count++];

	row->pc_low = vaddr & UNWIND_PAGE_MASK;
	return index_of(layout, rule, &row->rule);
}

/*
 * Lays out the rows of page number `page`; *next is the first row not before it, and is moved on. A
 * page that is all gap gets none.
 */
static int fill_page(struct layout *layout, const struct cfi_rows *rows, uint64_t page,
		     size_t *next)
{
	static const struct unwind_rule gap = { .cfa = UNWIND_RULE_GAP };
	const struct unwind_rule *carried = *next ? &rows->rows[*next - 1].rule : &gap;
	struct unwind_table *table = layout->table;
	uint64_t begin = page << UNWIND_PAGE_SHIFT;
	bool carry = !begins_on(rows, *next, page) || rows->rows[*next].vaddr != begin;
	size_t last = *next;
	int err;

	while (begins_on(rows, last, page))
		last++;
	if (last == *next && carried->cfa == UNWIND_RULE_GAP)
		return 0;
	err = place_page(layout, &table->pages[page - page_of(table->first_vaddr)],
			 last - *next + carry);
	if (!err && carry)
		err = add_table_row(layout, begin, carried);
	for (; *next < last && !err; ++*next)
		err = add_table_row(layout, rows->rows[*next].vaddr, &rows->rows[*next].rule);
	return err;
}

static int fill(struct layout *layout, const struct cfi_rows *rows)
{
	struct unwind_table *table = layout->table;
	uint64_t first, last;
	size_t next = 0;
	int err = 0;

	if (!rows->count)
		return 0;
	first = page_of(rows->rows[0].vaddr);
	last = page_of(rows->rows[rows->count - 1].vaddr);
	if (last - first >= MAX_PAGES)
		return -E2BIG;
	table->first_vaddr = first << UNWIND_PAGE_SHIFT;
	table->page_count = last - first + 1;
	table->pages = calloc(table->page_count, sizeof(*table->pages));
	if (!table->pages)
		return -ENOMEM;
	for (uint64_t page = first; page <= last && !err; page++)
		err = fill_page(layout, rows, page, &next);
	return err;
}

int unwind_table_new(const struct cfi_rows *rows, struct unwind_table **table)
{
	struct layout layout = { .table = calloc(1, sizeof(**table)) };
	struct rule_index *index, *following;
	int err;

	*table = NULL;
	if (!layout.table)
		return -ENOMEM;
	layout.table->machine = rows->machine;
	err = add_first_rules(&layout);
	if (!err)
		err = fill(&layout, rows);
	HASH_ITER(hh, layout.indices, index, following) {
		HASH_DEL(layout.indices, index);
		free(index);
	}
	if (err) {
		unwind_table_free(layout.table);
		return err;
	}
	*table = layout.table;
	return 0;
}

void unwind_table_free(struct unwind_table *table)
{
	if (!table)
		return;
	free(table->rules);
	free(table->pages);
	free(table->rows);
	free(table);
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t vaddr)
{
	uint64_t page = page_of(vaddr) - page_of(table->first_vaddr);
	const struct unwind_page *entry;
	const struct unwind_row *rows;
	size_t low = 0, high;

	if (vaddr < table->first_vaddr || page >= table->page_count || !table->pages[page].count)
		return &table->rules[UNWIND_GAP_INDEX];
	entry = &table->pages[page];
	rows = &table->rows[(size_t)entry->chunk * UNWIND_CHUNK_ROWS + entry->first];
	/* rows[low] is always one that begins at or before vaddr: the first has pc_low 0. */
	for (high = entry->count; high - low > 1;) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].pc_low <= (vaddr & UNWIND_PAGE_MASK))
			low = middle;
		else
			high = middle;
	}
	return &table->rules[rows[low].rule];
}
