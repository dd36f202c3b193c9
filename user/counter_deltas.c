// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "counter_deltas.h"

#include <errno.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct counter_delta {
	uint64_t id, value;
	UT_hash_handle hh;
};

int counter_deltas_take(struct counter_delta **deltas, uint64_t id, uint64_t value, uint64_t *delta)
{
	struct counter_delta *counter = NULL;

	HASH_FIND(hh, *deltas, &id, sizeof(id), counter);
	if (!counter) {
		counter = calloc(1, sizeof(*counter));
		if (!counter)
			return -ENOMEM;
		counter->id = id;
		HASH_ADD(hh, *deltas, id, sizeof(counter->id), counter);
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
