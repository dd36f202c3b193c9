// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "hit_counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracer.skel.h"

bool hit_counts_used(const struct tracer_config *config)
{
	return config->aggregate && !config->user_stacks && !config->has_plans;
}

void hit_counts_note_places(struct bpf_side *side, uint64_t cookie, size_t count)
{
	bool is_only = !side->place_count && count == 1;

	side->place_count += count;
	/* before there is a second place */
	__atomic_store_n(&side->skeleton->bss->only_site,
			 is_only ? ONLY_SITE_KNOWN | (uint32_t)cookie : 0, __ATOMIC_SEQ_CST);
}

typedef int (*counter_fn)(void *context, const struct bpf_side *side,
			  const struct hit_count *counter, int cpu);

static int each_counter(const struct bpf_side *side, counter_fn callback, void *context)
{
	struct hit_count *counters = calloc((size_t)side->cpu_count, sizeof(*counters));
	int fd = bpf_map__fd(side->skeleton->maps.hit_counts), err = counters ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < HIT_COUNTS; i++) {
		if (bpf_map_lookup_elem(fd, &i, counters))
			err = -errno;
		for (int cpu = 0; !err && cpu < side->cpu_count; cpu++)
			if (counters[cpu].ready)
				err = callback(context, side, &counters[cpu], cpu);
	}
	free(counters);
	return err;
}

static int add(void *context, const struct bpf_side *side, const struct hit_count *counter, int cpu)
{
	uint64_t *sum = context;

	(void)side;
	(void)cpu;
	*sum += counter->count;
	return 0;
}

int hit_counts_sum(const struct bpf_side *side, uint64_t *sum)
{
	*sum = 0;
	return hit_counts_used(&side->skeleton->rodata->config) ? each_counter(side, add, sum) : 0;
}

struct handing_on {
	bpf_count_fn callback;
	void *context;
};

static int hand_on(void *context, const struct bpf_side *side, const struct hit_count *counter,
		   int cpu)
{
	const struct handing_on *to = context;
	const volatile struct tracer_config *config = &side->skeleton->rodata->config;
	const struct count_value value = { .count = counter->count };
	struct count_key key = {
		.kind = REC_UPROBE,
		.site = counter->site,
		.tgid = counter->tgid,
		.tid = config->keep_tid ? counter->tid : 0,
		.cpu = config->keep_cpu ? (uint16_t)cpu : 0,
		.flags = config->cookies ? 0 : EVENT_SITE_IS_ADDRESS,
	};
	int result;

	memcpy(key.comm, counter->comm, sizeof(key.comm));
	result = to->callback(to->context, &key, &value);
	return result < 0 ? result : 0;
}

int hit_counts_each(const struct bpf_side *side, bpf_count_fn callback, void *context)
{
	struct handing_on to = { callback, context };

	return hit_counts_used(&side->skeleton->rodata->config) ? each_counter(side, hand_on, &to) :
								  0;
}
