/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One line a stack: "comm;outermost;...;leaf N", sorted by bytes. N is events, or us by time.
 *
 * Rounding ns to us is carried from line to line, so the sum of all lines is the true sum to within
 * one us, save for one thing: a stack that took any time has at least 1, even if that was less.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "flame_rows.h"
#include "flame_tree.h"
#include "output.h"
#include "page.h"

struct line {
	char *path; /* owned */
	uint64_t weight;
};

/* The names from below the root to node, joined by ';'. NULL without memory. */
static char *node_path(const struct flame_node *node)
{
	size_t length = 0;
	char *path, *end;

	for (const struct flame_node *n = node; n->parent; n = n->parent)
		length += strlen(n->name) + 1;
	path = malloc(length + 1);
	if (!path)
		return NULL;
	end = path + length;
	for (const struct flame_node *n = node; n->parent; n = n->parent) {
		size_t size = strlen(n->name);

		*--end = n == node ? '\0' : ';';
		end -= size;
		memcpy(end, n->name, size);
	}
	return path;
}

/* A path is a prefix of its descendants' paths; the space before the number sorts before ';'. */
static int compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static int64_t carried_us(uint64_t ns, int64_t *carry)
{
	int64_t all = (int64_t)ns + *carry;
	int64_t us = all / 1000 > 1 ? all / 1000 : 1;

	*carry = all - us * 1000;
	return us;
}

static void print_lines(FILE *stream, const struct line *lines, size_t count, bool by_time)
{
	int64_t carry = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t weight = lines[i].weight;

		if (by_time)
			weight = (uint64_t)carried_us(weight, &carry);
		fprintf(stream, "%s %" PRIu64 "\n", lines[i].path, weight);
	}
}

/* The lines of all nodes at which stacks end. Returns how many, or -ENOMEM; free them either way. */
static ssize_t collect(const struct flame_tree *tree, struct line *lines)
{
	ssize_t count = 0;

	for (const struct flame_node *node = flame_tree_root(tree); node;
	     node = flame_node_next(node)) {
		uint64_t own = node->own[FLAME_ON] + node->own[FLAME_OFF];

		if (own == 0)
			continue;
		lines[count].path = node_path(node);
		if (!lines[count].path)
			return -ENOMEM;
		lines[count++].weight = own;
	}
	return count;
}

static int print_tree(FILE *stream, const struct flame_tree *tree, bool by_time)
{
	size_t size = flame_tree_size(tree);
	struct line *lines = calloc(size, sizeof(*lines));
	ssize_t count;

	if (!lines)
		return -ENOMEM;
	count = collect(tree, lines);
	if (count > 0) {
		qsort(lines, (size_t)count, sizeof(*lines), compare);
		print_lines(stream, lines, (size_t)count, by_time);
	}
	for (size_t i = 0; i < size && lines[i].path; i++)
		free(lines[i].path);
	free(lines);
	return count < 0 ? (int)count : 0;
}

static int folded_finish(struct output *output, struct counts *counts,
			 const struct run_summary *summary)
{
	struct flame_tree *tree = flame_tree_new();
	struct page *page = page_new();
	int err = tree && page ? 0 : -ENOMEM;

	(void)summary;
	if (!err)
		err = flame_tree_add_rows(tree, output, counts, escape_folded);
	if (err)
		goto cleanup;
	flame_tree_sort(tree);
	err = print_tree(page->stream, tree, output->config.by_time);
	if (!err)
		err = page_finish(page, output->file);
cleanup:
	flame_tree_free(tree);
	page_free(page);
	return err;
}

const struct output_ops output_folded = {
	.name = "folded",
	.endings = ".folded",
	.aggregates = true,
	.open = output_open_nothing,
	.event = output_refuse_event,
	.finish = folded_finish,
	.close = output_close_nothing,
};
