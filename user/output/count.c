/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --count: a table of stacks, the heaviest first. Rows that read the same are one: stacks that
 * differ only in where inside a function they were are added up.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "frames.h"
#include "output.h"
#include "page.h"
#include "summary.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* One block of the table, known by its text without the numbers. */
struct block {
	char *text; /* NUL-terminated, owned */
	size_t length;
	uint64_t count, ns;
	UT_hash_handle hh;
};

struct table {
	struct block *blocks;
	uint64_t count, ns;
	bool by_time;  /* times are the weight */
	bool has_time; /* some rows have one */
};

static void print_who(FILE *stream, const struct output *output, const struct count_row *row)
{
	char name[FRAME_NAME];

	fprintf(stream, "%s ", escape_terminal(name, sizeof(name), row->comm));
	if (row->tid)
		fprintf(stream, "%" PRIu32 "/%" PRIu32 " ", row->pid, row->tid);
	else
		fprintf(stream, "%" PRIu32 " ", row->pid);
	if (output->config.by == BY_CPU)
		fprintf(stream, "cpu-%" PRIu32 " ", row->cpu);
	if (output->config.by == BY_CGROUP)
		fprintf(stream, "cgroup-%" PRIu64 " ", row->cgroup);
	fprintf(stream, "%s\n", escape_terminal(name, sizeof(name), row->source->name));
}

static void print_notes(FILE *stream, const struct count_row *row)
{
	static const struct {
		enum event_flag flag;
		const char *text;
	} notes[] = {
		{ EVENT_RUNNABLE, "[runnable]" },
		{ EVENT_STILL_BLOCKED, "[still blocked]" },
		{ EVENT_BEFORE_START, "[blocked before start]" },
		{ EVENT_NEW_TASK, "[not yet run]" },
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (row->flags & notes[i].flag)
			fprintf(stream, "\t  %s\n", notes[i].text);
	}
}

static void print_stack(FILE *stream, const struct output *output, const struct count_row *row,
			enum stack_space space)
{
	const struct stack *stack = space == STACK_KERNEL ? row->kernel : row->user;

	if (row_stack_is_lost(output, row, space))
		fprintf(stream, "\t  %s\n", stack_lost_name(space));
	stack_print(stream, output, row->source->kind, stack_if_wanted(output, stack), STACK_NAMES);
}

/* One kind of stack was asked for, and the event has only the other. */
static void print_absence(FILE *stream, const struct output *output, const struct count_row *row)
{
	/* probes on programs have none at all */
	if (output->config.kernel_only && row->source->kind != REC_UPROBE && !row->kernel)
		fputs("\t  [no kernel stack]\n", stream);
	else if (output->config.user_only && !row->user)
		fputs("\t  [no user stack]\n", stream);
}

/* Everything that makes the row what it is, as it will be printed. Free it. NULL without memory. */
static char *row_text(const struct output *output, const struct count_row *row, size_t *length)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);

	if (!stream)
		return NULL;
	print_who(stream, output, row);
	print_notes(stream, row);
	print_stack(stream, output, row, STACK_KERNEL);
	print_stack(stream, output, row, STACK_USER);
	print_absence(stream, output, row);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Takes text. NULL without memory. */
static struct block *insert(struct table *table, char *text, size_t length)
{
	struct block *block = calloc(1, sizeof(*block));

	if (!block)
		return NULL;
	block->text = text;
	block->length = length;
	HASH_ADD_KEYPTR(hh, table->blocks, block->text, block->length, block);
	if (!block->hh.tbl) {
		free(block);
		return NULL;
	}
	return block;
}

static int add_row(struct table *table, const struct output *output, const struct count_row *row)
{
	struct block *block = NULL;
	size_t length;
	char *text = row_text(output, row, &length);

	if (!text)
		return -ENOMEM;
	HASH_FIND(hh, table->blocks, text, length, block);
	if (block) {
		free(text);
	} else {
		block = insert(table, text, length);
		if (!block) {
			free(text);
			return -ENOMEM;
		}
	}
	block->count += row->count;
	block->ns += row->ns;
	table->count += row->count;
	table->ns += row->ns;
	return 0;
}

static int compare_falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_by_count(const struct block *a, const struct block *b)
{
	int order = compare_falling(a->count, b->count);

	return order ? order : strcmp(a->text, b->text);
}

static int compare_by_time(const struct block *a, const struct block *b)
{
	int order = compare_falling(a->ns, b->ns);

	return order ? order : compare_by_count(a, b);
}

static void print_ms(FILE *stream, uint64_t ns, int width)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, ns / 1000000, ns / 1000 % 1000);
	fprintf(stream, "%*s", width, text);
}

static void print_table(FILE *stream, const struct table *table, const struct run_summary *summary)
{
	fprintf(stream, "#   COUNT%s  COMM PID[/TID] EVENT\n",
		table->has_time ? "      TIME_MS" : "");
	for (const struct block *block = table->blocks; block; block = block->hh.next) {
		fprintf(stream, "%9" PRIu64, block->count);
		if (table->has_time)
			print_ms(stream, block->ns, 13);
		fprintf(stream, "  %s\n", block->text);
	}
	fprintf(stream, "# total: %" PRIu64 " event%s", table->count, table->count == 1 ? "" : "s");
	if (table->has_time) {
		fputs(", ", stream);
		print_ms(stream, table->ns, 0);
		fputs(" ms", stream);
	}
	fprintf(stream, " in %u stack%s\n", HASH_COUNT(table->blocks),
		HASH_COUNT(table->blocks) == 1 ? "" : "s");
	summary_print_comment(stream, summary);
}

static void table_clear(struct table *table)
{
	struct block *block, *next;

	HASH_ITER(hh, table->blocks, block, next) {
		HASH_DEL(table->blocks, block);
		free(block->text);
		free(block);
	}
}

static int count_finish(struct output *output, struct counts *counts,
			const struct run_summary *summary)
{
	struct table table = { .by_time = output->config.by_time };
	struct page *page = page_new();
	int err = page ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < counts_size(counts); i++) {
		table.has_time |= counts_row(counts, i)->ns != 0;
		err = add_row(&table, output, counts_row(counts, i));
	}
	if (err)
		goto cleanup;
	if (table.by_time)
		HASH_SORT(table.blocks, compare_by_time);
	else
		HASH_SORT(table.blocks, compare_by_count);
	print_table(page->stream, &table, summary);
	err = page_finish(page, output->file);
cleanup:
	table_clear(&table);
	page_free(page);
	return err;
}

const struct output_ops output_count = {
	.name = "count",
	.endings = "",
	.aggregates = true,
	.open = output_open_nothing,
	.event = output_refuse_event,
	.finish = count_finish,
	.close = output_close_nothing,
};
