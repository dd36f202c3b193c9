// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Blocks that names are packed into. They are bounded, as a hostile file may have any number of
 * symbols share one long name.
 */
#include "name_store.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 << 10)
#define MAX_BLOCKS 1024

struct name_block {
	struct name_block *next;
	size_t used;
	char text[BLOCK_SIZE];
};

static struct name_block *block_with_room(struct name_store *store, size_t size)
{
	struct name_block *block = store->blocks;

	if (block && BLOCK_SIZE - block->used >= size)
		return block;
	if (store->block_count == MAX_BLOCKS)
		return NULL;
	block = malloc(sizeof(*block));
	if (!block)
		return NULL;
	block->next = store->blocks;
	block->used = 0;
	store->blocks = block;
	store->block_count++;
	return block;
}

const char *name_store_add(struct name_store *store, const char *name, size_t length)
{
	struct name_block *block;
	char *copy;

	/* What would leave most of a block unused is no name that people speak of. */
	if (length >= BLOCK_SIZE / 16)
		return NULL;
	block = block_with_room(store, length + 1);
	if (!block)
		return NULL;
	copy = memcpy(block->text + block->used, name, length);
	copy[length] = '\0';
	block->used += length + 1;
	return copy;
}

void name_store_free(struct name_store *store)
{
	while (store->blocks) {
		struct name_block *block = store->blocks;

		store->blocks = block->next;
		free(block);
	}
	store->block_count = 0;
}
