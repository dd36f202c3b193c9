/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that stand in no file as they are: parts of others. They live until the store is freed. */
#ifndef TRACER_NAME_STORE_H
#define TRACER_NAME_STORE_H

#include <stddef.h>

struct name_block;

/* All zero is an empty store. */
struct name_store {
	struct name_block *blocks;
	size_t block_count;
};

/* A copy of length bytes as a string; NULL when it is too long, there are too many, or no memory. */
const char *name_store_add(struct name_store *store, const char *name, size_t length);
void name_store_free(struct name_store *store);

#endif
