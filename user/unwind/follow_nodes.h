/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the passes over a file share: its code without CFI ("gaps"), and a node for each instruction of
 * it that has been decoded.
 */
#ifndef TRACER_FOLLOW_NODES_H
#define TRACER_FOLLOW_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "follow_state.h"
#include "jump_table.h"
#include "operation.h"

struct code_range;
struct elf_file;
struct entries;

/* No instruction is longer. */
#define LONGEST_INSTRUCTION 15
#define NO_INSTRUCTION	    UINT32_MAX

struct gap {
	uint64_t start, end;
	uint32_t first; /* index of its first byte */
};

/*
 * Addresses from start on in buckets of 1 << shift bytes: the first gap that ends in each or behind
 * it. There is one bucket more than need be.
 */
struct gap_index {
	uint64_t start;
	unsigned shift;
	size_t bucket_count;
	uint32_t *first;
};

/* Code that has been read last: instructions are read one after the other. */
struct code_window {
	uint64_t vaddr;
	size_t size;
	uint8_t bytes[8192];
};

enum returning { RETURNS_NEVER, RETURNS_MAYBE, RETURNS_SURELY };

struct node {
	struct operation operation;
	struct jump_table table;
	uint64_t vaddr;
	struct follow_state state;
	bool function;
	bool called; /* by an instruction, or its address is taken */
	bool seen;   /* its successors have been looked at */
	enum returning returning;
	bool queued;
	bool wrong;	/* leads to a contradiction */
	bool right;	/* leads back to a caller, and not to a contradiction */
	bool no_return; /* a call that is not believed to come back */
};

struct followed {
	struct elf_file *file;
	enum unwind_machine machine;
	struct decoder decoder;
	struct gap *gaps;
	size_t gap_count;
	struct gap_index index;
	struct code_window window;
	uint32_t byte_count;
	uint32_t *node_at; /* of each byte: 1 + its node; 0: not decoded; or NO_INSTRUCTION */
	struct node *nodes;
	uint32_t node_count, node_room;
	uint32_t *queue;
	uint32_t queue_count, queue_room;
	uint32_t target_count; /* of all tables of jumps */
	uint32_t verified;     /* instructions decoded to be sure of calls */
	bool musl;
	bool tangled; /* nothing is believed */
};

/* Appends the gaps of a range of code. 0 or -ENOMEM. */
int follow_add_gaps(struct followed *f, const struct code_range *code,
		    const struct entries *entries);
/* To be called when all gaps are known, before what follows here. 0 or -ENOMEM. */
int follow_index_gaps(struct followed *f);
/* The gap that vaddr lies in, or NULL. */
const struct gap *follow_gap_at(const struct followed *f, uint64_t vaddr);
/* elf_file_read() of not more than a window. */
size_t follow_read(struct followed *f, uint64_t vaddr, void *bytes, size_t size);
/* The instruction at vaddr: 1 and its number; 0 when there is none that we follow; or -ENOMEM. */
int follow_node(struct followed *f, uint64_t vaddr, uint32_t *number);
/* The same of one that has been decoded before, or NULL. */
struct node *follow_known(const struct followed *f, uint64_t vaddr);
/* Nodes to be looked at; one is in the queue only once. 0 or -ENOMEM. */
int follow_enqueue(struct followed *f, uint32_t number);
uint32_t follow_dequeue(struct followed *f);

static inline uint64_t next_of(const struct node *node)
{
	return node->vaddr + node->operation.size;
}

static inline bool falls_through(const struct operation *operation)
{
	return operation->flow == FLOW_NEXT || operation->flow == FLOW_BRANCH ||
	       operation->flow == FLOW_CALL;
}

static inline bool jumps(const struct operation *operation)
{
	return operation->flow == FLOW_BRANCH || operation->flow == FLOW_JUMP;
}

#endif
