/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every map. Defined once, by maps.bpf.c; declared extern for everybody else, and tied together by the
 * static linker. Hash maps are preallocated: programs on perf events may not use others before 6.1.
 */
#ifndef TRACER_MAPS_BPF_H
#define TRACER_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "tracer.h"
#include "machine.h"
#include "store_search.h"
#include "unwind.h"

#ifdef TRACER_DEFINE_MAPS
#define MAP_SCOPE
#else
#define MAP_SCOPE extern
#endif

/* More than the contexts that can nest or interleave on one CPU: a few preempted uprobes, irq, NMI. */
#define SCRATCH_SLOTS 6
_Static_assert(SCRATCH_SLOTS <= LATENCY_WRITERS, "latency_max.ns");
/* Seen-stack cache slots, a power of two. */
#define SEEN_SLOTS 65536

/* The user registers a walk starts from. */
struct user_regs {
	__u64 ip;
	__u64 sp;
	__u64 fp;
	__u64 lr;			 /* arm64; 0 elsewhere */
	__u64 general[TRACER_REGISTERS]; /* DWARF's numbering */
};

/* A walk by tables on its way. */
struct walk {
	struct unwind_frame frame;
	struct unwind_frame guessed;   /* where a frame pointer would lead */
	struct unwind_space space;     /* count 0: not known, or older than a mapping made since */
	struct unwind_mapping mapping; /* of the frame before; empty at first */
	__u64 trampoline;	       /* where replaced return addresses lead; 0 none */
	__u64 first_ip;		       /* frame 0's, as the program has it, */
	__u64 first_sp;		       /* and its stack pointer */
	__u32 at_entry;		       /* frame 0 stands at a function's first instruction */
	__u32 is_first;		       /* the next step is frame 0's */
	__u32 guesses;		       /* steps by frame pointer alone */
	__u32 depth;		       /* frames in the stack so far, */
	__u32 window_bytes;	       /* of the scratch slot's window; 0: holds nothing yet */
	__u64 hash;		       /* what they hash to */
	__u64 window_from;	       /* the address of what the window holds */
	__u64 value;		       /* what unwind_read has read */
	__u32 rule_unit;	       /* what unwind_search_rule has found */
	__u32 reserved;
};

/* Stack memory that is read at once, and how much of it lies below what was asked for: saved registers. */
#define WINDOW_BYTES 512
#define WINDOW_BELOW 48

/* Where one program run works. A stack (user, then kernel) is built, sent and forgotten before the record. */
struct scratch {
	__u32 busy;
	__u32 slot;	/* this slot's own index, which is what global functions are given */
	__u32 at_entry; /* regs stand at a function's first instruction: its caller is not linked yet */
	__u32 copy;	/* number of the copy slot that holds its stack, */
	__u32 copy_bytes;  /* and the bytes of the record in it */
	__u32 copy_words;  /* those hashed so far, */
	__u64 copy_hash;   /* and what they hash to */
	__u64 return_slot; /* where the walk found a return address */
	__u64 return_address; /* what it is: the original, if a return probe has replaced it; 0 unknown */
	__u64 saved_regs[34]; /* as the kernel saved them */
	struct user_regs regs;
	struct walk walk;
	struct machine machine;
	struct store_search store;
	__u64 window[WINDOW_BYTES / 8];
	union {
		struct rec_event event;
		struct rec_sample sample;
		struct rec_uprobe uprobe;
		struct rec_uretprobe uretprobe;
		struct rec_breakpoint breakpoint;
		struct rec_offcpu offcpu;
		struct rec_latency latency;
	};
	__u8 captured[CAPTURE_BYTES + CAPTURE_MOST + 16]; /* sent behind the event, */
	__u32 captured_bytes;				  /* so much of it; 0: nothing */
	__u32 plan;					  /* whose values those are, from 0 */
	__u64 captured_number;				  /* the number among them that came last */
	struct count_key key;
	struct latency_key latency_key;
	struct latency_max no_max; /* all 0: stacks are short */
	struct blocked wait;
	struct {
		struct rec_stack head;
		__u64 ip[TRACER_MAX_STACK];
	} stack;
};

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

/*
 * Rules that walks in a scratch slot have found; see unwind.bpf.c. Whoever has the slot has its rules. The
 * kernel allows 32 KiB for a value of each CPU.
 */
#define FOUND_RULES 1024 /* a power of two */

struct found_rules {
	struct {
		__u64 place; /* object and vaddr; 0 nothing */
		struct unwind_rule rule;
	} at[FOUND_RULES];
};

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, __u32);
	__type(value, struct found_rules);
} found_rules SEC(".maps");

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STAT_MAX);
	__type(key, __u32);
	__type(value, __u64);
} stats SEC(".maps");

