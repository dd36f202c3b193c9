// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "counter_deltas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct key {
	uint64_t id, tid;
};

struct counter_delta {
	struct key key;
	uint64_t value;
	UT_hash_handle hh;
};

static unsigned int hash_of(const struct key *key)
{
	return (unsigned int)((key->id ^ key->tid << 40) * 0x9e3779b97f4a7c15ull >> 32);
}

static struct counter_delta *add(struct counter_delta **deltas, const struct key *key)
{
	struct counter_delta *counter = calloc(1, sizeof(*counter));

	if (!counter)
		return NULL;
	counter->key = *key;
	HASH_ADD_BYHASHVALUE(hh, *deltas, key, sizeof(counter->key), hash_of(key), counter);
	if (counter->hh.tbl)
		return counter;
	free(counter);
	return NULL;
}

int counter_deltas_take(struct counter_delta **deltas, uint64_t id, uint32_t tid, uint64_t value,
			uint64_t *delta)
{
	const struct key key = { .id = id, .tid = tid };
	struct counter_delta *counter = NULL;

	HASH_FIND_BYHASHVALUE(hh, *deltas, &key, sizeof(key), hash_of(&key), counter);
	if (!counter)
		counter = add(deltas, &key);
	if (!counter)
		return -ENOMEM;
	*delta = value - counter->value;
	counter->value = value;
	return 0;
}

void counter_deltas_free(struct counter_delta **deltas)
{
	struct counter_delta *counter, *next;

	HASH_ITER(hh, *deltas, counter, next) {
		HASH_DEL(*deltas, counter);
		free(counter);
	}
}
