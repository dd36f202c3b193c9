// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bpf_map_sizes.h"

#include <bpf/libbpf.h>

#include "bpf_side.h"
#include "hit_counts.h"
#include "tracer.skel.h"

static void shrink_unwind_maps(struct tracer_bpf *skeleton)
{
	bpf_map__set_max_entries(skeleton->maps.unwind_chunks, 1);
	bpf_map__set_max_entries(skeleton->maps.unwind_objects, 1);
	bpf_map__set_max_entries(skeleton->maps.unwind_mappings, 1);
	bpf_map__set_max_entries(skeleton->maps.unwind_spaces, 1);
	bpf_map__set_max_entries(skeleton->maps.found_rules, 1);
}

/* Tables that this run does not use are made small: preallocated maps cost memory and time. */
static void shrink_unused_maps(struct bpf_side *side)
{
	const struct tracer_config *config = bpf_side_config(side);
	struct tracer_bpf *skeleton = side->skeleton;

	if (!config->off_cpu)
		bpf_map__set_max_entries(skeleton->maps.blocked, 1);
	if (!config->wall)
		bpf_map__set_max_entries(skeleton->maps.oncpu, 1);
	if (!config->aggregate || !config->off_cpu)
		bpf_map__set_max_entries(skeleton->maps.counts_sched, 1);
	if (!config->aggregate || !bpf_program__autoload(skeleton->progs.on_sample))
		bpf_map__set_max_entries(skeleton->maps.counts_sample, 1);
	if (!config->aggregate || !(bpf_program__autoload(skeleton->progs.on_uprobe_entry) ||
				    bpf_program__autoload(skeleton->progs.on_uprobe_inside) ||
				    bpf_program__autoload(skeleton->progs.on_uretprobe) ||
				    bpf_program__autoload(skeleton->progs.on_return_site) ||
				    bpf_program__autoload(skeleton->progs.on_latency_entry) ||
				    bpf_program__autoload(skeleton->progs.on_latency_return)))
		bpf_map__set_max_entries(skeleton->maps.counts_probe, 1);
	if (!config->aggregate || !config->watch_count)
		bpf_map__set_max_entries(skeleton->maps.counts_breakpoint, 1);
	if (!hit_counts_used(config))
		bpf_map__set_max_entries(skeleton->maps.hit_counts, 1);
	if (!config->watch_count) {
		bpf_map__set_max_entries(skeleton->maps.watched_values, 1);
		bpf_map__set_max_entries(skeleton->maps.store_lengths, 1);
	}
	if (!bpf_program__autoload(skeleton->progs.on_latency_entry)) {
		bpf_map__set_max_entries(skeleton->maps.pending_calls, 1);
		bpf_map__set_max_entries(skeleton->maps.latencies, 1);
		bpf_map__set_max_entries(skeleton->maps.latency_maxima, 1);
	}
	if (config->target_mode == TARGET_ALL)
		bpf_map__set_max_entries(skeleton->maps.targets, 1);
	if (config->call_graph != CALL_GRAPH_AUTO)
		shrink_unwind_maps(skeleton);
}

int bpf_side_size_maps(struct bpf_side *side)
{
	struct tracer_bpf *skeleton = side->skeleton;
	struct bpf_map *unused = side->use_ringbuf ? skeleton->maps.events : skeleton->maps.rings;
	uint32_t cpus = (uint32_t)side->cpu_count;
	int err;

	err = bpf_map__set_max_entries(skeleton->maps.cpus, cpus);
	if (!err)
		err = bpf_map__set_max_entries(skeleton->maps.events, cpus);
	if (!err)
		err = bpf_map__set_max_entries(skeleton->maps.rings, cpus);
	if (!err)
		err = bpf_map__set_autocreate(unused, false);
	if (!err && bpf_side_config(side)->call_graph == CALL_GRAPH_AUTO)
		err = bpf_map__set_max_entries(skeleton->maps.copy_slots, cpus * COPY_SLOTS);
	shrink_unused_maps(side);
	return err;
}
