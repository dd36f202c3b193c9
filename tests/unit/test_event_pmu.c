// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events of PMUs as -e takes them, on made-up machines: by terms and by name; CPUs of arm64 and of two kinds. */
#include "event_reading.h"

/* Terms, which a PMU says where to put. */
static const struct reading cpu_terms[] = {
	{ "cpu/event=0x3c/", "4:0x3c cpu" },
	{ "cpu/event=0x1ff,umask=2/u", "4:0x1000002ff !k !h cpu" },
	{ "cpu/event=0xfff/", "4:0xf000000ff cpu" },
	{ "cpu/edge,inv,cmask=1/", "4:0x1840000 cpu" },
	{ "cpu/ldlat=0x1e/", "4:0x0 config1=0x1e cpu" },
	{ "cpu/filter=15/", "4:0x0 config2=0x8000000000000310 cpu" },
	{ "cpu/filter=8/", "4:0x0 config2=0x8000000000000000 cpu" },
	{ "cpu/offcore_rsp=0xffffffffffffffff/", "4:0x0 config1=0xffffffffffffffff cpu" },
	{ "cpu/config=5,config1=6,config2=7/", "4:0x5 config1=0x6 config2=0x7 cpu" },
	{ "cpu/config3=8/", "4:0x0 config3=0x8 size136 cpu" },
	{ "cpu/config=0x100,event=0x3c/", "4:0x13c cpu" },
	{ "cpu/r1a8/", "4:0x1a8 cpu" },
	{ "cpu/umask=1,umask=1/", "4:0x100 cpu" },
	{ "cpu//", "4:0x0 cpu" },
};

/* Events that a PMU names, and others' names within it. */
static const struct reading cpu_names[] = {
	{ "cpu/cpu-cycles/", "4:0x3c cpu" },
	{ "cpu/cycles/", "4:0x3c cpu" },
	{ "cpu/event=cpu-cycles/", "4:0x3c cpu" },
	{ "cpu/branches/k", "4:0xc4 !u !h guest cpu" },
	{ "cpu/bus-cycles/", "0:0x6 cpu" },
	{ "cpu/LLC-load-misses,name=llc/", "<llc> 3:0x10002 cpu" },
	{ "cpu/mem-loads/P", "4:0x1cd config1=0x3 guest P cpu" },
	{ "cpu/ldlat=30,mem-loads/P", "4:0x1cd config1=0x1e guest P cpu" },
	{ "cpu/topdown-retiring/", "4:0x8000 cpu *2" },
	{ "cpu/uops/", "4:0x10284010e cpu" },
	{ "mem-loads:u", "4:0x1cd config1=0x3 !k !h cpu" },
	{ "topdown-retiring", "4:0x8000 cpu *2" },
	{ "mem-loads/period=100/u", "4:0x1cd config1=0x3 !k !h period100 cpu" },
};

/* PMUs that are not the CPU's: shared ones are opened for each of a kind, where their cpumask says. */
static const struct reading other_pmus[] = {
	{ "tsc", "206:0x0 msr" },
	{ "energy-pkg", "204:0x2 power@0 *2.32831e-10Joules" },
	{ "power/energy-pkg/", "204:0x2 power@0 *2.32831e-10Joules" },
	{ "uncore_imc_1/clockticks/", "202:0xff uncore_imc_1@0" },
	{ "uncore_imc/clockticks/",
	  "<uncore_imc_0/clockticks/> 201:0xff uncore_imc_0@0; <uncore_imc_1/clockticks/> 202:0xff uncore_imc_1@0" },
	{ "imc/event=1/",
	  "<uncore_imc_0/event=1/> 201:0x1 uncore_imc_0@0; <uncore_imc_1/event=1/> 202:0x1 uncore_imc_1@0" },
	{ "uncore_*/event=1/u",
	  "<uncore_cha/event=1/u> 203:0x1 !k !h uncore_cha@0,1; <uncore_imc_0/event=1/u> 201:0x1 !k !h uncore_imc_0@0; <uncore_imc_1/event=1/u> 202:0x1 !k !h uncore_imc_1@0" },
	{ "cas_count_read", "201:0x304 uncore_imc_0@0 *6.10352e-05MiB; 202:0x304 uncore_imc_1@0" },
	{ "cha/requests,tid=5/",
	  "<uncore_cha/requests,tid=5/> 203:0x50 config1=0x5 uncore_cha@0,1" },
	{ "intel_pt/tsc,psb_period=3/u", "205:0x3000400 !k !h intel_pt" },
};

