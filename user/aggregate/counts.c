/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of events with the same identity, in a hash table; an array of pointers beside it gives the
 * order, and is sorted only when somebody reads.
 */
#include "counts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Without memory an insertion leaves hh.tbl NULL; it must not exit. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define FIRST_CAPACITY 256

/* Everything of a row but what is added up. Always zeroed before it is filled: it is hashed as bytes. */
struct identity {
	const struct stack *user, *kernel;
	const struct source_info *source;
	uint64_t cgroup;
	uint32_t pid, tid, cpu, flags;
	char comm[TRACER_COMM + 1];
};

struct entry {
	struct identity identity;
	struct count_row row;
	size_t sight; /* rows that were there before it */
	UT_hash_handle hh;
};

struct counts {
	struct entry *table;
	struct entry **order;
	size_t size, capacity;
	uint64_t events;
	bool has_time, is_sorted;
};

struct counts *counts_new(void)
{
	return calloc(1, sizeof(struct counts));
}

void counts_free(struct counts *counts)
{
	if (!counts)
		return;
	HASH_CLEAR(hh, counts->table);
	for (size_t i = 0; i < counts->size; i++)
		free(counts->order[i]);
	free(counts->order);
	free(counts);
}

static void identify(const struct count_row *row, struct identity *identity)
{
	memset(identity, 0, sizeof(*identity));
	identity->user = row->user;
	identity->kernel = row->kernel;
	identity->source = row->source;
	identity->cgroup = row->cgroup;
	identity->pid = row->pid;
	identity->tid = row->tid;
	identity->cpu = row->cpu;
	identity->flags = row->flags;
	memcpy(identity->comm, row->comm, strnlen(row->comm, TRACER_COMM));
}

static int reserve(struct counts *counts)
{
	size_t capacity = counts->capacity ? counts->capacity * 2 : FIRST_CAPACITY;
	struct entry **order;

	if (counts->size < counts->capacity)
		return 0;
	order = reallocarray(counts->order, capacity, sizeof(*order));
	if (!order)
		return -ENOMEM;
	counts->order = order;
	counts->capacity = capacity;
	return 0;
}

/* A new row, with nothing counted yet. NULL without memory. */
static struct entry *insert(struct counts *counts, const struct identity *identity,
			    const struct count_row *row)
{
	struct entry *entry;

	if (reserve(counts))
		return NULL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	memcpy(&entry->identity, identity, sizeof(*identity)); /* with its padding */
	entry->row = *row;
	memcpy(entry->row.comm, identity->comm, sizeof(identity->comm));
	entry->row.count = 0;
	entry->row.ns = 0;
	entry->sight = counts->size;
	HASH_ADD(hh, counts->table, identity, sizeof(struct identity), entry);
	if (!entry->hh.tbl) {
		free(entry);
		return NULL;
	}
	counts->order[counts->size++] = entry;
	return entry;
}

int counts_add(struct counts *counts, const struct count_row *row)
{
	struct identity identity;
	struct entry *entry;

	identify(row, &identity);
	HASH_FIND(hh, counts->table, &identity, sizeof(identity), entry);
	if (!entry)
		entry = insert(counts, &identity, row);
	if (!entry)
		return -ENOMEM;
	entry->row.count += row->count;
	entry->row.ns += row->ns;
	counts->events += row->count;
	counts->has_time |= row->ns != 0;
	counts->is_sorted = false;
	return 0;
}

size_t counts_size(const struct counts *counts)
{
	return counts->size;
}

uint64_t counts_total(const struct counts *counts)
{
	return counts->events;
}

static int compare_falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_sight(const struct entry *a, const struct entry *b)
{
	return (a->sight > b->sight) - (a->sight < b->sight);
}

static int compare_by_count(const void *left, const void *right)
{
	const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
	int order = compare_falling(a->row.count, b->row.count);

	return order ? order : compare_sight(a, b);
}

static int compare_by_time(const void *left, const void *right)
{
	const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
	int order = compare_falling(a->row.ns, b->row.ns);

	return order ? order : compare_by_count(left, right);
}

static void sort(struct counts *counts)
{
	if (counts->is_sorted)
		return;
	if (counts->size)
		qsort(counts->order, counts->size, sizeof(*counts->order),
		      counts->has_time ? compare_by_time : compare_by_count);
	counts->is_sorted = true;
}

const struct count_row *counts_row(struct counts *counts, size_t index)
{
	if (index >= counts->size)
		return NULL;
	sort(counts);
	return &counts->order[index]->row;
}
