// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --check. Nothing is believed that was not seen to work: calls of our own are probed and counted, a
 * store of our own is watched, our own loop is sampled, our own sleep is measured.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/clock.h"
#include "base/log.h"
#include "check.h"
#include "process/object.h"
#include "process/tasks.h"
#include "record/from_bpf.h"
#include "self_calls.h"
#include "source/perf_open.h"
#include "source/self_test.h"
#include "source/uprobe_multi.h"
#include "source/plans.h"
#include "source/source.h"

#define CALLS 3

static void __attribute__((format(printf, 3, 4)))
row(const char *facility, const char *verdict, const char *format, ...)
{
	va_list arguments;

	printf("%-24s %-5s ", facility, verdict);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static void row_result(const char *facility, int err, const char *works, const char *remedy)
{
	if (!err)
		row(facility, "yes", "%s", works);
	else
		row(facility, "no", "%s%s%s", strerror(-err), *remedy ? ": " : "", remedy);
}

/* ---- what can be read off ------------------------------------------------------------------ */

static void check_sysctl(const char *name, const char *path, const char *meaning)
{
	char value[64] = "";
	FILE *file = fopen(path, "re");

	if (!file) {
		row(name, "-", "not on this kernel");
		return;
	}
	if (fgets(value, sizeof(value), file))
		value[strcspn(value, "\n")] = 0;
	fclose(file);
	row(name, "-", "%s (%s)", value, meaning);
}

static void check_system(void)
{
	struct utsname name;

	if (!uname(&name))
		row("kernel", "-", "%s %s", name.release, name.machine);
	check_sysctl("perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid",
		     "matters without cap_perfmon");
	check_sysctl("kptr_restrict", "/proc/sys/kernel/kptr_restrict",
		     "2 hides kernel symbols from everybody");
	check_sysctl("perf_event_max_stack", "/proc/sys/kernel/perf_event_max_stack",
		     "frames of a kernel stack");
	check_sysctl("max_sample_rate", "/proc/sys/kernel/perf_event_max_sample_rate",
		     "Hz, for --profile=HZ");
	check_sysctl("unprivileged_bpf", "/proc/sys/kernel/unprivileged_bpf_disabled",
		     "0 is on, 1 and 2 off");
	check_sysctl("lockdown", "/sys/kernel/security/lockdown",
		     "confidentiality forbids reading memory from BPF");
}

static void check_capabilities(void)
{
	const cap_value_t wanted[] = { CAP_BPF,	       CAP_PERFMON,	    CAP_SYS_ADMIN,
				       CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_SYSLOG };
	char missing[256];

	if (caps_missing(wanted, sizeof(wanted) / sizeof(wanted[0]), missing, sizeof(missing)))
		row("capabilities", "no",
		    "missing %s: run as root, or see setcap(8) (cap_bpf and cap_perfmon: anything at all; "
		    "cap_sys_admin: uprobes on newer kernels; cap_syslog: names of kernel functions)",
		    missing);
	else
		row("capabilities", "yes", "all that recording can use");
}

static void check_btf(void)
{
	int err = access("/sys/kernel/btf/vmlinux", R_OK) ? -errno : 0;

	row_result("BTF", err, "/sys/kernel/btf/vmlinux",
		   "a kernel with CONFIG_DEBUG_INFO_BTF=y is needed");
}

/* ---- what is tried without BPF ------------------------------------------------------------- */

static void check_breakpoints(void)
{
	int err = self_test_breakpoint();

	if (err == -ENODEV)
		row("breakpoints", "no",
		    "can be set, but a store of our own did not fire one: the hypervisor hides "
		    "the debug registers?");
	else
		row_result("breakpoints", err, "every store of our own fired",
			   "see perf_event_paranoid");
}

static void check_cycles(void)
{
	int err = self_test_cycles();

	if (err == -ENODEV)
		row("hardware counters", "no",
		    "cycles can be opened, but do not count; --profile uses cpu-clock");
	else
		row_result("hardware counters", err, "cycles count",
			   "no PMU here? --profile uses cpu-clock");
}

/* ---- what is tried with the programs ------------------------------------------------------- */

struct check {
	struct bpf_side bpf;
	struct target target;
	struct cpulist cpus;
	uint64_t records[REC_KIND_MAX];
	uint64_t right_arguments;
};

static int take_record(void *context, const void *data, size_t size)
{
	struct check *check = context;
	struct record record;

	if (record_from_bpf(data, size, &record))
		return -EBADMSG;
	if (record.kind != RECORD_EVENT)
		return 0;
	check->records[record.event.kind]++;
	if (record.event.kind == REC_UPROBE && record.event.arg[0] == SELF_ARGUMENT)
		check->right_arguments++;
	if (record.event.kind == REC_URETPROBE && record.event.arg[0] == SELF_RESULT)
		check->right_arguments++;
	return 0;
}

/* We record ourselves here, which no recording does: the programs are told to know nobody as the tracer. */
static int load_for_self(struct check *check, const struct source_ops *ops, struct source *source,
			 bool use_ringbuf)
{
	struct plans none = {}; /* nothing is asked of these events, nor recorded with them */
	struct source_context context = { .bpf = &check->bpf,
					  .plans = &none,
					  .target = &check->target,
					  .cpus = &check->cpus,
					  .frequency = 99,
					  .inherit = true };
	struct tracer_config *config;
	uint32_t own_tgid;
	int err = bpf_side_open(&check->bpf);

	if (err)
		return err;
	config = bpf_side_config(&check->bpf);
	config->target_mode = TARGET_PROCESSES;
	config->call_graph = CALL_GRAPH_FP;
	config->max_stack = 127;
	config->user_stacks = config->kernel_stacks = 1;
	config->off_cpu = ops == &source_sched;
	source->ops = ops;
	err = ops->prepare(source, &context);
	if (!err)
		err = bpf_side_load(&check->bpf, use_ringbuf, 256 * 1024);
	if (!err)
		err = bpf_side_learn(&check->bpf, &own_tgid);
	if (!err)
		err = bpf_side_record_self(&check->bpf);
	if (!err)
		err = ops->attach(source, &context);
	if (!err)
		bpf_side_start(&check->bpf, clock_now());
	return err;
}

typedef void (*action_fn)(void);

/* Records ourselves doing something. 0 when it could be set up; what came is in check->records. */
static int try_source(struct check *check, const struct source_ops *ops,
		      const struct probe_option *option, bool use_ringbuf, action_fn action)
{
	struct source source = { .option = option };
	int err;

	memset(check->records, 0, sizeof(check->records));
	check->right_arguments = 0;
	err = load_for_self(check, ops, &source, use_ringbuf);
	if (!err) {
		action();
		bpf_side_stop(&check->bpf);
		source.ops->detach(&source);
		err = bpf_side_consume(&check->bpf, take_record, check);
		err = err < 0 ? err : 0;
	}
	if (source.ops)
		source.ops->close(&source);
	free(source.info.name);
	bpf_side_close(&check->bpf);
	return err;
}

static void act_call(void)
{
	for (int i = 0; i < CALLS; i++)
		self_call(SELF_ARGUMENT);
}

static uint64_t cpu_time(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec;
}

/* Runs until samples must have come: for many timer periods of CPU time. */
static void act_spin(void)
{
	uint64_t until = cpu_time() + NSEC_PER_SEC / 5;

	while (cpu_time() < until)
		;
}

static long times_blocked(void)
{
	struct rusage usage = {};

	getrusage(RUSAGE_THREAD, &usage); /* has no reason to fail */
	return usage.ru_nvcsw;
}

/* A sleep whose time is over before the CPU is left, as on a machine that stalls, blocks nobody. */
static void act_sleep(void)
{
	const struct timespec brief = { .tv_nsec = 1000 * 1000 };
	long before = times_blocked();

	while (times_blocked() - before < CALLS)
		nanosleep(&brief, NULL);
}

static void row_tried(const char *facility, int err, bool seen, const char *works,
		      const char *silent)
{
	if (err == -EPERM || err == -EACCES)
		row(facility, "no", "%s (newer kernels want cap_sys_admin for uprobes)",
		    strerror(-err));
	else if (err)
		row(facility, "no", "%s", strerror(-err));
	else if (seen)
		row(facility, "yes", "%s", works);
	else
		row(facility, "no", "%s", silent);
}

static bool check_probe(struct check *check, enum probe_kind kind, bool use_ringbuf,
			const char *facility)
{
	struct probe_option option = { .kind = kind,
				       .text = (char *)"--check",
				       .binary = (char *)"/proc/self/exe",
				       .symbol = (char *)"self_call" };
	enum rec_kind record = kind == PROBE_UPROBE ? REC_UPROBE : REC_URETPROBE;
	int err = try_source(check, &source_uprobe, &option, use_ringbuf, act_call);
	bool seen = check->records[record] == CALLS && check->right_arguments == CALLS;

	row_tried(facility, err, seen, "every call of our own was seen, with its value",
		  "attached, but calls of our own were not all seen");
	return !err && seen;
}

static void check_many_probes(void)
{
	int err = uprobe_multi_try();

	if (!err)
		row("uprobes, many", "yes", "all at once (uprobe_multi)");
	else if (err == -EPERM)
		row("uprobes, many", "no", "%s", strerror(-err));
	else
		row("uprobes, many", "no",
		    "one by one: 1,000 take seconds (uprobe_multi is in Linux 6.6 and later)");
}

static void check_sources(struct check *check)
{
	int err = try_source(check, &source_sample, NULL, true, act_spin);

	row_tried("sampling", err, check->records[REC_SAMPLE] > 0, "our own loop was sampled",
		  "attached, but our own loop was not sampled");
	err = try_source(check, &source_sched, NULL, true, act_sleep);
	row_tried("scheduler tracepoints", err, check->records[REC_OFFCPU] >= CALLS,
		  "our own sleeps were measured", "attached, but our own sleeps were not seen");
}

static int check_programs(void)
{
	struct check check = {};
	bool ringbuf, perf;
	int err = cpulist_online(&check.cpus);

	check.target.mode = TARGET_PROCESSES;
	if (err)
		return EXIT_FAILURE;
	ringbuf = check_probe(&check, PROBE_UPROBE, true, "uprobes, ring buffer");
	perf = check_probe(&check, PROBE_UPROBE, false, "uprobes, perf buffer");
	check_probe(&check, PROBE_URETPROBE, ringbuf, "uretprobes");
	check_many_probes();
	check_sources(&check);
	cpulist_free(&check.cpus);
	return ringbuf || perf ? EXIT_SUCCESS : EXIT_FAILURE;
}

int check_run(const struct options *options)
{
	int status;

	bpf_side_set_verbosity(options->verbose);
	check_system();
	check_capabilities();
	check_btf();
	check_cycles();
	check_breakpoints();
	fflush(stdout);
	status = check_programs();
	return status;
}
