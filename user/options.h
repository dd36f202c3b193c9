/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * argv to one const struct. Only syntax is checked here; whether a file or pid exists is the
 * sources' business.
 */
#ifndef TRACER_OPTIONS_H
#define TRACER_OPTIONS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../bpf/tracer.h"
#include "base/cpulist.h"
#include "output/output.h"
#include "aim/probe_spec.h"

enum run_mode {
	MODE_RECORD,
	MODE_STAT,
	MODE_REPLAY,
	MODE_CHECK,
	MODE_LIST,
	MODE_HELP,
	MODE_VERSION,
};

enum engine { ENGINE_AUTO, ENGINE_BPF, ENGINE_PERF };
enum buffer { BUFFER_AUTO, BUFFER_RINGBUF, BUFFER_PERF };

/* Exit status for a wrong command line. */
#define EXIT_USAGE 2

enum list_kind { LIST_FUNCTIONS, LIST_VARIABLES, LIST_USDT, LIST_EVENTS };

struct options {
	enum run_mode mode;
	unsigned verbose;
	/* sources */
	bool profile, off_cpu, wall; /* wall is both: the other two are not set beside it */
	uint32_t frequency;	     /* Hz: --profile=HZ, --wall=HZ or -F, default 99 */
	uint64_t period;	     /* -c: events between samples; 0: by frequency */
	uint64_t off_cpu_min_ns;     /* --off-cpu=MIN */
	char **events;		     /* -e, each as it was given; owned */
	size_t event_count;
	struct probe_option *probes;
	size_t probe_count;
	/* target */
	pid_t *pids;
	size_t pid_count;
	pid_t *tids;
	size_t tid_count;
	struct cpulist cpus; /* -C; count 0: all */
	bool all;	     /* -a (may go with a command), and the default without any target */
	bool inherit;
	bool per_thread; /* --per-thread */
	char **cgroups;	 /* -G: paths below the hierarchy's mount; owned */
	size_t cgroup_count;
	char **command; /* NULL-terminated, points into argv; NULL when none */
	/* bounds */
	uint64_t duration_ns; /* -d; 0 unbounded */
	uint64_t interval_ns; /* --interval; 0: one report, at the end */
	uint64_t max_events;  /* 0 unbounded */
	/* stacks */
	enum call_graph call_graph;
	uint32_t max_stack;	/* frames */
	uint64_t unwind_memory; /* --unwind-mem: bytes */
	bool user_only, kernel_only;
	bool print_stacks;   /* -g */
	bool exact_address;  /* --exact-address: of probes */
	uint32_t max_string; /* --max-string: characters recorded of one */
	/* output */
	char *output_path; /* -o; NULL: stdout, as is "-" */
	const struct output_ops *format;
	enum count_by by;
	/* buffers */
	uint64_t buffer_bytes; /* -m, per CPU, a power of two of at least one page */
	enum engine engine;
	enum buffer buffer;
	bool buffer_given;
	bool buffer_grows; /* -m auto */
	/* --list functions|variables BIN [PATTERN], --list events [PATTERN] */
	enum list_kind list;
	char *list_binary;
	char *list_pattern; /* NULL: all */
	bool overwrite;	    /* --overwrite */
	char **triggers;    /* --dump-on, each as it was given; owned */
	size_t trigger_count;
	uint64_t aux_bytes; /* --aux-size: of an AUX area, a power of two of pages; 0: not said */
	bool aux_snapshot;  /* --snapshot */
	char *replay_path;  /* --replay; "-": stdin */
	char *title;	    /* the command line, for outputs */
};

/*
 * Parses argv. 0; or -EINVAL after it has printed the usage error on stderr (exit status 2); or
 * -ENOMEM after a message. The result is owned: options_free(); after an error it is empty.
 */
int options_parse(int argc, char **argv, struct options *options);
void options_free(struct options *options);
/* --help, to stdout. */
void options_print_help(void);

#endif
