/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One decoded record, whichever ring it came from. */
#ifndef TRACER_RECORD_H
#define TRACER_RECORD_H

#include <linux/types.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../bpf/tracer.h"

enum record_kind {
	RECORD_MMAP,
	RECORD_COMM,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_KSYMBOL,
	RECORD_LOST,
	RECORD_STACK,
	RECORD_STACK_COPY,
	RECORD_EVENT,
};

/* A new executable mapping (PERF_RECORD_MMAP2). */
struct record_mmap {
	uint64_t start;
	uint64_t length;
	uint64_t file_offset;
	uint64_t inode;
	uint32_t major, minor;
	uint32_t protection; /* PROT_* */
	const char *path;
};

struct record_comm {
	const char *comm;
	bool is_exec;
};

struct record_fork {
	uint32_t parent_pid;
	uint32_t parent_tid;
};

struct record_ksymbol {
	uint64_t address;
	uint32_t length;
	bool is_unregister;
	const char *name;
};

struct record_lost {
	uint64_t count;
};

/* A stack as the BPF side sent it: ip[] leaf first; from a perf ring only 4-byte aligned until copied. */
struct record_stack {
	uint64_t id;
	enum stack_space space;
	enum stack_end end;
	uint32_t depth;
	const uint64_t *ip;
};

/* A stack that came as a copy of its memory, still to be walked. */
struct record_stack_copy {
	uint64_t id;
	uint64_t ip, sp, fp, link; /* of frame 0 */
	uint64_t trampoline;
	bool at_entry;
	uint32_t max_stack;    /* frames */
	uint32_t return_count; /* at most TRACER_COPY_RETURNS */
	uint32_t size;	       /* bytes of the stack, from sp on */
	uint32_t holes;	       /* pages of it, from sp's on, that could not be read: a bit each */
	/* As it came, at any alignment: registers, replaced returns, the stack. See below. */
	const uint8_t *wire;
};

#define RECORD_COPY_STACK_AT \
	(TRACER_REGISTERS * sizeof(uint64_t) + TRACER_COPY_RETURNS * sizeof(struct replaced_return))

/* A general register, by DWARF's number below TRACER_REGISTERS. */
static inline uint64_t record_copy_register(const struct record_stack_copy *copy, unsigned number)
{
	uint64_t value;

	memcpy(&value, copy->wire + number * sizeof(value), sizeof(value));
	return value;
}

/* One of return_count. */
static inline struct replaced_return record_copy_return(const struct record_stack_copy *copy,
							unsigned index)
{
	struct replaced_return value;

	memcpy(&value, copy->wire + TRACER_REGISTERS * sizeof(uint64_t) + index * sizeof(value),
	       sizeof(value));
	return value;
}

static inline const uint8_t *record_copy_stack(const struct record_stack_copy *copy)
{
	return copy->wire + RECORD_COPY_STACK_AT;
}

/* What an event says beyond the common part, by kind. */
struct record_event {
	enum rec_kind kind;
	uint32_t flags;			   /* enum event_flag */
	uint64_t user_stack, kernel_stack; /* stack ids, 0 none */
	uint64_t site;
	char comm[TRACER_COMM + 1]; /* always terminated */
	uint64_t arg[TRACER_ARGS];  /* REC_UPROBE; [0] the value returned of REC_URETPROBE */
	uint64_t ip;		    /* REC_BREAKPOINT */
	uint64_t old_value, new_value;
	uint64_t blocked_ns; /* REC_OFFCPU */
	uint32_t state;
};

/*
 * Pointers in it point into the buffer it was decoded from, or into the record_order that owns a
 * copy: valid until the consumer returns. pid and tid are those of the initial pid namespace.
 */
struct record {
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	enum record_kind kind;
	uint32_t cpu;
	uint32_t pid; /* tgid */
	uint32_t tid;
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_fork fork;
		struct record_ksymbol ksymbol;
		struct record_lost lost;
		struct record_stack stack;
		struct record_stack_copy copy;
		struct record_event event;
	};
};

#endif
