/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF program on many places of one file, by the best way the kernel has: all at once (uprobe_multi, 6.6),
 * else each by a perf event, with cookies (5.15) or without.
 */
#ifndef TRACER_PROBE_LINKS_H
#define TRACER_PROBE_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_features;
struct bpf_link;
struct bpf_program;

/* What a program is put on. The offsets and cookies are the caller's, and no longer needed afterwards. */
struct probe_places {
	const char *path;
	const uint64_t *offsets; /* in the file, distinct */
	const uint64_t *cookies;
	const uint64_t *
		semaphores; /* of USDT: where in the file is what the kernel counts up, or 0; NULL: none */
	size_t count;
	bool is_return;
};

/* One of several places has an instruction that the kernel cannot probe (ENOTSUPP): it is left out. */
typedef void (*probe_refused_fn)(void *context, uint64_t offset);

struct probe_links {
	int *multi; /* descriptors: one, or a few when places are left out */
	size_t multi_count;
	struct bpf_link **links;
	size_t count;
};

/* The kernel's own ENOTSUPP, which it lets out here and errno.h does not have. */
#define PROBE_REFUSED 524

/* Before loading: the program will be put on its places all at once, if the kernel can. */
void probe_links_prepare(struct bpf_program *program, const struct bpf_features *features);
/* 0 or -errno; what is attached by then stays until probe_links_detach(). refused: NULL when it is an error. */
int probe_links_attach(struct probe_links *links, const struct bpf_program *program,
		       const struct bpf_features *features, const struct probe_places *places,
		       probe_refused_fn refused, void *context);
/* May be called again. */
void probe_links_detach(struct probe_links *links);

#endif
