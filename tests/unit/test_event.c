// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events as -e takes them, on made-up machines: each spelling, and each refusal. Those of PMUs: test_event_pmu.c. */
#include "event_reading.h"

static void generic_events(void **state)
{
	static const struct reading cases[] = {
		{ "cycles", "0:0x0" },
		{ "cpu-cycles", "0:0x0" },
		{ "instructions", "0:0x1" },
		{ "cache-references", "0:0x2" },
		{ "cache-misses", "0:0x3" },
		{ "branches", "0:0x4" },
		{ "branch-instructions", "0:0x4" },
		{ "branch-misses", "0:0x5" },
		{ "bus-cycles", "0:0x6" },
		{ "idle-cycles-frontend", "0:0x7" },
		{ "stalled-cycles-frontend", "0:0x7" },
		{ "idle-cycles-backend", "0:0x8" },
		{ "stalled-cycles-backend", "0:0x8" },
		{ "ref-cycles", "0:0x9" },
		{ "cpu-clock", "1:0x0" },
		{ "task-clock", "1:0x1" },
		{ "faults", "1:0x2" },
		{ "page-faults", "1:0x2" },
		{ "cs", "1:0x3" },
		{ "context-switches", "1:0x3" },
		{ "migrations", "1:0x4" },
		{ "cpu-migrations", "1:0x4" },
		{ "minor-faults", "1:0x5" },
		{ "major-faults", "1:0x6" },
		{ "alignment-faults", "1:0x7" },
		{ "emulation-faults", "1:0x8" },
		{ "dummy", "1:0x9" },
		{ "bpf-output", "1:0xa" },
		{ "cgroup-switches", "1:0xb" },
		{ "L1-dcache-loads", "3:0x0" },
		{ "L1-dcache-load-misses", "3:0x10000" },
		{ "L1-dcache-misses-load", "3:0x10000" },
		{ "l1d-store", "3:0x100" },
		{ "l1-i-speculative-read-miss", "3:0x10201" },
		{ "L1-icache-prefetches", "3:0x201" },
		{ "LLC", "3:0x2" },
		{ "LLC-misses", "3:0x10002" },
		{ "L2-write-access", "3:0x102" },
		{ "d-tlb-store-miss", "3:0x10103" },
		{ "Instruction-TLB-read", "3:0x4" },
		{ "branch-load-misses", "3:0x10005" },
		{ "bpc-loads", "3:0x5" },
		{ "node-prefetch-misses", "3:0x10206" },
		{ "r1a8", "4:0x1a8" },
		{ "rfFfFfFfFfFfFfFfF", "4:0xffffffffffffffff" },
		{ "4:0x3c", "4:0x3c" },
		{ "1:3", "1:0x3" },
		{ "  cycles:u  ", "<cycles:u> 0:0x0 !k !h" },
	};
	struct machine *machine = *state;

	check_readings(&machine->roots, cases, COUNT(cases));
}

static void modifiers(void **state)
{
	static const struct reading cases[] = {
		{ "cycles:u", "0:0x0 !k !h" },
		{ "cycles:k", "0:0x0 !u !h guest" },
		{ "cycles:h", "0:0x0 !u !k guest" },
		{ "cycles:uk", "0:0x0 !h" },
		{ "cycles:ukh", "0:0x0" },
		{ "cycles:G", "0:0x0 guest !host" },
		{ "cycles:H", "0:0x0" },
		{ "cycles:GH", "0:0x0 guest" },
		{ "cycles:kH", "0:0x0 !u !h" },
		{ "cycles:I", "0:0x0 guest !idle" },
		{ "cycles:p", "0:0x0 p1" },
		{ "cycles:pp", "0:0x0 p2" },
		{ "cycles:ppp", "0:0x0 p3" },
		{ "cycles:Gp", "0:0x0 guest !host p1" },
		{ "cycles:P", "0:0x0 guest P" },
		{ "cycles:SDeW", "0:0x0 guest pinned exclusive S W" },
		{ "cycles//u", "0:0x0 !k !h" },
		{ "cycles//:u", "0:0x0 !k !h" },
		{ "{cycles:u,instructions:k}:h",
		  "<cycles:u> 0:0x0 !k group1; <instructions:k> 0:0x1 !u guest member group1" },
		{ "{cycles,cs}:De",
		  "<cycles> 0:0x0 pinned exclusive group1; <cs> 1:0x3 member group1" },
		{ "{cycles:p,cs}:pp", "<cycles:p> 0:0x0 p3 group1; <cs> 1:0x3 member p2 group1" },
		{ "{cycles,cs}:SG",
		  "<cycles> 0:0x0 guest !host S group1; <cs> 1:0x3 guest !host S member group1" },
	};
	static const struct error errors[] = {
		{ "cycles:x", "'x': no modifiers: there are the letters ukhGHIpPSDWe" },
		{ "cycles:uu", "u is there twice" },
		{ "cycles:pppp", "ppp is as precise as it gets" },
		{ "{cycles:pp,cs}:pp", "ppp is as precise" },
		{ "cycles:b", "'b': counting by BPF" },
		{ "cycles/period=1/x", "no modifiers" },
	};
	struct machine *machine = *state;

	check_readings(&machine->roots, cases, COUNT(cases));
	check_errors(&machine->roots, errors, COUNT(errors));
}