/* tgid or tid, by config.target_mode */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* -C: one byte a CPU, sized by user space */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
} cpus SEC(".maps");

/*
 * Ids of stacks that user space has. A two-way cache in an array, not an LRU hash: it takes no lock, so
 * an NMI cannot deadlock on it, and an evicted id only means that its stack is sent once more.
 */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SEEN_SLOTS);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

/*
 * Address-space generation by tgid, raised with every new executable mapping: where it happens
 * (space.bpf.c), or by user space when side-band tells.
 */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u32);
} generations SEC(".maps");

/* Unwind tables; see unwind.h. Chunks are made as they are needed, and written through a mapping. */
struct unwind_chunk_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, UNWIND_CHUNK_BYTES);
};

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_MAX_CHUNKS);
	__type(key, __u32);
	__array(values, struct unwind_chunk_map);
} unwind_chunks SEC(".maps");

#define UNWIND_OBJECTS	16384
#define UNWIND_MAPPINGS 65536

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_OBJECTS);
	__type(key, __u32);
	__type(value, struct unwind_object);
} unwind_objects SEC(".maps");

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_MAPPINGS);
	__type(key, __u32);
	__type(value, struct unwind_mapping);
} unwind_mappings SEC(".maps");

/* By tgid */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct unwind_space);
} unwind_spaces SEC(".maps");

/* Where copies of stacks are made: COPY_SLOTS for each CPU, sized by user space. */

struct copy_slot {
	__u32 busy;
	__u32 reserved;
	struct rec_stack_copy copy;
};

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct copy_slot);
} copy_slots SEC(".maps");

/* Bytes of stack copies that this CPU may still send before user space has read what it has. */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __s64);
} copy_credit SEC(".maps");

/* One ring buffer a CPU: they do not contend, and scale. Filled by user space. */
struct ring_template {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct ring_template);
} rings SEC(".maps");

/* --buffer perf */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 0);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

/*
 * Counters of aggregated outputs. One map for each kind of context, so that a program never interrupts
 * another inside the same map (before 5.11 nothing else would keep an NMI off a held bucket lock).
 */
struct counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, struct count_key);
	__type(value, struct count_value);
};

MAP_SCOPE struct counts_map counts_sample SEC(".maps");
MAP_SCOPE struct counts_map counts_probe SEC(".maps");
MAP_SCOPE struct counts_map counts_breakpoint SEC(".maps");
MAP_SCOPE struct counts_map counts_sched SEC(".maps");

/* The same where hits are counted and nothing else. */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, HIT_COUNTS);
	__type(key, __u32);
	__type(value, struct hit_count);
} hit_counts SEC(".maps");

/* Threads off the CPU, by tid */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct blocked);
} blocked SEC(".maps");

/* Who came to this CPU last, and when */
struct cpu_state {
	__u64 since; /* ns, CLOCK_MONOTONIC; 0: not known yet */
	__u32 tgid;
	__u32 tid;
};

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu_state);
} cpu_states SEC(".maps");

/* --wall: on-CPU time by tid */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct oncpu);
} oncpu SEC(".maps");

/* --latency: by tid */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct pending_calls);
} pending_calls SEC(".maps");

/* What a thread begins with: too much for a program's own stack. */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pending_calls);
} no_calls SEC(".maps");

/* Sized by user space: functions times processes. */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct latency_key);
	__type(value, struct latency_value);
} latencies SEC(".maps");

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct latency_value);
} no_latency SEC(".maps");

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct latency_key);
	__type(value, struct latency_max);
} latency_maxima SEC(".maps");

/* --breakpoint: watched addresses, and what the variables held last */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACER_MAX_WATCHES);
	__type(key, __u64);
	__type(value, struct watch);
} watches SEC(".maps");

/* The same addresses, to be gone through */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRACER_MAX_WATCHES);
	__type(key, __u32);
	__type(value, __u64);
} watch_list SEC(".maps");

MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct watch_key);
	__type(value, __u64);
} watched_values SEC(".maps");

/* x86-64: the lengths of instructions that could be read in several ways, by process and address; 0 not known yet */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct watch_key);
	__type(value, __u32);
} store_lengths SEC(".maps");

/* --if, --args: sized and filled by user space, which knows what number a probe's programs have */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct machine_program);
} machine_programs SEC(".maps");

/* What is done at probes. Sized by user space. */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct plan);
} plans SEC(".maps");

/* The same without cookies: see PLAN_PAGE. Sized by user space. */
MAP_SCOPE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} plan_numbers SEC(".maps");

#endif
