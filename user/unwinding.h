/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables that walks in the kernel go by: kept as the processes of the run need them. */
#ifndef TRACER_UNWINDING_H
#define TRACER_UNWINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "source/unwind_maps.h"

struct pid_wanted;
struct table_summary;
struct record;
struct record_stack;
struct tasks;

struct unwinding {
	struct unwind_maps maps;
	struct unwind_library *library; /* NULL: stacks are not walked by tables in this run */
	struct unwind_spaces *spaces;	/* NULL: no walk is in the kernel */
	struct unwind_object *private_objects; /* in place of those of maps; owned */
	struct tasks *tasks;
	struct pid_wanted *wanted; /* to be described in the next round */
	bool all;		   /* the run is about every process */
	bool foreign_ids;	   /* of another pid namespace: /proc speaks of other processes */
	bool has_exits;		   /* since the last sweep */
	uint64_t swept;		   /* ns, when */
	int64_t credit;		   /* bytes of copies for each CPU and round */
};

/* After the programs are loaded. 0 or -errno. */
int unwinding_open(struct unwinding *unwinding, struct bpf_side *bpf, struct objects *objects,
		   struct tasks *tasks, uint64_t memory_limit);
/* For stacks that are walked here, from samples that carry their memory: without BPF. 0 or -errno. */
int unwinding_open_private(struct unwinding *unwinding, struct tasks *tasks, uint64_t memory_limit);
void unwinding_close(struct unwinding *unwinding);
/* Describes a process that is there before the recording. 0 or -ENOMEM. */
int unwinding_prepare(struct unwinding *unwinding, pid_t pid);
/* Waits for all tables that are wanted, or until is_enough says so, which is asked after each. */
void unwinding_wait(struct unwinding *unwinding, bool (*is_enough)(void));
/* Has an object's table built, of which it is known that it will be needed. */
void unwinding_expect(struct unwinding *unwinding, const struct object *object);
/* The next round describes the process. 0 or -ENOMEM. */
int unwinding_want(struct unwinding *unwinding, uint32_t pid);
/* A side-band record has come: what it may mean for tables. 0 or -ENOMEM. */
int unwinding_note(struct unwinding *unwinding, const struct record *record);
/* Takes built tables, describes wanted processes, gives up what is not needed any more. */
void unwinding_round(struct unwinding *unwinding);
/* As stack_copy_walk(); with wait, never -EAGAIN. */
int unwinding_walk(struct unwinding *unwinding, const struct record *record, bool wait,
		   uint64_t *ip, struct record_stack *stack);
/* As sample_walk(); with wait, never -EAGAIN. */
int unwinding_walk_sample(struct unwinding *unwinding, const struct record *record, bool wait,
			  uint64_t *ip, uint32_t max, struct record_stack *stack);

/* For the summary of the run, but the number of copies. */
void unwinding_summarize(const struct unwinding *unwinding, struct table_summary *summary);

#endif
