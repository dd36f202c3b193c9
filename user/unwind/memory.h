/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Table memory: chunks that the BPF walk and we see alike, lying one after the other in our address
 * space, counted in units (bpf/unwind.h). Chunks are made when they are needed, up to a limit, and given
 * up when nothing is in them. One thread at a time.
 */
#ifndef TRACER_MEMORY_H
#define TRACER_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct unwind_memory;

/* Who makes chunks. */
struct unwind_memory_ops {
	/*
	 * Makes count chunks from number first on, shows them to walks, and maps them, zeroed, one after the
	 * other at `at`. 0 or -errno, with none of them made.
	 */
	int (*add)(void *data, uint32_t first, uint32_t count, void *at);
	/* Takes a chunk, mapped at `at`, away from walks and gives it up. */
	void (*remove)(void *data, uint32_t number, void *at);
	/* Returns when every walk that is going on now has ended. */
	void (*wait)(void *data);
	void *data;
};

/* limit: of the memory of all chunks, in bytes. 0 or -errno. */
int unwind_memory_new(const struct unwind_memory_ops *ops, uint64_t limit,
		      struct unwind_memory **memory);
void unwind_memory_free(struct unwind_memory *memory);
/*
 * units of memory. rows: none of them may cross a chunk that all of them fit in. 0; -ENOSPC at the limit;
 * another -errno of making chunks.
 */
int unwind_memory_take(struct unwind_memory *memory, uint32_t units, int rows, uint32_t *first);
/* What no new walk is led to any more. Waits for those that are going on. */
void unwind_memory_give(struct unwind_memory *memory, uint32_t first, uint32_t units);
void *unwind_memory_at(const struct unwind_memory *memory, uint32_t unit);
/* Bytes of all chunks there are. May be asked by any thread. */
uint64_t unwind_memory_bytes(const struct unwind_memory *memory);

#endif
