// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Taking a uprobe away makes the kernel wait for every CPU, about a tenth of a second each time, and it
 * waits for one at a time unless it is asked by several at once. So they are asked by threads.
 */
#include <pthread.h>
#include <stdbool.h>

#include "detach.h"

#define AT_ONCE 64

static void *detach_source(void *argument)
{
	struct source *source = argument;

	source->ops->detach(source);
	return NULL;
}

static void detach_batch(struct source *sources, size_t count)
{
	pthread_t threads[AT_ONCE];
	bool started[AT_ONCE];

	for (size_t i = 0; i < count; i++)
		started[i] = !pthread_create(&threads[i], NULL, detach_source, &sources[i]);
	for (size_t i = 0; i < count; i++) {
		if (started[i])
			pthread_join(threads[i], NULL);
		else
			detach_source(&sources[i]);
	}
}

void detach_sources(struct source *sources, size_t count)
{
	if (count == 1) {
		detach_source(sources);
		return;
	}
	for (size_t done = 0; done < count; done += AT_ONCE)
		detach_batch(sources + done, count - done < AT_ONCE ? count - done : AT_ONCE);
}
