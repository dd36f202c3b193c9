/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The wire contract between the BPF programs and user space: every record that crosses a ring,
 * every key and value of a map that both sides touch. Fixed widths, no padding left to chance.
 */
#ifndef TRACER_H
#define TRACER_H

#include <linux/types.h>

#include "latency.h"
#include "plan.h"

#define TRACER_COMM 16
#define TRACER_ARGS 6
/* Longest user stack that can be recorded, in frames; --max-stack stays within it. */
#define TRACER_MAX_STACK 512
/* The kernel's own bound for its stacks (sysctl kernel.perf_event_max_stack's default). */
#define TRACER_MAX_KERNEL_STACK 127
/* Distinct addresses watched in one run: few a thread (4 on x86-64), but processes may differ. */
#define TRACER_MAX_WATCHES 64

/* What a record on the ring is. Zero is no kind, so that a zeroed buffer is never a record. */
enum rec_kind {
	REC_STACK = 1,
	REC_STACK_COPY,
	REC_SAMPLE, /* from here on events */
	REC_UPROBE,
	REC_URETPROBE,
	REC_BREAKPOINT,
	REC_OFFCPU,
	REC_LATENCY,
	REC_KIND_MAX,
};

/* How a walk of a user stack ended. Only STACK_COMPLETE claims that the outermost frame was reached. */
enum stack_end {
	STACK_COMPLETE = 1,
	STACK_GUESS, /* came to the outermost frame, but frame pointers were believed on the way */
	STACK_DEPTH, /* cut at --max-stack */
	STACK_NO_TABLE,	     /* code without an unwind table, and no frame pointer to follow */
	STACK_NO_CODE,	     /* an address that is in no executable mapping */
	STACK_GAP,	     /* code that its object's table says nothing about */
	STACK_UNSUPPORTED,   /* code whose table entry needs more than a rule can say */
	STACK_LOST_REGISTER, /* the rule needs a register that is not known in that frame */
	STACK_FAULT,	     /* stack memory that could not be read */
	STACK_STUCK,	     /* a frame that is not above the one it called */
	STACK_ZERO,	     /* a return address of 0, where nothing says that this is the end */
	STACK_LATE,	     /* the table was not there yet, nor room for a copy of the stack */
	STACK_COPY_SHORT,    /* the copy of the stack that was sent ends before the stack does */
	STACK_FP_ROOT,	     /* frame pointers only: the chain ended in a zero frame pointer */
	STACK_FP_BROKEN,     /* frame pointers only: the chain ran into something that is none */
	STACK_FRAME0,	     /* only the instruction was asked for, or its caller */
	STACK_32BIT,	     /* a 32-bit task: not walked */
	STACK_NO_REGS,	     /* the user registers could not be found */
	STACK_END_MAX,
};

enum stack_space {
	STACK_USER = 1,
	STACK_KERNEL,
};

/* rec_event.flags and count_key.flags */
enum event_flag {
	EVENT_USER_STACK_LOST = 1 << 0,	  /* the user stack did not fit on the ring */
	EVENT_KERNEL_STACK_LOST = 1 << 1, /* the kernel stack did not fit on the ring */
	EVENT_KERNEL_MODE = 1 << 2,	  /* the CPU was in kernel mode at the event */
	EVENT_RUNNABLE = 1 << 3,	  /* off-CPU: was runnable, waited for a CPU */
	EVENT_BEFORE_START = 1 << 4,	  /* off-CPU: left the CPU before the recording began */
	EVENT_STILL_BLOCKED = 1 << 5,	  /* off-CPU: had not come back when the recording ended */
	EVENT_NEW_TASK = 1 << 6,	  /* off-CPU: created, had never run yet */
	EVENT_OLD_KNOWN = 1 << 7,	  /* breakpoint: old_value is valid */
	EVENT_NEW_KNOWN = 1 << 8,	  /* breakpoint: new_value is valid */
	EVENT_SITE_IS_ADDRESS =
		1 << 9,		  /* site is a code address, for user space to match (no cookies) */
	EVENT_CAPTURED = 1 << 10, /* values follow the event: plan.h */
	EVENT_ASKS_LENGTH =
		1 << 11, /* breakpoint: no event, but how long is the instruction? store.h */
};

/* Every record begins so. size counts the whole record in bytes. */
struct rec_head {
	__u64 time; /* ns, CLOCK_MONOTONIC */
	__u16 kind; /* enum rec_kind */
	__u16 size;
	__u16 cpu;
	__u16 flags; /* enum event_flag */
};

