// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The BPF object: configuration, loading, rings, counters. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/cpulist.h"
#include "../base/log.h"
#include "../unwind/walk.h"
#include "bpf_map_sizes.h"
#include "bpf_side.h"
#include "hit_counts.h"
#include "inner_maps.h"
#include "kernel_types.h"
#include "perf_open.h"
#include "tracer.skel.h"

static int print_all(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	return vfprintf(stderr, format, arguments);
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

void bpf_side_set_verbosity(unsigned verbose)
{
	libbpf_set_print(verbose >= 2 ? print_all : print_nothing);
}

static int open_skeleton(struct bpf_side *side)
{
	LIBBPF_OPTS(bpf_object_open_opts, options);
	char types[KERNEL_TYPES_PATH];
	int err;

	side->types_fd = kernel_types_open();
	if (side->types_fd > 0) {
		kernel_types_path(side->types_fd, types);
		options.btf_custom_path = types;
	}
	side->skeleton = tracer_bpf__open_opts(&options);
	err = side->skeleton ? 0 : -errno;
	if (err)
		log_error("the BPF object cannot be opened: %s", strerror(-err));
	return err;
}

int bpf_side_open(struct bpf_side *side)
{
	/* before 5.11 maps count against this limit; where we may not raise it, loading will tell */
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	memset(side, 0, sizeof(*side));
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	side->cpu_count = cpulist_possible_count();
	if (side->cpu_count < 0)
		return side->cpu_count;
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		log_error("this kernel has no BTF (/sys/kernel/btf/vmlinux: %s): BPF programs cannot be fitted "
			  "to it; a kernel built with CONFIG_DEBUG_INFO_BTF=y is needed",
			  strerror(errno));
		return -ENOTSUP;
	}
	bpf_features_find(&side->features);
	return open_skeleton(side);
}

struct tracer_config *bpf_side_config(struct bpf_side *side)
{
	return &side->skeleton->rodata->config;
}

/* Walks by tables want to hear of new mappings at once, where the kernel has a function to hook. */
static void choose_mapping_watch(struct bpf_side *side)
{
	struct tracer_config *config = bpf_side_config(side);

	config->watches_mappings = config->call_graph == CALL_GRAPH_AUTO &&
				   bpf_features_can_trace("uprobe_mmap");
	bpf_program__set_autoload(side->skeleton->progs.on_mmap, config->watches_mappings);
	bpf_program__set_autoload(side->skeleton->progs.on_area,
				  config->call_graph == CALL_GRAPH_AUTO &&
					  !config->watches_mappings);
}

_Static_assert(sizeof(struct rec_stack_copy) + 8 <= BPF_RING_RECORD, "the longest record");

static int open_bpf_ring(struct bpf_side *side, int cpu)
{
	int map = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, (uint32_t)side->ring_bytes,
				 NULL);

	if (map < 0)
		return -errno;
	side->ring_fds[cpu] = map;
	return bpf_ring_open(map, side->ring_bytes, &side->bpf_rings[cpu]);
}

/* A bpf-output event on a CPU: where bpf_perf_event_output writes. */
static int open_perf_ring(struct bpf_side *side, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(side->ring_bytes / 4),
	};
	int fd = perf_open(&attr, -1, cpu, -1);
	int err;

	if (fd == -ENODEV)
		return 0; /* possible, but not there now */
	if (fd < 0)
		return fd;
	side->ring_fds[cpu] = fd;
	err = perf_ring_open(fd, side->ring_bytes, &side->perf_rings[cpu]);
	if (err)
		return err;
	if (bpf_map_update_elem(bpf_map__fd(side->skeleton->maps.events), &cpu, &fd, BPF_ANY))
		return -errno;
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static int open_rings(struct bpf_side *side)
{
	size_t count = (size_t)side->cpu_count;

	side->bpf_rings = calloc(count, sizeof(*side->bpf_rings));
	side->perf_rings = calloc(count, sizeof(*side->perf_rings));
	side->ring_fds = calloc(count, sizeof(*side->ring_fds));
	if (!side->bpf_rings || !side->perf_rings || !side->ring_fds)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		side->ring_fds[i] = -1;
	for (int cpu = 0; cpu < side->cpu_count; cpu++) {
		int err = side->use_ringbuf ? open_bpf_ring(side, cpu) : open_perf_ring(side, cpu);

		if (err) {
			log_error("the %s of CPU %d, %zu KiB: %s (a smaller -m may do)",
				  side->use_ringbuf ? "ring buffer" : "perf buffer", cpu,
				  side->ring_bytes / 1024, strerror(-err));
			return err;
		}
	}
	return 0;
}

