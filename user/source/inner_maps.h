/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filling arrays of maps. */
#ifndef TRACER_INNER_MAPS_H
#define TRACER_INNER_MAPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Puts the maps of count descriptors into the array of maps `outer`, from slot first on: all at once where the
 * kernel can, as each single update waits for all programs that run. 0 or -errno.
 */
int inner_maps_put(int outer, uint32_t first, uint32_t count, const int *fds);

/* The same of all slots, while something else is done. Zeroed: nothing is under way. */
struct inner_maps_filling {
	int outer;
	uint32_t count;
	const int *fds;
	pthread_t thread;
	bool is_running;
	int err;
};

/* The descriptors must stay as they are until inner_maps_filled(). */
void inner_maps_fill(struct inner_maps_filling *filling, int outer, uint32_t count, const int *fds);
/* Waits for it. 0 or -errno. */
int inner_maps_filled(struct inner_maps_filling *filling);

#endif