/*
 * In an address of a user stack: execution stands there, because a signal interrupted it, and does not
 * return there from a call. Of frame 0 that is known without saying.
 */
#define STACK_IP_EXACT (1ull << 63)

/* A stack that user space has not seen yet; depth addresses of 8 bytes follow it, leaf first. */
struct rec_stack {
	struct rec_head head;
	__u64 id;
	__u32 tgid; /* 0 for a kernel stack */
	__u16 depth;
	__u8 space; /* enum stack_space */
	__u8 end;   /* enum stack_end */
};

/* General registers as they travel: x86-64 has 16 of them, arm64 31, by DWARF's numbers. */
#define TRACER_REGISTERS 32
/* How much of a stack is copied, in bytes, and the page that is read at a time; the last may go beyond. */
#define TRACER_COPY_BYTES   32768
#define TRACER_COPY_PAGE    4096
#define TRACER_COPY_RETURNS 64
/* Copies that can be made on a CPU at once. */
#define COPY_SLOTS 2

/* A return address that a return probe has replaced: where it was, and what it was. */
struct replaced_return {
	__u64 at;
	__u64 address;
};

/*
 * A user stack that could not be walked in the kernel, because user space had not delivered the tables
 * yet: what the walk starts from, and the stack's memory. stack_bytes of `stack` are sent.
 */
struct rec_stack_copy {
	struct rec_head head;
	__u64 id;
	__u32 tgid;
	__u32 stack_bytes;
	__u16 return_count;
	__u16 at_entry; /* stands at a function's first instruction */
	__u16 max_stack;
	__u16 holes; /* pages of `stack`, from sp's on, that could not be read: a bit each */
	__u64 ip, sp, fp, link;
	__u64 trampoline; /* where return probes make functions return to; 0 nowhere */
	__u64 general[TRACER_REGISTERS];
	struct replaced_return returns[TRACER_COPY_RETURNS];
	__u8 stack[TRACER_COPY_BYTES + TRACER_COPY_PAGE]; /* from sp on */
};

/*
 * A probe's cookie: its number; above that how many bytes it lies behind the place that was meant; and its plan,
 * as map `plan_numbers` has it.
 */
#define PROBE_COOKIE_MOVED_SHIFT 32
#define PROBE_COOKIE_MOVED_MASK	 0xff
#define PROBE_COOKIE_PLAN_SHIFT	 40

/*
 * What all events share. Stack ids are 0 where there is no stack.
 * site: the number of the probed function or of the breakpoint among all sources' infos, or with EVENT_SITE_IS_ADDRESS the
 * address of the probed function or watched variable (kernels before 5.15 have no cookies).
 */
struct rec_event {
	struct rec_head head;
	__u32 tgid;
	__u32 tid;
	__u64 user_stack;
	__u64 kernel_stack;
	char comm[TRACER_COMM];
};

/* Ids are those of the initial pid namespace, as bpf_get_current_pid_tgid gives them. */
struct rec_sample {
	struct rec_event event;
};

struct rec_uprobe {
	struct rec_event event;
	__u64 site;
	__u64 arg[TRACER_ARGS]; /* integer argument registers of the C ABI, in order */
};

struct rec_uretprobe {
	struct rec_event event;
	__u64 site;
	__u64 ret;
};

struct rec_breakpoint {
	struct rec_event event;
	__u64 site;
	__u64 ip; /* as the CPU reports it: for data accesses on x86-64 the instruction after it, on arm64 its own */
	__u64 old_value;
	__u64 new_value;
	__u32 store_length; /* not 0: new_value is known if the instruction has so many bytes */
	__u32 reserved;
};

struct rec_offcpu {
	struct rec_event event;
	__u64 blocked_ns;
	__u32 state; /* TASK_* bits as the scheduler saw them at switch-out; 0 runnable */
	__u32 reserved;
};

/* A call that has returned. */
struct rec_latency {
	struct rec_event event;
	__u64 site;
	__u64 ret;
	__u64 ns; /* from its entry on */
};

/* Where captured values begin, behind an event of whatever kind: those that are shorter are filled up. */
#define REC_CAPTURED_AT 112

/* In-kernel aggregation: one counter for each distinct key. Fields that --by does not ask for are 0. */
struct count_key {
	__u64 user_stack;
	__u64 kernel_stack;
	__u64 site;
	__u64 cgroup;
	__u32 tgid;
	__u32 tid;
	__u16 cpu;
	__u16 flags; /* enum event_flag */
	__u32 kind;  /* enum rec_kind */
	char comm[TRACER_COMM];
};