/*
 * Their array is made, and filled, while the programs are loaded: the kernel takes some ten ms for it, waiting
 * for programs that may use what was in it before.
 */
static int begin_bpf_rings(struct bpf_side *side, struct inner_maps_filling *filling)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);
	struct bpf_map *rings = side->skeleton->maps.rings;
	uint32_t count = (uint32_t)side->cpu_count;
	int err = open_rings(side), outer;

	if (err)
		return err;
	options.inner_map_fd = (uint32_t)side->ring_fds[0];
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "rings", sizeof(uint32_t),
			       sizeof(uint32_t), count, &options);
	err = outer < 0 ? -errno : bpf_map__reuse_fd(rings, outer);
	if (outer >= 0)
		close(outer);
	if (err)
		log_error("the array of ring buffers: %s", strerror(-err));
	else
		inner_maps_fill(filling, bpf_map__fd(rings), count, side->ring_fds);
	return err;
}

static int write_types(struct bpf_side *side)
{
	int err = kernel_types_write(side->types_fd, side->skeleton->obj);

	if (err)
		log_error("the kernel's types (/sys/kernel/btf/vmlinux): %s", strerror(-err));
	return err;
}

static int load_skeleton(struct bpf_side *side)
{
	int err = tracer_bpf__load(side->skeleton);

	if (err)
		log_error("the BPF programs do not load: %s (-vv shows the verifier's reasons)",
			  strerror(-err));
	return err;
}

/* The programs, and what they write to. */
static int load_with_rings(struct bpf_side *side)
{
	struct inner_maps_filling filling = {};
	int err = side->use_ringbuf ? begin_bpf_rings(side, &filling) : 0, filled;

	if (!err)
		err = load_skeleton(side);
	filled = inner_maps_filled(&filling);
	if (filled)
		log_error("the array of ring buffers: %s", strerror(-filled));
	if (err || filled)
		return err ? err : filled;
	return side->use_ringbuf ? 0 : open_rings(side);
}

int bpf_side_load(struct bpf_side *side, bool use_ringbuf, size_t ring_bytes)
{
	struct tracer_config *config = bpf_side_config(side);
	int err;

	side->use_ringbuf = use_ringbuf;
	side->ring_bytes = ring_bytes;
	config->use_ringbuf = use_ringbuf;
	config->wakeup_bytes = (uint32_t)(ring_bytes / 4);
	config->cookies = side->features.cookies;
	config->address_mask = unwind_own_address_mask();
	err = bpf_side_size_maps(side);
	choose_mapping_watch(side);
	/* before there are rings, so that the kernel's types are not in memory beside them */
	if (!err && side->types_fd > 0)
		err = write_types(side);
	return err ? err : load_with_rings(side);
}

/*
 * By hand, because the call carries two arguments more than it takes: the program looks for them among
 * the saved registers.
 */
static int run_learn(const struct tracer_bpf *skeleton, uint64_t magic)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)bpf_program__fd(skeleton->progs.learn);
	return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr), magic, ~magic) ? -errno : 0;
}

int bpf_side_learn(struct bpf_side *side, uint32_t *own_tgid)
{
	struct tracer_bpf *skeleton = side->skeleton;
	int err;

	skeleton->bss->learn_magic = clock_now() << 32 | (uint32_t)getpid();
	err = run_learn(skeleton, skeleton->bss->learn_magic);
	if (err)
		return err;
	if (!skeleton->bss->own_pid_tgid)
		return -ENODATA;
	*own_tgid = (uint32_t)(skeleton->bss->own_pid_tgid >> 32);
	return 0;
}

int bpf_side_record_self(struct bpf_side *side)
{
	uint32_t own_tgid = (uint32_t)(side->skeleton->bss->own_pid_tgid >> 32);

	side->skeleton->bss->own_pid_tgid = 0;
	return bpf_side_add_target(side, own_tgid);
}

int bpf_side_set_cpu(struct bpf_side *side, int cpu)
{
	uint8_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(side->skeleton->maps.cpus), &cpu, &one, BPF_ANY) ?
		       -errno :
		       0;
}

int bpf_side_add_target(struct bpf_side *side, uint32_t id)
{
	uint8_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(side->skeleton->maps.targets), &id, &one, BPF_ANY) ?
		       -errno :
		       0;
}

