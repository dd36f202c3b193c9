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
	RECORD_LOST,	     /* records a perf ring had no room for */
	RECORD_LOST_SAMPLES, /* samples that were not taken or not written */
	RECORD_THROTTLE,
	RECORD_CGROUP,
	RECORD_AUX,
	RECORD_ITRACE_START, /* pid and tid say all */
	RECORD_STACK,
	RECORD_STACK_COPY,
	RECORD_EVENT,
	RECORD_SAMPLE,
	RECORD_SWITCH,
};

#define RECORD_BUILD_ID 20 /* the most bytes a perf record has room for */

/* A new mapping (PERF_RECORD_MMAP, MMAP2). Of the kernel's own, pid is UINT32_MAX. */
struct record_mmap {
	uint64_t start;
	uint64_t length;
	uint64_t file_offset;
	uint64_t inode;
	uint32_t major, minor;
	uint32_t protection;   /* PROT_*; of a MMAP, PROT_EXEC or PROT_READ */
	uint16_t misc;	       /* perf_event_header.misc */
	uint8_t build_id_size; /* 0: none in the record; else inode, major and minor are not */
	uint8_t build_id[RECORD_BUILD_ID];
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

/* RECORD_LOST, RECORD_LOST_SAMPLES. */
struct record_lost {
	uint64_t count;
	uint64_t event_id; /* 0: not said */
};

struct record_throttle {
	uint64_t event_id; /* 0: not said */
	bool is_end;	   /* PERF_RECORD_UNTHROTTLE */
};

struct record_cgroup {
	uint64_t id;
	const char *path; /* below the cgroup file system's root */
};

/* New bytes in the AUX area. */
struct record_aux {
	uint64_t offset, size; /* bytes; offset counts on, beyond the area's size */
	uint64_t flags;	       /* PERF_AUX_FLAG_* */
	uint64_t event_id;     /* the collector's number of the event */
};

/* pid and tid were switched, cpu-wide or not. */
struct record_switch {
	uint32_t other_pid, other_tid; /* next or previous; UINT32_MAX: not said */
	bool is_out, is_preempted;
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

/* Events at the return of a function: where it returns to is frame 0, and the function itself has gone. */
static inline bool rec_kind_is_return(enum rec_kind kind)
{
	return kind == REC_URETPROBE || kind == REC_LATENCY;
}

/* What an event says beyond the common part, by kind. */
struct record_event {
	enum rec_kind kind;
	uint32_t flags;			   /* enum event_flag */
	uint64_t user_stack, kernel_stack; /* stack ids, 0 none */
	uint64_t site;
	uint64_t period; /* REC_SAMPLE: events since the one before; 0: as the source says */
	char comm[TRACER_COMM + 1]; /* always terminated */
	uint64_t arg[TRACER_ARGS]; /* REC_UPROBE; [0] the value returned of REC_URETPROBE, _LATENCY */
	uint64_t ip;		   /* REC_BREAKPOINT */
	uint64_t old_value, new_value;
	uint32_t store_length; /* see rec_breakpoint */
	uint64_t call_ns;      /* REC_LATENCY: from entry to return */
	uint64_t blocked_ns;   /* REC_OFFCPU */
	uint32_t state;
	uint32_t plan; /* whose values were captured: */
	uint32_t captured_size;
	const uint8_t *captured; /* as plan.h has them, at any alignment; NULL: none were */
};

/*
 * PERF_RECORD_SAMPLE. What its event did not ask for is 0 or NULL. Pointers are aligned as the record is
 * that they point into: to 8 bytes out of a ring or a file.
 */
struct record_sample {
	uint64_t event_id;
	uint64_t ip, address;
	uint64_t period; /* 0 also where the event has a fixed one: then attr.sample_period holds */
	uint64_t cgroup; /* its id */
	uint16_t misc;	 /* perf_event_header.misc: PERF_RECORD_MISC_CPUMODE_MASK, EXACT_IP */
	/* Leaf first, with PERF_CONTEXT_* marks still in it. */
	const uint64_t *chain;
	uint64_t chain_count;
	/* User registers: one for each bit in regs_mask, lowest first; none when the ABI is _NONE. */
	uint64_t regs_abi, regs_mask;
	const uint64_t *regs;
	/* User stack, from the stack pointer on: stack_size bytes are there, stack_asked were asked. */
	const uint8_t *stack;
	uint64_t stack_size, stack_asked;
	const void *raw; /* a tracepoint's fields, or what a program wrote */
	uint64_t raw_size;
	/* Counters of PERF_SAMPLE_READ: see record_sample_counter(). Times in ns, 0 where not asked for. */
	const uint64_t *counters;
	uint64_t counter_count, enabled, running;
	uint32_t read_format;
	/* The whole record: all pointers above point into it. */
	uint32_t wire_size;
	const uint8_t *wire;
};

struct record_counter {
	uint64_t value;
	uint64_t id, lost; /* 0 where not asked for */
};

/* One of counter_count. */
struct record_counter record_sample_counter(const struct record_sample *sample, uint64_t index);

/*
 * Pointers in it point into the buffer it was decoded from, or into the record_order that owns a
 * copy: valid until the consumer returns. pid and tid are those of the initial pid namespace.
 */
struct record {
	uint64_t time; /* ns, CLOCK_MONOTONIC, or of the clock its file names; 0: the record has none */
	enum record_kind kind;
	uint32_t cpu; /* UINT32_MAX: not said */
	uint32_t pid; /* tgid; of a sample, a switch and AUX UINT32_MAX: not said */
	uint32_t tid;
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_fork fork;
		struct record_ksymbol ksymbol;
		struct record_lost lost;
		struct record_throttle throttle;
		struct record_cgroup cgroup;
		struct record_aux aux;
		struct record_switch switched;
		struct record_sample sample;
		struct record_stack stack;
		struct record_stack_copy copy;
		struct record_event event;
	};
};

#endif
