// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "follow_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../object/elf_file.h"
#include "entries.h"

/* Of all gaps of a file; the C library's code has half a MiB. */
#define MAX_GAPS (4u << 20)
/* Of the index of gaps; the smallest one is 1 << 8 bytes. */
#define MAX_BUCKETS	(1u << 16)
#define SMALLEST_BUCKET 8
/* Of all tables of jumps. */
#define MAX_TARGETS (1u << 18)

static int add_gap(struct followed *f, uint64_t start, uint64_t end)
{
	struct gap *grown;

	if (start >= end || end - start > MAX_GAPS - f->byte_count)
		return 0;
	if (!(f->gap_count & (f->gap_count - 1))) {
		grown = reallocarray(f->gaps, f->gap_count ? 2 * f->gap_count : 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		f->gaps = grown;
	}
	f->gaps[f->gap_count++] = (struct gap){ start, end, f->byte_count };
	f->byte_count += (uint32_t)(end - start);
	return 0;
}

int follow_add_gaps(struct followed *f, const struct code_range *code,
		    const struct entries *entries)
{
	uint64_t at = code->start;
	int err = 0;

	for (size_t i = 0; i < entries->fde_count && !err; i++) {
		const struct fde_entry *fde = &entries->fdes[i];

		if (fde->end <= at)
			continue;
		if (fde->start >= code->end)
			break;
		err = add_gap(f, at, fde->start);
		at = fde->end;
	}
	return err ? err : add_gap(f, at, code->end);
}

int follow_index_gaps(struct followed *f)
{
	struct gap_index *index = &f->index;
	uint64_t span = f->gaps[f->gap_count - 1].end - f->gaps[0].start;
	uint32_t gap = 0;

	index->start = f->gaps[0].start;
	index->shift = SMALLEST_BUCKET;
	while (span >> index->shift >= MAX_BUCKETS)
		index->shift++;
	index->bucket_count = (span >> index->shift) + 1;
	index->first = calloc(index->bucket_count + 1, sizeof(*index->first));
	if (!index->first)
		return -ENOMEM;
	for (size_t i = 0; i <= index->bucket_count; i++) {
		uint64_t start = index->start + ((uint64_t)i << index->shift);

		while (gap < f->gap_count && f->gaps[gap].end <= start)
			gap++;
		index->first[i] = gap;
	}
	return 0;
}

const struct gap *follow_gap_at(const struct followed *f, uint64_t vaddr)
{
	uint64_t bucket = (vaddr - f->index.start) >> f->index.shift;
	const struct gap *gap;
	size_t low, high;

	if (vaddr < f->index.start || bucket >= f->index.bucket_count)
		return NULL;
	low = f->index.first[bucket];
	high = f->index.first[bucket + 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->gaps[middle].end <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	gap = &f->gaps[low];
	return low < f->gap_count && gap->start <= vaddr && vaddr < gap->end ? gap : NULL;
}

size_t follow_read(struct followed *f, uint64_t vaddr, void *bytes, size_t size)
{
	struct code_window *window = &f->window;
	uint64_t inside = vaddr - window->vaddr;

	if (inside >= window->size || window->size - inside < size) {
		window->vaddr = vaddr;
		window->size = elf_file_read(f->file, vaddr, window->bytes, sizeof(window->bytes));
		inside = 0;
	}
	if (size > window->size - inside)
		size = window->size - inside;
	memcpy(bytes, window->bytes + inside, size);
	return size;
}

static int grow(void **array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t wanted = *room ? 2 * *room : 1024;
	void *grown;

	if (count < *room)
		return 0;
	grown = reallocarray(*array, wanted, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = wanted;
	return 0;
}

/* A table of jumps all of which stay in the gap. */
static struct jump_table usable_table(struct followed *f, const struct gap *gap, uint64_t vaddr)
{
	struct jump_table table = jump_table_at(f->file, vaddr), none = {};
	uint64_t target;

	if (table.count > MAX_TARGETS - f->target_count)
		return none;
	for (uint32_t i = 0; i < table.count; i++) {
		if (!jump_table_target(f->file, &table, i, &target) || target < gap->start ||
		    target >= gap->end)
			return none;
	}
	f->target_count += table.count;
	return table;
}

int follow_node(struct followed *f, uint64_t vaddr, uint32_t *number)
{
	const struct gap *gap = follow_gap_at(f, vaddr);
	uint8_t bytes[LONGEST_INSTRUCTION];
	struct node *node;
	uint32_t *at;
	size_t got;

	if (!gap)
		return 0;
	at = &f->node_at[gap->first + (vaddr - gap->start)];
	*number = *at - 1;
	if (*at)
		return *at != NO_INSTRUCTION;
	if (grow((void **)&f->nodes, f->node_count, &f->node_room, sizeof(*f->nodes)))
		return -ENOMEM;
	node = &f->nodes[f->node_count];
	*node = (struct node){ .vaddr = vaddr };
	got = follow_read(f, vaddr, bytes,
			  gap->end - vaddr < LONGEST_INSTRUCTION ? gap->end - vaddr :
								   LONGEST_INSTRUCTION);
	if (!decoder_read(&f->decoder, bytes, got, vaddr, &node->operation)) {
		*at = NO_INSTRUCTION;
		return 0;
	}
	if (node->operation.flow == FLOW_INDIRECT && f->machine == UNWIND_X86_64)
		node->table = usable_table(f, gap, vaddr);
	*number = f->node_count++;
	*at = f->node_count;
	return 1;
}

int follow_enqueue(struct followed *f, uint32_t number)
{
	if (f->nodes[number].queued)
		return 0;
	if (grow((void **)&f->queue, f->queue_count, &f->queue_room, sizeof(*f->queue)))
		return -ENOMEM;
	f->nodes[number].queued = true;
	f->queue[f->queue_count++] = number;
	return 0;
}

uint32_t follow_dequeue(struct followed *f)
{
	uint32_t number = f->queue[--f->queue_count];

	f->nodes[number].queued = false;
	return number;
}

struct node *follow_known(const struct followed *f, uint64_t vaddr)
{
	const struct gap *gap = follow_gap_at(f, vaddr);
	uint32_t at = gap ? f->node_at[gap->first + (vaddr - gap->start)] : 0;

	return at && at != NO_INSTRUCTION ? &f->nodes[at - 1] : NULL;
}
