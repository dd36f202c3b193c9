/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Made-up machines for the tests of events: what sysfs and tracefs hold of PMUs and tracepoints. The
 * types of their PMUs are numbers that no kernel gives, so that perf can be asked about them too and opens
 * none of them.
 */
#ifndef TRACER_EVENT_TREE_H
#define TRACER_EVENT_TREE_H

#include "test_folder.h"

#include "event/event.h"

#define TREE_DEVICES "sys/bus/event_source/devices/"

struct tree_file {
	const char *path, *text;
};

/* Like a server of x86-64. */
static const struct tree_file tree_x86[] = {
	{ TREE_DEVICES "software/type", "1\n" },
	{ TREE_DEVICES "tracepoint/type", "2\n" },
	{ TREE_DEVICES "breakpoint/type", "5\n" },
	{ TREE_DEVICES "cpu/type", "4\n" },
	{ TREE_DEVICES "cpu/format/event", "config:0-7,32-35\n" },
	{ TREE_DEVICES "cpu/format/umask", "config:8-15\n" },
	{ TREE_DEVICES "cpu/format/edge", "config:18\n" },
	{ TREE_DEVICES "cpu/format/inv", "config:23\n" },
	{ TREE_DEVICES "cpu/format/cmask", "config:24-31\n" },
	{ TREE_DEVICES "cpu/format/ldlat", "config1:0-15\n" },
	{ TREE_DEVICES "cpu/format/offcore_rsp", "config1:0-63\n" },
	{ TREE_DEVICES "cpu/format/filter", "config2:4,8-9,63\n" },
	{ TREE_DEVICES "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ TREE_DEVICES "cpu/events/instructions", "event=0xc0\n" },
	{ TREE_DEVICES "cpu/events/branch-instructions", "event=0xc4\n" },
	{ TREE_DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ TREE_DEVICES "cpu/events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ TREE_DEVICES "cpu/events/topdown-retiring.scale", "2\n" },
	{ TREE_DEVICES "cpu/events/uops", "event=0x10e,umask=0x1,cmask=2,inv,edge\n" },
	{ TREE_DEVICES "uncore_imc_0/type", "201\n" },
	{ TREE_DEVICES "uncore_imc_0/cpumask", "0\n" },
	{ TREE_DEVICES "uncore_imc_0/format/event", "config:0-7\n" },
	{ TREE_DEVICES "uncore_imc_0/format/umask", "config:8-15\n" },
	{ TREE_DEVICES "uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ TREE_DEVICES "uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n" },
	{ TREE_DEVICES "uncore_imc_0/events/cas_count_read.unit", "MiB\n" },
	{ TREE_DEVICES "uncore_imc_0/events/clockticks", "event=0xff\n" },
	{ TREE_DEVICES "uncore_imc_1/type", "202\n" },
	{ TREE_DEVICES "uncore_imc_1/cpumask", "0\n" },
	{ TREE_DEVICES "uncore_imc_1/format/event", "config:0-7\n" },
	{ TREE_DEVICES "uncore_imc_1/format/umask", "config:8-15\n" },
	{ TREE_DEVICES "uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ TREE_DEVICES "uncore_imc_1/events/clockticks", "event=0xff\n" },
	{ TREE_DEVICES "uncore_cha/type", "203\n" },
	{ TREE_DEVICES "uncore_cha/cpumask", "0-1\n" },
	{ TREE_DEVICES "uncore_cha/format/event", "config:0-7\n" },
	{ TREE_DEVICES "uncore_cha/format/tid", "config1:0-8\n" },
	{ TREE_DEVICES "uncore_cha/events/clockticks", "event=0x00\n" },
	{ TREE_DEVICES "uncore_cha/events/requests", "event=0x50,tid=?\n" },
	{ TREE_DEVICES "power/type", "204\n" },
	{ TREE_DEVICES "power/cpumask", "0\n" },
	{ TREE_DEVICES "power/format/event", "config:0-7\n" },
	{ TREE_DEVICES "power/events/energy-pkg", "event=0x02\n" },
	{ TREE_DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ TREE_DEVICES "power/events/energy-pkg.unit", "Joules\n" },
	{ TREE_DEVICES "intel_pt/type", "205\n" },
	{ TREE_DEVICES "intel_pt/format/pt", "config:0\n" },
	{ TREE_DEVICES "intel_pt/format/tsc", "config:10\n" },
	{ TREE_DEVICES "intel_pt/format/psb_period", "config:24-27\n" },
	{ TREE_DEVICES "msr/type", "206\n" },
	{ TREE_DEVICES "msr/format/event", "config:0-63\n" },
	{ TREE_DEVICES "msr/events/tsc", "event=0x00\n" },
	{ TREE_DEVICES "msr/events/aperf", "event=0x01\n" },
	{ "tracing/events/sched/sched_switch/id", "301\n" },
	{ "tracing/events/sched/sched_switch/format", "name: sched_switch\nID: 301\nformat:\n" },
	{ "tracing/events/sched/sched_wakeup/id", "302\n" },
	{ "tracing/events/sched/sched_wakeup/format", "name: sched_wakeup\nID: 302\nformat:\n" },
	{ "tracing/events/sched/enable", "0\n" },
	{ "tracing/events/sched/filter", "none\n" },
	{ "tracing/events/irq/softirq_entry/id", "303\n" },
	{ "tracing/events/irq/softirq_entry/format", "name: softirq_entry\nID: 303\nformat:\n" },
	{ "tracing/events/enable", "0\n" },
	{ NULL, NULL },
};

/* Like a small arm64 machine with one kind of CPUs. */
static const struct tree_file tree_arm64[] = {
	{ TREE_DEVICES "software/type", "1\n" },
	{ TREE_DEVICES "breakpoint/type", "5\n" },
	{ TREE_DEVICES "armv8_pmuv3_0/type", "211\n" },
	{ TREE_DEVICES "armv8_pmuv3_0/cpus", "0-1\n" },
	{ TREE_DEVICES "armv8_pmuv3_0/format/event", "config:0-15\n" },
	{ TREE_DEVICES "armv8_pmuv3_0/format/long", "config1:0\n" },
	{ TREE_DEVICES "armv8_pmuv3_0/format/rdpmc", "config1:1\n" },
	{ TREE_DEVICES "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n" },
	{ TREE_DEVICES "armv8_pmuv3_0/events/l1d_cache_refill", "event=0x0003\n" },
	{ TREE_DEVICES "arm_spe_0/type", "212\n" },
	{ TREE_DEVICES "arm_spe_0/cpumask", "0-1\n" },
	{ TREE_DEVICES "arm_spe_0/format/ts_enable", "config:0\n" },
	{ TREE_DEVICES "arm_spe_0/format/event_filter", "config1:0-63\n" },
	{ TREE_DEVICES "arm_spe_0/format/min_latency", "config2:0-11\n" },
	{ TREE_DEVICES "arm_spe_0/format/inv_event_filter", "config3:0-63\n" },
	{ TREE_DEVICES "arm_spe_0/format/future", "config9:0-3\n" },
	{ TREE_DEVICES "arm_dsu_0/type", "213\n" },
	{ TREE_DEVICES "arm_dsu_0/cpumask", "\n" },
	{ TREE_DEVICES "arm_dsu_0/format/event", "config:0-31\n" },
	{ NULL, NULL },
};

/* CPUs of two kinds. */
static const struct tree_file tree_hybrid[] = {
	{ TREE_DEVICES "software/type", "1\n" },
	{ TREE_DEVICES "cpu_core/type", "4\n" },
	{ TREE_DEVICES "cpu_core/cpus", "0\n" },
	{ TREE_DEVICES "cpu_core/format/event", "config:0-7\n" },
	{ TREE_DEVICES "cpu_core/format/umask", "config:8-15\n" },
	{ TREE_DEVICES "cpu_core/events/cpu-cycles", "event=0x3c\n" },
	{ TREE_DEVICES "cpu_core/events/slots", "event=0x00,umask=0x4\n" },
	{ TREE_DEVICES "cpu_atom/type", "221\n" },
	{ TREE_DEVICES "cpu_atom/cpus", "1\n" },
	{ TREE_DEVICES "cpu_atom/format/event", "config:0-7\n" },
	{ TREE_DEVICES "cpu_atom/format/umask", "config:8-15\n" },
	{ TREE_DEVICES "cpu_atom/events/cpu-cycles", "event=0x3c\n" },
	{ NULL, NULL },
};

/* Makes the files below a folder. */
__attribute__((unused)) static void tree_make(const char *folder, const struct tree_file *files)
{
	for (; files->path; files++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", folder, files->path);
		for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
		     slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			assert_true(mkdir(path, 0755) == 0 || access(path, X_OK) == 0);
			*slash = '/';
		}
		write_file(folder, files->path, files->text);
	}
}

struct machine {
	char *folder, *sysfs, *tracefs;
	struct event_roots roots;
};

__attribute__((unused)) static void machine_new(struct machine *machine,
						const struct tree_file *files)
{
	machine->folder = folder_new();
	tree_make(machine->folder, files);
	assert_true(asprintf(&machine->sysfs, "%s/sys", machine->folder) > 0);
	assert_true(asprintf(&machine->tracefs, "%s/tracing", machine->folder) > 0);
	machine->roots = (struct event_roots){ machine->sysfs, machine->tracefs };
}

__attribute__((unused)) static void machine_free(struct machine *machine)
{
	folder_remove(machine->folder);
	free(machine->sysfs);
	free(machine->tracefs);
}

/* For cmocka: *state is a machine for the group of tests. */
static inline int make_machine(void **state)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	assert_non_null(machine);
	machine_new(machine, tree_x86);
	*state = machine;
	return 0;
}

static inline int remove_machine(void **state)
{
	machine_free(*state);
	free(*state);
	return 0;
}

#endif
