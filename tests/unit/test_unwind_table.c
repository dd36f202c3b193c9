// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The layout of tables: what is found in it is what the rows say, wherever pages and chunks end. */
#include "test_folder.h"

#include <errno.h>

#include "unwind/ehframe.h"
#include "unwind/table.h"

#define PAGE UNWIND_PAGE_SIZE

static const struct unwind_rule gap = { .cfa = UNWIND_RULE_GAP };

static struct unwind_rule rule(int32_t number)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_offset = number };
}

static struct unwind_table *table_of(const struct cfi_row *rows, size_t count)
{
	struct cfi_rows list = { .rows = (struct cfi_row *)rows, .count = count };
	struct unwind_table *table;

	assert_int_equal(unwind_table_new(&list, &table), 0);
	return table;
}

static void assert_found(const struct unwind_table *table, uint64_t vaddr,
			 struct unwind_rule expected)
{
	assert_memory_equal(unwind_table_find(table, vaddr), &expected, sizeof(expected));
}

/* What the wire contract promises to a reader that trusts it, as the BPF side must. */
static void check_layout(const struct unwind_table *table)
{
	assert_true(table->rule_count >= 2 && table->rule_count <= UNWIND_MAX_RULES);
	assert_int_equal(table->rules[UNWIND_GAP_INDEX].cfa, UNWIND_RULE_GAP);
	assert_int_equal(table->rules[UNWIND_UNSUPPORTED_INDEX].cfa, UNWIND_RULE_UNSUPPORTED);
	for (size_t i = 0; i < table->page_count; i++) {
		const struct unwind_page *page = &table->pages[i];
		size_t at = page->chunk * UNWIND_CHUNK_ROWS + page->first;

		if (!page->count)
			continue;
		assert_true(page->count <= PAGE);
		assert_true(page->first + page->count <= UNWIND_CHUNK_ROWS);
		assert_true(at + page->count <= table->row_count);
		assert_int_equal(table->rows[at].pc_low, 0);
		for (size_t row = at; row < at + page->count; row++) {
			assert_true(table->rows[row].rule < table->rule_count);
			assert_true(row == at ||
				    table->rows[row].pc_low > table->rows[row - 1].pc_low);
		}
	}
}

static void test_pages(void **state)
{
	const struct cfi_row rows[] = {
		{ 0x5010, rule(1) },  { 0x5fff, rule(2) }, { 0x8000, rule(1) },	 { 0x8001, gap },
		{ 0xb800, rule(-3) }, { 0xc000, gap },	   { 0x10000, rule(1) }, { 0x10001, gap },
	};
	struct unwind_table *table = table_of(rows, sizeof(rows) / sizeof(*rows));

	(void)state;
	check_layout(table);
	assert_int_equal(table->first_vaddr, 0x5000);
	assert_int_equal(table->page_count, 12);
	assert_int_equal(table->rule_count, 5);	    /* gap, unsupported, 1, 2, -3 */
	assert_int_equal(table->pages[4].count, 0); /* 0x9000: all gap */
	assert_int_equal(table->pages[5].count, 0);
	assert_found(table, 0, gap);
	assert_found(table, 0x4fff, gap);
	assert_found(table, 0x5000, gap);
	assert_found(table, 0x500f, gap);
	assert_found(table, 0x5010, rule(1));
	assert_found(table, 0x5ffe, rule(1));
	assert_found(table, 0x5fff, rule(2));
	assert_found(table, 0x6000, rule(2));
	assert_found(table, 0x7fff, rule(2));
	assert_found(table, 0x8000, rule(1));
	assert_found(table, 0x8001, gap);
	assert_found(table, 0x9abc, gap);
	assert_found(table, 0xb7ff, gap);
	assert_found(table, 0xb800, rule(-3));
	assert_found(table, 0xbfff, rule(-3));
	assert_found(table, 0xc000, gap);
	assert_found(table, 0x10000, rule(1));
	assert_found(table, 0x10001, gap);
	assert_found(table, 0x11000, gap);
	assert_found(table, UINT64_MAX, gap);
	unwind_table_free(table);
	unwind_table_free(NULL);
}

static void test_nothing(void **state)
{
	struct unwind_table *table = table_of(NULL, 0);

	(void)state;
	assert_found(table, 0, gap);
	assert_found(table, 0x5000, gap);
	assert_int_equal(table->row_count, 0);
	unwind_table_free(table);
}

/* Several chunks of rows. */
static void test_chunks(void **state)
{
	size_t count = 800000;
	struct cfi_row *rows = calloc(count, sizeof(*rows));
	struct unwind_table *table;

	(void)state;
	assert_non_null(rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct cfi_row){ 0x1000000 + 13 * i + i % 7, rule((int32_t)(i % 300)) };
	rows[count - 1].rule = gap;
	table = table_of(rows, count);
	check_layout(table);
	assert_true(table->pages[table->page_count - 1].chunk >= 3);
	for (size_t i = 0; i < count; i += 3) {
		assert_found(table, rows[i].vaddr, rows[i].rule);
		assert_found(table, rows[i].vaddr - 1, i ? rows[i - 1].rule : gap);
	}
	unwind_table_free(table);
	free(rows);
}

/* A full page of one-byte rows, each with a rule of its own: more than an index can count. */
static void test_too_many_rules(void **state)
{
	size_t count = 70000;
	struct cfi_row *rows = calloc(count, sizeof(*rows));
	struct unwind_table *table;

	(void)state;
	assert_non_null(rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct cfi_row){ 0x1000 + i, rule((int32_t)i) };
	rows[count - 1].rule = gap;
	table = table_of(rows, count);
	check_layout(table);
	assert_int_equal(table->rule_count, UNWIND_MAX_RULES);
	assert_int_equal(table->rules_dropped, count - 1 - (UNWIND_MAX_RULES - 2));
	assert_found(table, 0x1000 + 65533, rule(65533));
	assert_found(table, 0x1000 + 65534, (struct unwind_rule){ .cfa = UNWIND_RULE_UNSUPPORTED });
	assert_found(table, 0x1000 + count - 1, gap);
	unwind_table_free(table);
	free(rows);
}

static void test_bounds(void **state)
{
	struct cfi_row far[] = { { 0x1000, rule(1) }, { 1ull << 40, gap } };
	struct cfi_rows list = { .rows = far, .count = 2 };
	struct unwind_table *table;

	(void)state;
	assert_int_equal(unwind_table_new(&list, &table), -E2BIG);
	assert_null(table);
	far[1].vaddr = 0x3000;
	assert_int_equal(unwind_table_new(&list, &table), 0);
	assert_found(table, 0x2fff, rule(1));
	unwind_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),  cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_chunks), cmocka_unit_test(test_too_many_rules),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
