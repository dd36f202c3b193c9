// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * FDEs of the same section may overlap, and those of several sections may speak of the same function;
 * a wrong one must not spoil its neighbours.
 */
#include "settle.h"

#include <stdlib.h>

#include "entries.h"

static int by_section_and_start(const void *a, const void *b)
{
	const struct fde_entry *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* Of the same function twice the first that the section has. */
	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

static int by_start(const void *a, const void *b)
{
	const struct fde_entry *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Cuts an FDE to the code range it begins in. false when there is none. */
static bool clip(struct fde_entry *fde, const struct code_range *code, size_t code_count)
{
	for (size_t i = 0; i < code_count; i++) {
		if (fde->start < code[i].start || fde->start >= code[i].end)
			continue;
		if (fde->end > code[i].end)
			fde->end = code[i].end;
		return fde->start < fde->end;
	}
	return false;
}

/* Is anything of the FDE covered by one of count sorted, disjoint ones? */
static bool is_covered(const struct fde_entry *fdes, size_t count, const struct fde_entry *fde)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (fdes[middle].start < fde->end)
			low = middle + 1;
		else
			high = middle;
	}
	return low && fdes[low - 1].end > fde->start;
}

/* Appends a section's FDEs, which are sorted, to the kept ones of the sections before it. */
static size_t keep_section(struct fde_entry *fdes, size_t kept, size_t first, size_t last,
			   const struct code_range *code, size_t code_count)
{
	size_t before = kept;

	for (size_t i = first; i < last; i++) {
		struct fde_entry fde = fdes[i];
		struct fde_entry *previous = kept > before ? &fdes[kept - 1] : NULL;

		if (!clip(&fde, code, code_count) || is_covered(fdes, before, &fde))
			continue;
		if (previous && previous->start == fde.start)
			continue;
		if (previous && previous->end > fde.start)
			previous->end = fde.start;
		fdes[kept++] = fde;
	}
	return kept;
}

void entries_settle(struct entries *entries, const struct code_range *code, size_t code_count)
{
	struct fde_entry *fdes = entries->fdes;
	size_t kept = 0, first = 0, last;

	if (!entries->fde_count)
		return;
	qsort(fdes, entries->fde_count, sizeof(*fdes), by_section_and_start);
	for (; first < entries->fde_count; first = last) {
		last = first;
		while (last < entries->fde_count && fdes[last].section == fdes[first].section)
			last++;
		kept = keep_section(fdes, kept, first, last, code, code_count);
		/* The search that keep_section() makes wants the kept ones in order. */
		qsort(fdes, kept, sizeof(*fdes), by_start);
	}
	entries->fde_count = kept;
}