static void breakpoints(void **state)
{
	static const struct reading cases[] = {
		{ "mem:0x601040", "5:0x0 bp3@0x601040/4 default-period1" },
		{ "mem:4096", "5:0x0 bp3@0x1000/4 default-period1" },
		{ "mem:0x601041/1:w", "5:0x0 bp2@0x601041/1 default-period1" },
		{ "mem:0x601048/8:rw:u", "5:0x0 bp3@0x601048/8 !k !h default-period1" },
		{ "mem:0x601048/8:wr", "5:0x0 bp3@0x601048/8 default-period1" },
		{ "mem:0x601048:u", "5:0x0 bp3@0x601048/4 !k !h default-period1" },
		{ "mem:0x601044:x", "5:0x0 bp4@0x601044/8 default-period1" },
		{ "{mem:0x10:w,cs}",
		  "<mem:0x10:w> 5:0x0 bp2@0x10/4 group1 default-period1; <cs> 1:0x3 member group1" },
	};
	static const struct error errors[] = {
		{ "mem:", "no address" },
		{ "mem:main", "'main': no address" },
		{ "mem:0x1000/3", "the length is 1, 2, 4 or 8" },
		{ "mem:0x1000/w", "no length" },
		{ "mem:0x1000/4:x", "for x the length is 8" },
		{ "mem:0x1000:rwx", "together with reads or writes" },
		{ "mem:0x1000:ww", "the access is r, w, rw or x" },
		{ "mem:0x1000:w:z", "no modifiers" },
		{ "mem:0x1000:z", "no modifiers" },
#ifdef __x86_64__
		{ "mem:0x1000:r", "x86-64 cannot watch reads alone" },
		{ "mem:0x1001", "no multiple of the length, 4" },
		{ "mem:0x1004/8", "no multiple of the length, 8" },
#else
		{ "mem:0x1005", "the 4 bytes are not all between two multiples of 8" },
#endif
	};
	struct machine *machine = *state;

	check_readings(&machine->roots, cases, COUNT(cases));
	check_errors(&machine->roots, errors, COUNT(errors));
}

static void tracepoints(void **state)
{
	static const struct reading cases[] = {
		{ "sched:sched_switch", "2:0x12d default-period1" },
		{ "sched:sched_switch:u", "<sched:sched_switch> 2:0x12d !k !h default-period1" },
		{ "sched:sched_switch/period=7,name=sw/k", "<sw> 2:0x12d !u !h guest period7" },
		{ "sched:*",
		  "<sched:sched_switch> 2:0x12d default-period1; <sched:sched_wakeup> 2:0x12e default-period1" },
		{ "*:s*[hy]",
		  "<irq:softirq_entry> 2:0x12f default-period1; <sched:sched_switch> 2:0x12d default-period1" },
	};
	static const struct error errors[] = {
		{ "sched:sched_swich", "sched has no such tracepoint; near it: sched_switch" },
		{ "shced:sched_switch", "nor such a system of tracepoints; near it: sched" },
		{ "sched:no_*", "no tracepoint matches; --list events" },
		{ "sched:enable", "sched has no such tracepoint" },
		{ "..:sched", "no such event" },
		{ "sched:", "no such event" },
		{ "sched:sched_switch/umask=1/",
		  "this event has no term umask; those it can have" },
		{ "cylces:u", "near it: cycles" },
	};
	struct machine *machine = *state;
	struct event_roots unmounted = { machine->sysfs, NULL };
	static const struct error mount[] = {
		{ "sched:sched_switch", "mount -t tracefs tracefs /sys/kernel/tracing" },
		{ "cylces:u", "near it: cycles" },
	};

	check_readings(&machine->roots, cases, COUNT(cases));
	check_errors(&machine->roots, errors, COUNT(errors));
	check_errors(&unmounted, mount, COUNT(mount));
}

