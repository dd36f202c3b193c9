/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is asked (--if) and recorded (--args) at probes, made into programs for the kernel, and told to it. */
#ifndef TRACER_PLANS_H
#define TRACER_PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../bpf/machine.h"
#include "../../bpf/plan.h"
#include "../value/list.h"

struct bpf_side;
struct expression_scope;
struct probe_option;

/* Of one probe; of a predicate alone, for all that have the same. */
struct probe_plan {
	struct plan wire;
	struct value_list values; /* what its captures are */
	bool has_values;	  /* it records values, if only that there are none */
	bool was_asked_for;	  /* by --if or --args: it may not be left out */
};

/* The distinct programs of a run, and its plans. */
struct plans {
	struct machine_program *programs;
	size_t program_count;
	struct probe_plan *list;
	size_t count;
	bool has_captures;
};

void plans_free(struct plans *plans);
/* The number of a program in the kernel's table; that of one that is the same, if there is one. 0 or -ENOMEM. */
int plans_add_program(struct plans *plans, const struct machine_program *program, uint32_t *number);
/*
 * Compiles the option's --if, if it has one, into the plan. Says what is wrong with the expression. 0 or -errno.
 */
int plans_compile_predicate(struct plans *plans, const struct probe_option *option,
			    const struct expression_scope *scope, struct probe_plan *plan);
/*
 * Takes the plan over with all that it owns, also after an error; *number gets what the kernel's tables say of a probe
 * that has it: PLAN_NONE when there is nothing in it. 0 or -ENOMEM.
 */
int plans_add(struct plans *plans, struct probe_plan *plan, uint32_t *number);
/* What is recorded by the plan, counted from 0; NULL: there is no such plan. */
const struct value_list *plans_values(const struct plans *plans, uint32_t plan);
/* Before loading: makes room. 0 or -errno. */
int plans_size(const struct plans *plans, struct bpf_side *bpf);
/* After loading: programs and plans. 0 or -errno. */
int plans_write(const struct plans *plans, struct bpf_side *bpf);
/*
 * For kernels without cookies: of a probe at that offset in its file, or on the return of what is there, before it is attached. Where another probe cannot
 * be told from it, neither has values; and if something was asked for, -EEXIST. 0 or -errno.
 */
int plans_set(const struct plans *plans, struct bpf_side *bpf, uint64_t offset, bool is_return,
	      uint32_t number);

#endif