bool bpf_side_is_target(const struct bpf_side *side, uint32_t id)
{
	uint8_t value;

	return !bpf_map_lookup_elem(bpf_map__fd(side->skeleton->maps.targets), &id, &value);
}

void bpf_side_raise_generation(struct bpf_side *side, uint32_t tgid, uint32_t generation)
{
	bpf_map_update_elem(bpf_map__fd(side->skeleton->maps.generations), &tgid, &generation,
			    BPF_ANY);
}

uint32_t bpf_side_store_length(const struct bpf_side *side, uint32_t tgid, uint64_t ip)
{
	const struct watch_key key = { .addr = ip, .tgid = tgid };
	uint32_t length;

	return bpf_map_lookup_elem(bpf_map__fd(side->skeleton->maps.store_lengths), &key, &length) ?
		       0 :
		       length;
}

void bpf_side_set_store_length(struct bpf_side *side, uint32_t tgid, uint64_t ip, uint32_t length)
{
	const struct watch_key key = { .addr = ip, .tgid = tgid };

	bpf_map_update_elem(bpf_map__fd(side->skeleton->maps.store_lengths), &key, &length,
			    BPF_ANY);
}

void bpf_side_start(struct bpf_side *side, uint64_t now)
{
	side->skeleton->bss->recording_since = now;
	__atomic_store_n(&side->skeleton->bss->recording, 1, __ATOMIC_SEQ_CST);
}

void bpf_side_stop(struct bpf_side *side)
{
	__atomic_store_n(&side->skeleton->bss->recording, 0, __ATOMIC_SEQ_CST);
}

struct raw_context {
	ring_record_fn callback;
	void *context;
};

/* PERF_SAMPLE_RAW: a length, then the bytes, padded. Losses are counted by the programs themselves. */
static int take_raw(void *context, const struct perf_event_header *record)
{
	const struct raw_context *raw = context;
	const uint32_t *size = (const void *)(record + 1);

	if (record->type != PERF_RECORD_SAMPLE)
		return 0;
	if (record->size < sizeof(*record) + sizeof(*size) ||
	    *size > record->size - sizeof(*record) - sizeof(*size))
		return -EBADMSG;
	return raw->callback(raw->context, size + 1, *size);
}

int bpf_side_consume(struct bpf_side *side, ring_record_fn callback, void *context)
{
	struct raw_context raw = { callback, context };
	int total = 0;

	for (int cpu = 0; cpu < side->cpu_count; cpu++) {
		int count = 0;

		if (side->bpf_rings[cpu])
			count = bpf_ring_consume(side->bpf_rings[cpu], callback, context);
		else if (side->perf_rings[cpu])
			count = perf_ring_consume(side->perf_rings[cpu], take_raw, &raw);
		if (count < 0)
			return count;
		total += count;
	}
	return total;
}

int bpf_side_stats(const struct bpf_side *side, uint64_t stats[STAT_MAX])
{
	int fd = bpf_map__fd(side->skeleton->maps.stats);
	uint64_t *values = calloc((size_t)side->cpu_count, sizeof(*values)), hits = 0;
	int err = 0;

	if (!values)
		return -ENOMEM;
	for (uint32_t stat = 0; stat < STAT_MAX; stat++) {
		stats[stat] = 0;
		if (bpf_map_lookup_elem(fd, &stat, values)) {
			err = -errno;
			break;
		}
		for (int cpu = 0; cpu < side->cpu_count; cpu++)
			stats[stat] += values[cpu];
	}
	free(values);
	if (!err)
		err = hit_counts_sum(side, &hits);
	stats[STAT_SEEN] += hits;
	return err;
}

uint64_t bpf_side_recursion_misses(const struct bpf_side *side)
{
	struct bpf_program *program;
	uint64_t misses = 0;

	bpf_object__for_each_program(program, side->skeleton->obj) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);
		int fd = bpf_program__fd(program);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size))
			misses += info.recursion_misses;
	}
	return misses;
}

int bpf_side_each_count(const struct bpf_side *side, bpf_count_fn callback, void *context)
{
	const struct tracer_bpf *skeleton = side->skeleton;
	const struct bpf_map *maps[] = { skeleton->maps.counts_sample, skeleton->maps.counts_probe,
					 skeleton->maps.counts_breakpoint,
					 skeleton->maps.counts_sched };
	struct count_value value;
	struct count_key key;

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		int fd = bpf_map__fd(maps[i]);
		int err = bpf_map_get_next_key(fd, NULL, &key);

		while (!err) {
			int result;

			if (bpf_map_lookup_elem(fd, &key, &value))
				return -errno;
			result = callback(context, &key, &value);
			if (result < 0)
				return result;
			err = bpf_map_get_next_key(fd, &key, &key);
		}
	}
	return hit_counts_each(side, callback, context);
}