static void general_terms(void **state)
{
	static const struct reading cases[] = {
		{ "cycles/period=10000/", "0:0x0 period10000" },
		{ "cycles/freq=99,name=hot/u", "<hot> 0:0x0 !k !h freq99" },
		{ "cycles/call-graph=fp,max-stack=16/", "0:0x0 fp stack0/16/0" },
		{ "cycles/call-graph=dwarf,stack-size=8192/", "0:0x0 auto stack8192/0/0" },
		{ "cs/call-graph=no/", "1:0x3 none" },
		{ "cs/call-graph=auto,time=0/", "1:0x3 auto time=0" },
		{ "cs/no-inherit,overwrite/", "1:0x3 inherit=0 overwrite=1" },
		{ "cs/inherit,no-overwrite,time/", "1:0x3 time=1 inherit=1 overwrite=0" },
		{ "cs/inherit=0/", "1:0x3 inherit=0" },
		{ "cycles/aux-sample-size=4096/", "0:0x0 stack0/0/4096" },
		{ "{intel_pt//,cycles/aux-output/}",
		  "<intel_pt//> 205:0x0 group1 intel_pt; <cycles/aux-output/> 0:0x0 aux-output member group1" },
		{ "cs/name='a, b:c=d'/", "<a, b:c=d> 1:0x3" },
		{ "r3c/period=5/", "4:0x3c period5" },
		{ "LLC-loads/period=0x10/", "3:0x2 period16" },
		{ "4:0x3c/freq=7/", "4:0x3c freq7" },
	};
	static const struct error errors[] = {
		{ "cycles/period=0/", "period is from 1 to" },
		{ "cycles/period/", "period needs a value" },
		{ "cycles/period=9223372036854775808/", "period is from 1 to" },
		{ "cycles/period=1,freq=1/", "a period or a freq, not both" },
		{ "cycles/call-graph=lbr/", "branch records are not read" },
		{ "cycles/call-graph/", "call-graph is fp, dwarf, auto or none" },
		{ "cycles/stack-size=9/", "multiple of 8" },
		{ "cycles/stack-size=65536/", "from 1 to 65528" },
		{ "cycles/time=2/", "time is 0 or 1" },
		{ "cycles/percore/", "percore" },
		{ "cycles/branch_type=any/", "branch records are not read" },
		{ "cycles/nr=5/", "--max-events" },
		{ "cycles/config/", "config needs a value" },
		{ "cycles/name/", "name needs a value" },
		{ "cycles/event=1/", "this event has no term event; those it can have: config" },
	};
	struct machine *machine = *state;

	check_readings(&machine->roots, cases, COUNT(cases));
	check_errors(&machine->roots, errors, COUNT(errors));
}

