// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "private_memory.h"

#include <errno.h>
#include <sys/mman.h>

#include "../../bpf/unwind.h"

static int map(void *at, size_t bytes, int protection)
{
	void *got = mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return got == MAP_FAILED ? -errno : 0;
}

static int add(void *data, uint32_t first, uint32_t count, void *at)
{
	(void)data;
	(void)first;
	return map(at, (size_t)count * UNWIND_CHUNK_BYTES, PROT_READ | PROT_WRITE);
}

static void remove_chunk(void *data, uint32_t number, void *at)
{
	(void)data;
	(void)number;
	/* stays reserved; that this fails would only cost memory */
	(void)map(at, UNWIND_CHUNK_BYTES, PROT_NONE);
}

/* Walks are made by the thread that gives memory up, or by nobody. */
static void wait_for_walks(void *data)
{
	(void)data;
}

struct unwind_memory_ops private_memory_ops(void)
{
	return (struct unwind_memory_ops){ .add = add,
					   .remove = remove_chunk,
					   .wait = wait_for_walks };
}
