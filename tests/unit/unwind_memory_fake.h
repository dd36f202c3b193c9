/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Table memory without BPF: chunks are anonymous memory. */
#ifndef UNWIND_MEMORY_FAKE_H
#define UNWIND_MEMORY_FAKE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "unwind/memory.h"
#include "../../bpf/unwind.h"

struct fake_memory {
	bool present[UNWIND_MAX_CHUNKS];
	unsigned chunks, adds, waits;
	unsigned fail_after; /* adds that succeed, 0: all */
	bool refuses;	     /* no room for any more */
};

static int fake_add(void *data, uint32_t first, uint32_t count, void *at)
{
	struct fake_memory *fake = data;

	if (fake->fail_after && fake->adds >= fake->fail_after)
		return -ENOMEM;
	if (fake->refuses)
		return -ENOSPC;
	fake->adds++;
	for (uint32_t i = 0; i < count; i++) {
		assert_false(fake->present[first + i]);
		fake->present[first + i] = true;
		fake->chunks++;
	}
	assert_ptr_equal(mmap(at, (size_t)count * UNWIND_CHUNK_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 at);
	return 0;
}

static void fake_remove(void *data, uint32_t number, void *at)
{
	struct fake_memory *fake = data;

	assert_true(fake->present[number]);
	fake->present[number] = false;
	fake->chunks--;
	assert_ptr_equal(mmap(at, UNWIND_CHUNK_BYTES, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 at);
}

static void fake_wait(void *data)
{
	((struct fake_memory *)data)->waits++;
}

static struct unwind_memory_ops fake_ops(struct fake_memory *fake)
{
	return (struct unwind_memory_ops){
		.add = fake_add, .remove = fake_remove, .wait = fake_wait, .data = fake
	};
}

#endif