struct count_value {
	__u64 count;
	__u64 ns; /* sum of the time blocked, or of the calls' durations */
};

/*
 * What a CPU has counted of the hits of one place where nothing else is asked: see bpf/alone.bpf.h. Once it is
 * somebody's it stays so.
 */
#define HIT_COUNTS 256 /* a power of two */

struct hit_count {
	__u64 site;
	__u64 started; /* by the kernel's clock, the process: its number may come again */
	__u32 tgid;
	__u32 tid; /* 0: any of the process */
	char comm[TRACER_COMM];
	__u64 count;
	__u32 claims; /* who wanted it: it is the first one's */
	__u32 ready;  /* all of it is written */
};

/* What hits say that come from one place only: their number, and that it is known. */
#define ONLY_SITE_KNOWN (1ull << 32)

/* A thread that is off the CPU, keyed by its tid. */
struct blocked {
	__u64 since; /* ns, CLOCK_MONOTONIC */
	__u64 user_stack;
	__u64 kernel_stack;
	__u32 tgid;
	__u16 flags; /* enum event_flag */
	__u16 cpu;
	__u32 state;
	__u32 reserved;
	__u64 cgroup;
};

/* On-CPU time of a thread as the scheduler saw it, keyed by tid. */
struct oncpu {
	__u64 since; /* ns, CLOCK_MONOTONIC; 0 while it is off the CPU */
	__u64 total; /* ns, finished stretches only */
	__u32 tgid;
	__u32 reserved;
	char comm[TRACER_COMM];
};

/* --latency: which calls are counted together. site as in events. */
struct latency_key {
	__u64 site;
	__u32 tgid;
	__u32 flags; /* EVENT_SITE_IS_ADDRESS */
};

struct latency_value {
	__u64 count, total_ns;
	__u64 unreturned; /* calls that were left without returning: longjmp, an exception, the thread's end */
	__u64 slots[LATENCY_SLOTS];
};

/* The longest call: one for each CPU and scratch slot, so that each has one writer. */
#define LATENCY_WRITERS 6
struct latency_max {
	__u64 ns[LATENCY_WRITERS];
};

/* The kernel's MAX_URETPROBE_DEPTH: a return beyond that many pending ones in a thread is not probed. */
#define RETURN_DEPTH 64

/* Calls of a thread that have not returned yet, the innermost last; keyed by its tid. */
struct pending_calls {
	__u32 tgid;
	__u32 depth;
	struct {
		__u64 sp; /* as it will be when the call has returned */
		__u64 since;
		__u64 site;
	} at[RETURN_DEPTH];
};

/* A watched address, keyed by it. */
struct watch {
	__u32 index;	   /* of the breakpoint among all sources' infos */
	__u32 length;	   /* bytes: 1, 2, 4 or 8 */
	__u32 reads_value; /* the variable's value is wanted: not for execution breakpoints */
	__u32 plan;	   /* as in map `plan_numbers` */
};

/* A watched variable's last known value, keyed by process and address. */
struct watch_key {
	__u64 addr;
	__u32 tgid;
	__u32 reserved;
};

/* What list_thread_pointers() says of each thread. */
struct thread_pointer {
	__u32 tgid, tid;
	__u64 pointer; /* fs base (x86-64), tpidr_el0 (arm64); 0: it has none yet */
};

/* Counters of the BPF side, one per-CPU array slot each. Every way of losing something has its own. */
enum tracer_stat {
	STAT_SEEN,		/* events that passed the filter */
	STAT_LOST_RING,		/* event dropped: ring full */
	STAT_LOST_SCRATCH,	/* event dropped: no scratch slot free (nested too deep) */
	STAT_LOST_RETURN_DEPTH, /* return not probed: too many pending in the thread (kernel's limit) */
	STAT_LOST_TASK_TABLE,	   /* off-CPU wait not measured: table of blocked threads full */
	STAT_STACK_LOST,	   /* stack dropped: ring full; its event says so */
	STAT_STACK_SENT,	   /* stacks sent */
	STAT_COUNT_SPILLED,	   /* counter table full: event sent as a record instead */
	STAT_TARGET_LOST,	   /* a child could not be followed: table of targets full */
	STAT_ONCPU_LOST,	   /* on-CPU time not measured: table full */
	STAT_SWITCH_UNSEEN,	   /* context switches the kernel did not report; see sched.bpf.c */
	STAT_USER_STACKS,	   /* user stacks walked */
	STAT_USER_STACKS_COMPLETE, /* those that came to the outermost frame */
	STAT_STACK_COPIES,	   /* stacks sent as a copy of their memory */
	STAT_CALLS_LOST,	   /* call not measured: table of threads or of histograms full */
	STAT_BELOW_MIN,		   /* off-CPU waits shorter than --off-cpu=MIN; not events */
	STAT_UNJUDGED,		   /* --if: left out, because what it asks for could not be read */
	STAT_MAX,
};