/* Terms that are unknown, or do not fit. */
static const struct error bad_values[] = {
	{ "cpu/event=0x1000/",
	  "at character 5, 'event=0x1000': 0x1000 does not fit into event, whose largest value is 0xfff" },
	{ "cpu/edge=2/", "largest value is 0x1" },
	{ "cpu/umsk=1/",
	  "cpu has no term umsk; near it: umask or cmask; its terms: cmask edge event" },
	{ "cpu/umsk=1/", "--list events shows the 6 that cpu names" },
	{ "cpu/mem-load/", "near it: mem-loads" },
	{ "cpu/umask=x/", "'x' is no number" },
	{ "cpu/umask=1,umask=2/", "umask was given another value before" },
};

/* What is no list of terms. */
static const struct error bad_forms[] = {
	{ "cpu/cycles,instructions/", "there is another event before" },
	{ "cpu/umask=/", "no value behind '='" },
	{ "cpu/=1/", "there is no term" },
	{ "cpu/umask,,edge/", "there is no term" },
	{ "cpu/umask=1", "the second '/' is missing" },
	{ "cpu/name='x/", "a ' is not closed" },
};

/* Events that are not there. */
static const struct error bad_names[] = {
	{ "cpu", "this is a PMU; its events are cpu/TERM=VALUE,.../" },
	{ "cpu/iTLB-stores/", "this cache has loads, no stores or prefetches" },
	{ "cqu/event=1/", "the PMUs of this machine: breakpoint cpu intel_pt msr" },
	{ "cqu/event=1/", "near it: cpu" },
	{ "clockticks", "say uncore_cha/clockticks/ or uncore_imc_0/clockticks/" },
	{ "cha/requests/", "requests needs tid=NUMBER" },
	{ "power/cycles/", "power has no term cycles" },
	{ "mem-lods", "near it: mem-loads" },
	{ "energy-pkg.unit", "no such event" },
	{ "r", "no such event" },
	{ "rg", "no such event" },
	{ "r10000000000000000", "no such event" },
	{ "4294967296:1", "no type of events" },
	{ "4:x", "no number of an event" },
	{ "L1-icache-stores", "no stores" },
	{ "LLC-", "no such event" },
	{ "LLC-loads-stores", "no such event" },
};

static void pmu_events(void **state)
{
	const struct machine *machine = *state;

	check_readings(&machine->roots, cpu_terms, COUNT(cpu_terms));
	check_readings(&machine->roots, cpu_names, COUNT(cpu_names));
	check_readings(&machine->roots, other_pmus, COUNT(other_pmus));
	check_errors(&machine->roots, bad_values, COUNT(bad_values));
	check_errors(&machine->roots, bad_forms, COUNT(bad_forms));
	check_errors(&machine->roots, bad_names, COUNT(bad_names));
}

