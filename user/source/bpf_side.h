/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF object from opening to unloading: what this kernel can do, the configuration, the rings, the
 * counters. Attaching programs is the sources' business.
 */
#ifndef TRACER_BPF_SIDE_H
#define TRACER_BPF_SIDE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../bpf/tracer.h"
#include "../ring/bpf_ring.h"
#include "../ring/perf_ring.h"
#include "bpf_features.h"

struct tracer_bpf; /* the skeleton */

struct bpf_side {
	struct tracer_bpf *skeleton;
	int types_fd; /* see kernel_types.h; 0 or below: none */
	struct bpf_features features;
	int cpu_count; /* possible CPUs: one ring each */
	bool use_ringbuf;
	size_t ring_bytes;
	struct bpf_ring **bpf_rings;   /* [cpu_count], or NULL */
	struct perf_ring **perf_rings; /* the same with --buffer perf */
	int *ring_fds;		       /* [cpu_count]: to poll; -1 for a CPU without a ring */
	size_t place_count;	       /* of probes of calls */
	uint32_t breakpoint_slots; /* debug registers of a thread that breakpoints of this run take */
};

/* Takes over libbpf's messages: everything to stderr when verbose, else nothing (we say it ourselves). */
void bpf_side_set_verbosity(unsigned verbose);

/* Opens the object and finds the features. Says what is wrong. 0 or -errno. */
int bpf_side_open(struct bpf_side *side);
/* The configuration, to be filled before bpf_side_load(). */
struct tracer_config *bpf_side_config(struct bpf_side *side);
/* Loads with ring buffers (or perf buffers) of ring_bytes a CPU. Says what is wrong. 0 or -errno. */
int bpf_side_load(struct bpf_side *side, bool use_ringbuf, size_t ring_bytes);
/*
 * Lets the kernel tell who we are in the initial pid namespace and where it keeps user registers.
 * *own_tgid gets the first. 0 or -errno.
 */
int bpf_side_learn(struct bpf_side *side, uint32_t *own_tgid);
/* After bpf_side_learn(): makes us the target, and no tracer to be left out. For self-tests. 0 or -errno. */
int bpf_side_record_self(struct bpf_side *side);
/* -C. 0 or -errno. */
int bpf_side_set_cpu(struct bpf_side *side, int cpu);
/* A tgid or tid (config.target_mode) that is wanted. 0 or -errno. */
int bpf_side_add_target(struct bpf_side *side, uint32_t id);
/* Is it one, by now (children become some)? Not with TARGET_ALL. */
bool bpf_side_is_target(const struct bpf_side *side, uint32_t id);
/* The address space of a process has changed: its stacks are new ones from now on. Failure only costs a stack sent twice. */
void bpf_side_raise_generation(struct bpf_side *side, uint32_t tgid, uint32_t generation);
/* An instruction that was asked about (EVENT_ASKS_LENGTH): its bytes, up to ip in that process. */
/* As it was set; 0: it is not known. */
uint32_t bpf_side_store_length(const struct bpf_side *side, uint32_t tgid, uint64_t ip);
void bpf_side_set_store_length(struct bpf_side *side, uint32_t tgid, uint64_t ip, uint32_t length);
/* From now (ns, CLOCK_MONOTONIC) on events are recorded; no longer. */
void bpf_side_start(struct bpf_side *side, uint64_t now);
void bpf_side_stop(struct bpf_side *side);
/* Reads all rings once. Records handed over, or a negative callback result. */
int bpf_side_consume(struct bpf_side *side, ring_record_fn callback, void *context);
/* All counters, added over CPUs. 0 or -errno. */
int bpf_side_stats(const struct bpf_side *side, uint64_t stats[STAT_MAX]);
/* Runs that the kernel refused because a program was running already, where it counts them; else 0. */
uint64_t bpf_side_recursion_misses(const struct bpf_side *side);

/* Goes through an in-kernel table. A negative callback result stops, and is returned; else 0 or -errno. */
typedef int (*bpf_count_fn)(void *context, const struct count_key *key,
			    const struct count_value *value);
typedef int (*bpf_blocked_fn)(void *context, uint32_t tid, const struct blocked *blocked);
typedef int (*bpf_oncpu_fn)(void *context, uint32_t tid, const struct oncpu *oncpu);
int bpf_side_each_count(const struct bpf_side *side, bpf_count_fn callback, void *context);
int bpf_side_each_blocked(const struct bpf_side *side, bpf_blocked_fn callback, void *context);
typedef int (*bpf_latency_fn)(void *context, const struct latency_key *key,
			      const struct latency_value *value, uint64_t max_ns);
/* A call that had not returned. */
typedef int (*bpf_pending_fn)(void *context, const struct latency_key *key);
int bpf_side_each_latency(const struct bpf_side *side, bpf_latency_fn callback, void *context);
int bpf_side_each_pending(const struct bpf_side *side, bpf_pending_fn callback, void *context);
int bpf_side_each_oncpu(const struct bpf_side *side, bpf_oncpu_fn callback, void *context);

/* Unloads everything; NULL-safe in all its parts, may be called again. */
void bpf_side_close(struct bpf_side *side);

#endif
