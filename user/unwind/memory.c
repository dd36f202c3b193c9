// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Address space for all chunks that there could be is reserved; those that are there lie in it. */
#include "memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../../bpf/unwind.h"
#include "ranges.h"

#define ADDRESS_SPACE ((size_t)UNWIND_MAX_CHUNKS * UNWIND_CHUNK_BYTES)

struct unwind_memory {
	struct unwind_memory_ops ops;
	char *base;
	struct ranges units;
	bool present[UNWIND_MAX_CHUNKS];
	uint32_t count, limit; /* chunks */
};

int unwind_memory_new(const struct unwind_memory_ops *ops, uint64_t limit,
		      struct unwind_memory **memory_out)
{
	struct unwind_memory *memory = calloc(1, sizeof(*memory));
	uint64_t chunks = limit / UNWIND_CHUNK_BYTES;
	int err;

	if (!memory)
		return -ENOMEM;
	memory->ops = *ops;
	memory->limit = chunks < UNWIND_MAX_CHUNKS ? (uint32_t)chunks : UNWIND_MAX_CHUNKS;
	memory->base = mmap(NULL, ADDRESS_SPACE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	err = memory->base == MAP_FAILED ? -errno : 0;
	if (err)
		memory->base = NULL;
	if (!err)
		err = ranges_init(&memory->units, 0, UNWIND_MAX_CHUNKS * UNWIND_CHUNK_UNITS);
	if (err) {
		unwind_memory_free(memory);
		return err;
	}
	*memory_out = memory;
	return 0;
}

void unwind_memory_free(struct unwind_memory *memory)
{
	if (!memory)
		return;
	for (uint32_t i = 0; i < UNWIND_MAX_CHUNKS; i++)
		if (memory->present[i])
			memory->ops.remove(memory->ops.data, i,
					   memory->base + (size_t)i * UNWIND_CHUNK_BYTES);
	if (memory->base)
		munmap(memory->base, ADDRESS_SPACE);
	ranges_destroy(&memory->units);
	free(memory);
}

void *unwind_memory_at(const struct unwind_memory *memory, uint32_t unit)
{
	return memory->base + 8 * (size_t)unit;
}

uint64_t unwind_memory_bytes(const struct unwind_memory *memory)
{
	return (uint64_t)__atomic_load_n(&memory->count, __ATOMIC_RELAXED) * UNWIND_CHUNK_BYTES;
}

static void add_count(struct unwind_memory *memory, int64_t change)
{
	__atomic_store_n(&memory->count, (uint32_t)(memory->count + change), __ATOMIC_RELAXED);
}

static uint32_t missing_from(const struct unwind_memory *memory, uint32_t first, uint32_t last)
{
	uint32_t count = 0;

	for (uint32_t i = first; i <= last; i++)
		count += !memory->present[i];
	return count;
}

/* Makes those of chunks first to last that are missing. */
static int make_chunks(struct unwind_memory *memory, uint32_t first, uint32_t last)
{
	if (missing_from(memory, first, last) > memory->limit - memory->count)
		return -ENOSPC;
	for (uint32_t at = first, run; at <= last; at += run) {
		int err;

		run = 1;
		if (memory->present[at])
			continue;
		while (at + run <= last && !memory->present[at + run])
			run++;
		err = memory->ops.add(memory->ops.data, at, run,
				      memory->base + (size_t)at * UNWIND_CHUNK_BYTES);
		if (err)
			return err;
		for (uint32_t i = at; i < at + run; i++)
			memory->present[i] = true;
		add_count(memory, run);
	}
	return 0;
}

static void remove_empty(struct unwind_memory *memory, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++) {
		if (!memory->present[i] ||
		    !ranges_are_free(&memory->units, i * UNWIND_CHUNK_UNITS, UNWIND_CHUNK_UNITS))
			continue;
		memory->ops.remove(memory->ops.data, i,
				   memory->base + (size_t)i * UNWIND_CHUNK_BYTES);
		memory->present[i] = false;
		add_count(memory, -1);
	}
}

int unwind_memory_take(struct unwind_memory *memory, uint32_t units, int rows, uint32_t *first)
{
	int err = ranges_take(&memory->units, units, rows ? UNWIND_CHUNK_UNITS : 0, first);
	uint32_t first_chunk, last_chunk;

	if (err)
		return err;
	first_chunk = *first / UNWIND_CHUNK_UNITS;
	last_chunk = (*first + units - 1) / UNWIND_CHUNK_UNITS;
	err = make_chunks(memory, first_chunk, last_chunk);
	if (!err)
		return 0;
	if (!ranges_give(&memory->units, *first, units))
		remove_empty(memory, first_chunk, last_chunk);
	return err;
}

void unwind_memory_give(struct unwind_memory *memory, uint32_t first, uint32_t units)
{
	if (!units)
		return;
	memory->ops.wait(memory->ops.data);
	/* without memory for the list it stays taken until the end */
	if (ranges_give(&memory->units, first, units))
		return;
	remove_empty(memory, first / UNWIND_CHUNK_UNITS, (first + units - 1) / UNWIND_CHUNK_UNITS);
}