/* The longest call of a key; maxima: room for one of each CPU. */
static uint64_t longest(const struct bpf_side *side, const struct latency_key *key,
			struct latency_max *maxima)
{
	uint64_t ns = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(side->skeleton->maps.latency_maxima), key, maxima))
		return 0;
	for (int cpu = 0; cpu < side->cpu_count; cpu++)
		for (size_t i = 0; i < LATENCY_WRITERS; i++)
			if (maxima[cpu].ns[i] > ns)
				ns = maxima[cpu].ns[i];
	return ns;
}

int bpf_side_each_latency(const struct bpf_side *side, bpf_latency_fn callback, void *context)
{
	int fd = bpf_map__fd(side->skeleton->maps.latencies), result = 0, err;
	struct latency_max *maxima = calloc((size_t)side->cpu_count, sizeof(*maxima));
	struct latency_value value;
	struct latency_key key;

	if (!maxima)
		return -ENOMEM;
	err = bpf_map_get_next_key(fd, NULL, &key);
	while (!err && result >= 0) {
		if (bpf_map_lookup_elem(fd, &key, &value))
			result = -errno;
		else
			result = callback(context, &key, &value, longest(side, &key, maxima));
		err = bpf_map_get_next_key(fd, &key, &key);
	}
	free(maxima);
	return result < 0 ? result : 0;
}

int bpf_side_each_pending(const struct bpf_side *side, bpf_pending_fn callback, void *context)
{
	int fd = bpf_map__fd(side->skeleton->maps.pending_calls), result = 0;
	struct latency_key key = { .flags = side->features.cookies ? 0 : EVENT_SITE_IS_ADDRESS };
	struct pending_calls calls;
	uint32_t tid;
	int err = bpf_map_get_next_key(fd, NULL, &tid);

	while (!err && result >= 0) {
		if (bpf_map_lookup_elem(fd, &tid, &calls))
			calls.depth = 0; /* ended meanwhile */
		key.tgid = calls.tgid;
		for (uint32_t i = 0; result >= 0 && i < calls.depth && i < RETURN_DEPTH; i++) {
			key.site = calls.at[i].site;
			result = callback(context, &key);
		}
		err = bpf_map_get_next_key(fd, &tid, &tid);
	}
	return result < 0 ? result : 0;
}

int bpf_side_each_blocked(const struct bpf_side *side, bpf_blocked_fn callback, void *context)
{
	int fd = bpf_map__fd(side->skeleton->maps.blocked);
	struct blocked blocked;
	uint32_t tid;
	int err = bpf_map_get_next_key(fd, NULL, &tid);

	while (!err) {
		int result = 0;

		if (!bpf_map_lookup_elem(fd, &tid, &blocked))
			result = callback(context, tid, &blocked);
		if (result < 0)
			return result;
		err = bpf_map_get_next_key(fd, &tid, &tid);
	}
	return 0;
}

int bpf_side_each_oncpu(const struct bpf_side *side, bpf_oncpu_fn callback, void *context)
{
	int fd = bpf_map__fd(side->skeleton->maps.oncpu);
	struct oncpu oncpu;
	uint32_t tid;
	int err = bpf_map_get_next_key(fd, NULL, &tid);

	while (!err) {
		int result = 0;

		if (!bpf_map_lookup_elem(fd, &tid, &oncpu))
			result = callback(context, tid, &oncpu);
		if (result < 0)
			return result;
		err = bpf_map_get_next_key(fd, &tid, &tid);
	}
	return 0;
}

void bpf_side_close(struct bpf_side *side)
{
	for (int cpu = 0; cpu < side->cpu_count; cpu++) {
		if (side->bpf_rings)
			bpf_ring_close(side->bpf_rings[cpu]);
		if (side->perf_rings)
			perf_ring_close(side->perf_rings[cpu]);
		if (side->ring_fds && side->ring_fds[cpu] >= 0)
			close(side->ring_fds[cpu]);
	}
	free(side->bpf_rings);
	free(side->perf_rings);
	free(side->ring_fds);
	tracer_bpf__destroy(side->skeleton);
	if (side->types_fd > 0)
		close(side->types_fd);
	memset(side, 0, sizeof(*side));
}
