// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "latency.h"

#include <stdlib.h>

struct latency_row *latencies_row(struct latencies *latencies, const struct source_info *source)
{
	struct latency_row **grown, *row;

	for (size_t i = 0; i < latencies->count; i++)
		if (latencies->rows[i]->source == source)
			return latencies->rows[i];
	grown = reallocarray(latencies->rows, latencies->count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	latencies->rows = grown;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->source = source;
	grown[latencies->count++] = row;
	return row;
}

static int compare(const void *left, const void *right)
{
	const struct latency_row *a = *(struct latency_row *const *)left;
	const struct latency_row *b = *(struct latency_row *const *)right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return (a->source->number > b->source->number) - (a->source->number < b->source->number);
}

void latencies_sort(struct latencies *latencies)
{
	if (latencies->count)
		qsort(latencies->rows, latencies->count, sizeof(struct latency_row *), compare);
}

void latencies_free(struct latencies *latencies)
{
	for (size_t i = 0; i < latencies->count; i++)
		free(latencies->rows[i]);
	free(latencies->rows);
	*latencies = (struct latencies){};
}

uint64_t latency_quantile(const struct latency_row *row, double share)
{
	double wanted = share * (double)row->count, below = 0;

	for (uint32_t i = 0; i < LATENCY_SLOTS; i++) {
		double here = (double)row->slots[i];
		uint64_t begin = latency_slot_begin(i), end, ns;

		if (!here || below + here < wanted) {
			below += here;
			continue;
		}
		end = i + 1 < LATENCY_SLOTS ? latency_slot_begin(i + 1) : UINT64_MAX;
		ns = begin + (uint64_t)((double)(end - begin) * (wanted - below) / here);
		return ns < row->max_ns ? ns : row->max_ns;
	}
	return row->max_ns;
}
