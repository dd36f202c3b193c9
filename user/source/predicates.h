/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --if: what is written, made into programs for the kernel, and told to it. */
#ifndef TRACER_PREDICATES_H
#define TRACER_PREDICATES_H

#include <stddef.h>
#include <stdint.h>

struct bpf_side;
struct expression_scope;
struct machine_program;
struct probe_option;

/* The distinct programs of a run. */
struct predicates {
	struct machine_program *programs;
	size_t count;
};

void predicates_free(struct predicates *predicates);
/*
 * *predicate gets what the kernel's tables say of a probe with that option: PREDICATE_NONE without --if. Says what
 * is wrong with the expression. 0 or -errno.
 */
int predicates_add(struct predicates *predicates, const struct probe_option *option,
		   const struct expression_scope *scope, uint32_t *predicate);
/* Before loading: makes room. 0 or -errno. */
int predicates_size(const struct predicates *predicates, struct bpf_side *bpf);
/* After loading: the programs. 0 or -errno. */
int predicates_write(const struct predicates *predicates, struct bpf_side *bpf);
/*
 * For kernels without cookies: of a probe at that offset in its file, before it is attached. 0; -EEXIST when
 * another probe cannot be told from it; or -errno.
 */
int predicates_set(struct bpf_side *bpf, uint64_t offset, uint32_t predicate);

#endif