/* Which tasks are wanted: config.target_mode */
enum target_mode {
	TARGET_ALL,
	TARGET_PROCESSES, /* map `targets` holds tgids */
	TARGET_THREADS,	  /* map `targets` holds tids */
};

/* config.call_graph */
enum call_graph {
	CALL_GRAPH_NONE, /* frame 0, and the caller of an entry probe */
	CALL_GRAPH_FP,
	CALL_GRAPH_AUTO, /* unwind tables; frame pointers only in code without one */
};

/*
 * What the BPF programs are told before they are loaded. The verifier sees constants here, so what
 * is switched off costs nothing. The comment names the option that sets a field.
 */
struct tracer_config {
	__u32 target_mode;	/* enum target_mode: -p, -t, -a, COMMAND */
	__u32 inherit;		/* --no-inherit */
	__u32 cpu_filter;	/* -C: map `cpus` says which */
	__u32 use_ringbuf;	/* --buffer */
	__u32 wakeup_bytes;	/* -m: wake the reader when a ring holds more */
	__u32 aggregate;	/* folded, svg, --count: count in the kernel */
	__u32 keep_tid;		/* --by tid, --wall */
	__u32 keep_cpu;		/* --by cpu */
	__u32 keep_cgroup;	/* --by cgroup */
	__u32 call_graph;	/* enum call_graph: --call-graph */
	__u32 max_stack;	/* --max-stack, frames */
	__u32 user_stacks;	/* --kernel-only clears it */
	__u32 kernel_stacks;	/* --user-only clears it */
	__u32 off_cpu;		/* --off-cpu, --wall */
	__u32 wall;		/* --wall: on-CPU time by thread */
	__u64 off_cpu_min_ns;	/* --off-cpu=MIN */
	__u32 latency_events;	/* --latency: each call is an event, not only counted */
	__u32 has_plans;	/* --if, --args, and types of arguments that are known */
	__u32 predicates;	/* some plan has a predicate, */
	__u32 captures;		/* captures, */
	__u32 matches;		/* and some program of theirs matches strings */
	__u32 cookies;		/* the kernel has bpf_get_attach_cookie for these programs (5.15) */
	__u32 watch_count;	/* --breakpoint: addresses in map `watch_list` */
	__u32 watches_mappings; /* on_mmap (space.bpf.c) is attached */
	/* of arm64's return addresses the bits that are no authentication code */
	__u64 address_mask;
	/* [begin, end) of __schedule: a switched-out kernel stack starts there, not in our own program */
	__u64 schedule_begin;
	__u64 schedule_end;
};

_Static_assert(sizeof(struct rec_head) == 16, "wire");
_Static_assert(sizeof(struct rec_stack) == 32, "wire");
_Static_assert(sizeof(struct rec_stack_copy) == 1360 + TRACER_COPY_BYTES + TRACER_COPY_PAGE,
	       "wire");
_Static_assert(sizeof(struct rec_event) == 56, "wire");
/* With the 8 bytes that the ring puts before it: 64. */
_Static_assert(sizeof(struct rec_sample) == 56, "wire");
_Static_assert(sizeof(struct rec_uprobe) == REC_CAPTURED_AT, "wire: the longest");
_Static_assert(sizeof(struct rec_uretprobe) == 72, "wire");
_Static_assert(sizeof(struct rec_breakpoint) == 96, "wire");
_Static_assert(sizeof(struct rec_offcpu) == 72, "wire");
_Static_assert(sizeof(struct rec_latency) == 80, "wire");
_Static_assert(sizeof(struct latency_key) == 16, "wire");
_Static_assert(sizeof(struct count_key) == 64, "wire");
_Static_assert(sizeof(struct blocked) == 48, "wire");
_Static_assert(sizeof(struct hit_count) == 56, "wire");
_Static_assert(sizeof(struct oncpu) == 40, "wire");

#endif
