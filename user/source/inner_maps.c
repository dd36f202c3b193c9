// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "inner_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

static int put_each(int outer, const uint32_t *slots, uint32_t count, const int *fds)
{
	for (uint32_t i = 0; i < count; i++)
		if (bpf_map_update_elem(outer, &slots[i], &fds[i], BPF_ANY))
			return -errno;
	return 0;
}

int inner_maps_put(int outer, uint32_t first, uint32_t count, const int *fds)
{
	LIBBPF_OPTS(bpf_map_batch_opts, options);
	uint32_t *slots = calloc((size_t)count + 1, sizeof(*slots)), done = count;
	int err = 0;

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		slots[i] = first + i;
	if (count == 1 || bpf_map_update_batch(outer, slots, fds, &done, &options))
		err = put_each(outer, slots, count, fds);
	free(slots);
	return err;
}

static void *fill(void *context)
{
	struct inner_maps_filling *filling = context;

	filling->err = inner_maps_put(filling->outer, 0, filling->count, filling->fds);
	return NULL;
}

void inner_maps_fill(struct inner_maps_filling *filling, int outer, uint32_t count, const int *fds)
{
	*filling = (struct inner_maps_filling){ .outer = outer, .count = count, .fds = fds };
	filling->is_running = !pthread_create(&filling->thread, NULL, fill, filling);
	if (!filling->is_running)
		fill(filling);
}

int inner_maps_filled(struct inner_maps_filling *filling)
{
	if (filling->is_running)
		pthread_join(filling->thread, NULL);
	filling->is_running = false;
	return filling->err;
}