static void arm64(void **state)
{
	static const struct reading cases[] = {
		{ "cycles", "0:0x0" },
		{ "armv8_pmuv3_0/event=0x11,long/", "211:0x11 config1=0x1 armv8_pmuv3_0@0,1" },
		{ "armv8_pmuv3/cpu_cycles/",
		  "<armv8_pmuv3_0/cpu_cycles/> 211:0x11 armv8_pmuv3_0@0,1" },
		{ "armv8_pmuv3/cycles/", "<armv8_pmuv3_0/cycles/> 0:0x0 armv8_pmuv3_0@0,1" },
		{ "cpu_cycles:u", "211:0x11 !k !h armv8_pmuv3_0@0,1" },
		{ "{cycles,l1d_cache_refill}",
		  "<cycles> 0:0x0 group1; <l1d_cache_refill> 211:0x3 member group1 armv8_pmuv3_0@0,1" },
		{ "arm_spe/ts_enable=1,min_latency=0xfff/",
		  "<arm_spe_0/ts_enable=1,min_latency=0xfff/> 212:0x1 config2=0xfff arm_spe_0@0,1" },
		{ "arm_spe_0/inv_event_filter=2/", "212:0x0 config3=0x2 size136 arm_spe_0@0,1" },
	};
	static const struct error errors[] = {
		{ "arm_spe_0/future=1/", "arm_spe_0 has no term future" },
		{ "arm_dsu_0/event=1/", "no CPU is online that arm_dsu_0 can be read on" },
		{ "sched:sched_switch", "tracing/events: No such file or directory" },
		{ "{arm_spe_0//,cs}:S", "arm_spe_0// cannot" },
	};
	struct machine machine;

	(void)state;
	machine_new(&machine, tree_arm64);
	check_readings(&machine.roots, cases, COUNT(cases));
	check_errors(&machine.roots, errors, COUNT(errors));
	machine_free(&machine);
}

static void hybrid(void **state)
{
	static const struct reading cases[] = {
		{ "cs", "1:0x3" },
		{ "cycles:u", "<cpu_atom/cycles:u/> 0:0xdd00000000 !k !h cpu_atom@1; "
			      "<cpu_core/cycles:u/> 0:0x400000000 !k !h cpu_core@0" },
		{ "LLC-loads/name=llc/",
		  "<llc> 3:0xdd00000002 cpu_atom@1; <llc> 3:0x400000002 cpu_core@0" },
		{ "r3c", "<cpu_atom/r3c/> 221:0x3c cpu_atom@1; <cpu_core/r3c/> 4:0x3c cpu_core@0" },
		{ "cpu_atom/cycles/", "221:0x3c cpu_atom@1" },
		{ "cpu_core/instructions/", "0:0x400000001 cpu_core@0" },
		{ "cycles/period=5/k",
		  "<cpu_atom/cycles,period=5/k> 0:0xdd00000000 !u !h guest period5 cpu_atom@1; "
		  "<cpu_core/cycles,period=5/k> 0:0x400000000 !u !h guest period5 cpu_core@0" },
		{ "slots", "4:0x400 cpu_core@0" },
		{ "cpu-cycles", "<cpu_atom/cpu-cycles/> 0:0xdd00000000 cpu_atom@1; "
				"<cpu_core/cpu-cycles/> 0:0x400000000 cpu_core@0" },
		{ "{cycles,cs}",
		  "<cpu_atom/cycles/> 0:0xdd00000000 group1 cpu_atom@1; <cs> 1:0x3 member group1; "
		  "<cpu_core/cycles/> 0:0x400000000 group2 cpu_core@0; <cs> 1:0x3 member group2" },
		{ "{cpu_core/slots/,cpu_core/instructions/}",
		  "<cpu_core/slots/> 4:0x400 group1 cpu_core@0; "
		  "<cpu_core/instructions/> 0:0x400000001 member group1 cpu_core@0" },
	};
	static const struct error errors[] = {
		{ "{cpu_core/cycles/,cpu_atom/cycles/}",
		  "cpu_core/cycles/ is counted by the PMU cpu_core and cpu_atom/cycles/ by cpu_atom" },
		{ "{cycles,cpu_core/slots/}", "so they need a group each" },
	};
	struct machine machine;

	(void)state;
	machine_new(&machine, tree_hybrid);
	check_readings(&machine.roots, cases, COUNT(cases));
	check_errors(&machine.roots, errors, COUNT(errors));
	machine_free(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmu_events),
		cmocka_unit_test(arm64),
		cmocka_unit_test(hybrid),
	};

	return cmocka_run_group_tests_name("events", tests, make_machine, remove_machine);
}