static void groups(void **state)
{
	static const struct reading cases[] = {
		{ "cs,faults", "<cs> 1:0x3; <faults> 1:0x2" },
		{ "{cs}", "<cs> 1:0x3 group1" },
		{ " { cs , faults } , dummy ",
		  "<cs> 1:0x3 group1; <faults> 1:0x2 member group1; <dummy> 1:0x9" },
		{ "work{cs,faults},{cs}",
		  "<cs> 1:0x3 group1; <faults> 1:0x2 member group1; <cs> 1:0x3 group2" },
		{ "{cs,cycles,cpu/umask=1/,LLC-loads,r3c}",
		  "<cs> 1:0x3 group1; <cycles> 0:0x0 member group1; <cpu/umask=1/> 4:0x100 member group1 cpu; "
		  "<LLC-loads> 3:0x2 member group1; <r3c> 4:0x3c member group1" },
		{ "{cycles,sched:*}:S",
		  "<cycles> 0:0x0 S group1; <sched:sched_switch> 2:0x12d S member group1 default-period1; "
		  "<sched:sched_wakeup> 2:0x12e S member group1 default-period1" },
		{ "{tsc,cycles}", "<tsc> 206:0x0 group1 msr; <cycles> 0:0x0 member group1" },
		{ "{cs,power/event=1/}",
		  "<cs> 1:0x3 group1; <power/event=1/> 204:0x1 member group1 power@0" },
		{ "{imc/event=1/,imc/event=2/}",
		  "<uncore_imc_0/event=1/> 201:0x1 group1 uncore_imc_0@0; <uncore_imc_0/event=2/> 201:0x2 member group1 uncore_imc_0@0; "
		  "<uncore_imc_1/event=1/> 202:0x1 group2 uncore_imc_1@0; <uncore_imc_1/event=2/> 202:0x2 member group2 uncore_imc_1@0" },
	};
	static const struct error errors[] = {
		{ "", "an event is missing" },
		{ "cs,", "at character 4: an event is missing" },
		{ "cs,,cs", "at character 4: an event is missing" },
		{ "{}", "an event is missing" },
		{ "{cs", "the '}' of the group is missing" },
		{ "{cs,{cs}}", "a group cannot be within a group" },
		{ "cs}", "a ',' is missing before this" },
		{ "{cs}{cs}", "a ',' is missing before this" },
		{ "{cs,faults:D}", "faults:D cannot be pinned or exclusive" },
		{ "{cycles,power/event=1/}",
		  "cycles is counted by the PMU cpu and power/event=1/ by power" },
		{ "{cs,cha/event=1/,imc/event=2/}", "so they need a group each" },
		{ "{dummy,cs}:S", "dummy cannot: it never happens" },
		{ "{power/event=1/,cs}:S", "cannot: its PMU only counts" },
		{ "power/event=1/S", "cannot: its PMU only counts" },
		{ "{intel_pt//,cs}:S", "writes a trace in place of samples" },
	};
	struct machine *machine = *state;

	check_readings(&machine->roots, cases, COUNT(cases));
	check_errors(&machine->roots, errors, COUNT(errors));
}

/* Several -e append, and one that is refused leaves what was there. */
static void appending(void **state)
{
	struct machine *machine = *state;
	struct event_list list = {};
	char *message;

	assert_int_equal(event_list_parse("{cs,faults}", &machine->roots, &list, &message), 0);
	assert_int_equal(event_list_parse("cs,{faults,cs},nonsense", &machine->roots, &list,
					  &message),
			 -EINVAL);
	free(message);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.groups, 1);
	assert_int_equal(event_list_parse("dummy,{cs}", &machine->roots, &list, &message), 0);
	assert_int_equal(list.count, 4);
	assert_int_equal(list.specs[1].group, 1);
	assert_int_equal(list.specs[2].group, 0);
	assert_int_equal(list.specs[3].group, 2);
	event_list_free(&list);
}

/* A machine without sysfs still has the kernel's events. */
static void no_sysfs(void **state)
{
	static const struct event_roots roots = { "/nonexistent", NULL };
	static const struct reading cases[] = { { "cycles,cs", "<cycles> 0:0x0; <cs> 1:0x3" } };
	static const struct error errors[] = { { "cpu/event=1/", "PMUs of this machine: none" } };

	(void)state;
	check_readings(&roots, cases, COUNT(cases));
	check_errors(&roots, errors, COUNT(errors));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_events), cmocka_unit_test(modifiers),
		cmocka_unit_test(breakpoints),	  cmocka_unit_test(tracepoints),
		cmocka_unit_test(general_terms),  cmocka_unit_test(groups),
		cmocka_unit_test(appending),	  cmocka_unit_test(no_sysfs),
	};

	return cmocka_run_group_tests_name("events", tests, make_machine, remove_machine);
}
