// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "counter_deltas.h"

#include <errno.h>
#include <stdlib.h>

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

int counter_deltas_take(struct counter_delta **deltas, uint64_t id, uint32_t tid, uint64_t value,
			uint64_t *delta)
{
	const struct key key = { .id = id, .tid = tid };
	struct counter_delta *counter = NULL;

	HASH_FIND(hh, *deltas, &key, sizeof(key), counter);
	if (!counter) {
		counter = calloc(1, sizeof(*counter));
		if (!counter)
			return -ENOMEM;
		counter->key = key;
		HASH_ADD(hh, *deltas, key, sizeof(counter->key), counter);
		if (!counter->hh.tbl) {
			free(counter);
			return -ENOMEM;
		}
	}
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
