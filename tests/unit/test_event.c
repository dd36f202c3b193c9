// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events as -e takes them, on made-up machines: each spelling, and each refusal. */
#include "event_tree.h"

#include <errno.h>
#include <inttypes.h>

#include "event/event.h"
#include "event/parser.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a spec says beside type and config, each as a word of its own where it is not the default. */
static void describe_flags(FILE *out, const struct event_spec *spec)
{
	const struct perf_event_attr *attr = &spec->attr;
	static const char *const graphs[] = { "none", "fp", "auto" };
	const struct {
		bool set;
		const char *word;
	} flags[] = {
		{ attr->exclude_user, "!u" },	    { attr->exclude_kernel, "!k" },
		{ attr->exclude_hv, "!h" },	    { !attr->exclude_guest, "guest" },
		{ attr->exclude_host, "!host" },    { attr->exclude_idle, "!idle" },
		{ attr->pinned, "pinned" },	    { attr->exclusive, "exclusive" },
		{ attr->aux_output, "aux-output" }, { spec->sample_read, "S" },
		{ spec->precise_max, "P" },	    { spec->weak_group, "W" },
		{ !spec->is_leader, "member" },	    { spec->per_package, "per-package" },
	};

	for (size_t i = 0; i < COUNT(flags); i++)
		if (flags[i].set)
			fprintf(out, " %s", flags[i].word);
	if (attr->precise_ip)
		fprintf(out, " p%d", attr->precise_ip);
	if (spec->group)
		fprintf(out, " group%u", spec->group);
	if (spec->call_graph != EVENT_CALL_GRAPH_UNSAID)
		fprintf(out, " %s", graphs[spec->call_graph]);
	if (spec->stack_size || spec->max_stack || attr->aux_sample_size)
		fprintf(out, " stack%u/%u/%u", spec->stack_size, spec->max_stack,
			attr->aux_sample_size);
	if (spec->time != EVENT_UNSAID)
		fprintf(out, " time=%d", spec->time);
	if (spec->inherit != EVENT_UNSAID)
		fprintf(out, " inherit=%d", spec->inherit);
	if (spec->overwrite != EVENT_UNSAID)
		fprintf(out, " overwrite=%d", spec->overwrite);
}

static void describe_spec(FILE *out, const struct event_spec *spec, const char *text)
{
	const struct perf_event_attr *attr = &spec->attr;

	if (strcmp(spec->name, text) != 0)
		fprintf(out, "<%s> ", spec->name);
	fprintf(out, "%u:0x%" PRIx64, attr->type, (uint64_t)attr->config);
	for (unsigned word = 1; word < EVENT_CONFIG_WORDS && !attr->bp_type; word++)
		if (event_config_get(spec, word))
			fprintf(out, " config%u=0x%" PRIx64, word, event_config_get(spec, word));
	if (attr->bp_type)
		fprintf(out, " bp%u@0x%" PRIx64 "/%" PRIu64, attr->bp_type, (uint64_t)attr->bp_addr,
			(uint64_t)attr->bp_len);
	if (attr->size != sizeof(*attr))
		fprintf(out, " size%u", attr->size);
	describe_flags(out, spec);
	if (attr->sample_period)
		fprintf(out, " %s%s%" PRIu64, spec->has_period || spec->has_freq ? "" : "default-",
			attr->freq ? "freq" : "period", (uint64_t)attr->sample_period);
	if (spec->pmu)
		fprintf(out, " %s", spec->pmu);
	for (size_t i = 0; i < spec->cpus.count; i++)
		fprintf(out, "%c%d", i ? ',' : '@', spec->cpus.cpus[i]);
	if (spec->scale != 1 || spec->unit)
		fprintf(out, " *%g%s", spec->scale, spec->unit ? spec->unit : "");
}

struct reading {
	const char *text, *specs;
};

static void check_readings(const struct event_roots *roots, const struct reading *cases,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct event_list list = {};
		char *message, *specs = NULL;
		size_t size;
		FILE *out;

		if (event_list_parse(cases[i].text, roots, &list, &message))
			fail_msg("\"%s\" was refused: %s", cases[i].text, message);
		assert_null(message);
		out = open_memstream(&specs, &size);
		assert_non_null(out);
		for (size_t j = 0; j < list.count; j++) {
			fputs(j ? "; " : "", out);
			describe_spec(out, &list.specs[j], cases[i].text);
		}
		fclose(out);
		if (strcmp(specs, cases[i].specs) != 0)
			fail_msg("\"%s\" was read as\n%s, not\n%s", cases[i].text, specs,
				 cases[i].specs);
		free(specs);
		event_list_free(&list);
		assert_int_equal(list.count, 0);
	}
}

struct error {
	const char *text, *message; /* a part of the message, behind the text */
};

static void check_errors(const struct event_roots *roots, const struct error *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct event_list list = {};
		char *message = NULL;
		int err;

		err = event_list_parse(cases[i].text, roots, &list, &message);
		if (err != -EINVAL || !message)
			fail_msg("\"%s\": %d, %s", cases[i].text, err, message);
		if (strncmp(message, cases[i].text, strlen(cases[i].text)) != 0 ||
		    !strstr(message + strlen(cases[i].text), cases[i].message) ||
		    strchr(message, '\n'))
			fail_msg("\"%s\" was refused with\n%s, not\n%s", cases[i].text, message,
				 cases[i].message);
		assert_int_equal(list.count, 0);
		assert_int_equal(list.groups, 0);
		free(message);
		event_list_free(&list);
	}
}

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

static void pmu_events(void **state)
{
	static const struct reading cases[] = {
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
		{ "cpu//", "4:0x0 cpu" },
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
		{ "cpu/umask=1,umask=1/", "4:0x100 cpu" },
		{ "mem-loads:u", "4:0x1cd config1=0x3 !k !h cpu" },
		{ "topdown-retiring", "4:0x8000 cpu *2" },
		{ "mem-loads/period=100/u", "4:0x1cd config1=0x3 !k !h period100 cpu" },
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
		{ "cas_count_read",
		  "201:0x304 uncore_imc_0@0 *6.10352e-05MiB; 202:0x304 uncore_imc_1@0" },
		{ "cha/requests,tid=5/",
		  "<uncore_cha/requests,tid=5/> 203:0x50 config1=0x5 uncore_cha@0,1" },
		{ "intel_pt/tsc,psb_period=3/u", "205:0x3000400 !k !h intel_pt" },
	};
	static const struct error errors[] = {
		{ "cpu/event=0x1000/",
		  "at character 5, 'event=0x1000': 0x1000 does not fit into event, whose largest value is 0xfff" },
		{ "cpu/edge=2/", "largest value is 0x1" },
		{ "cpu/umsk=1/",
		  "cpu has no term umsk; near it: umask or cmask; its terms: cmask edge event" },
		{ "cpu/umsk=1/", "--list events shows the 6 that cpu names" },
		{ "cpu/mem-load/", "near it: mem-loads" },
		{ "cpu/umask=x/", "'x' is no number" },
		{ "cpu/umask=1,umask=2/", "umask was given another value before" },
		{ "cpu/cycles,instructions/", "there is another event before" },
		{ "cpu/umask=/", "no value behind '='" },
		{ "cpu/=1/", "there is no term" },
		{ "cpu/umask,,edge/", "there is no term" },
		{ "cpu/umask=1", "the second '/' is missing" },
		{ "cpu/name='x/", "a ' is not closed" },
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
	struct machine *machine = *state;

	check_readings(&machine->roots, cases, COUNT(cases));
	check_errors(&machine->roots, errors, COUNT(errors));
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

struct found {
	const char *name;
	size_t count;
	char description[256];
	int result;
};

static int look_for(void *data, const struct event_entry *entry)
{
	struct found *found = data;

	if (!found->name || strcmp(entry->name, found->name) == 0) {
		found->count++;
		snprintf(found->description, sizeof(found->description), "%s: %s",
			 event_kind_name(entry->kind), entry->description);
	}
	return found->result;
}

static void check_listed(const struct event_roots *roots, const char *pattern, const char *name,
			 const char *description)
{
	struct found found = { .name = name };

	assert_int_equal(event_list_available(roots, pattern, look_for, &found), 0);
	if (found.count != 1)
		fail_msg("%s was listed %zu times", name, found.count);
	assert_string_equal(found.description, description);
}

/* Each that is listed can be parsed, but for the forms. */
static int parse_listed(void *data, const struct event_entry *entry)
{
	struct machine *machine = data;
	struct event_list list = {};
	char *message;

	if (entry->is_form)
		return 0;
	/* this one has a parameter to fill in */
	if (strcmp(entry->name, "uncore_cha/requests/") == 0)
		return 0;
	if (event_list_parse(entry->name, &machine->roots, &list, &message))
		fail_msg("%s is listed, but: %s", entry->name, message);
	assert_int_equal(list.count, 1);
	event_list_free(&list);
	return 0;
}

static void listing(void **state)
{
	struct machine *machine = *state;
	const struct event_roots *roots = &machine->roots;
	struct found found = {};

	check_listed(roots, NULL, "cpu-cycles", "hardware: or cycles");
	check_listed(roots, NULL, "page-faults", "software: or faults");
	check_listed(roots, NULL, "LLC-load-misses", "cache: ");
	check_listed(roots, NULL, "mem:ADDR[/LEN][:rwx]", "breakpoint: accesses to an address");
	check_listed(roots, NULL, "sched:sched_switch", "tracepoint: ");
	check_listed(roots, "imc_0", "uncore_imc_0/cas_count_read/",
		     "PMU: event=0x04,umask=0x03; in MiB");
	check_listed(roots, NULL, "power/event=0..0xff/",
		     "PMU: counts for whole packages, not for tasks");
	assert_int_equal(event_list_available(roots, "sched:*", look_for, &found), 0);
	assert_int_equal(found.count, 2);
	found = (struct found){ .result = 7 };
	assert_int_equal(event_list_available(roots, NULL, look_for, &found), 7);
	assert_int_equal(found.count, 1);
	assert_int_equal(event_list_available(roots, NULL, parse_listed, machine), 0);
}

static void check_root(const char *folder, const char *mounts, int err, const char *root)
{
	char path[PATH_MAX], *found;

	write_file(folder, "mounts", mounts);
	snprintf(path, sizeof(path), "%s/mounts", folder);
	assert_int_equal(event_tracefs_find(path, &found), err);
	if (root)
		assert_string_equal(found, root);
	else
		assert_null(found);
	free(found);
}

static void mounts(void **state)
{
	struct machine *machine = *state;
	char table[PATH_MAX], folder[PATH_MAX];

	check_root(machine->folder, "proc /proc proc rw 0 0\n", -ENOENT, NULL);
	check_root(machine->folder, "none /t tracefs rw 0 0\nx /d debugfs rw 0 0\n", 0, "/t");
	check_root(machine->folder, "none /with\\040blank tracefs rw 0 0\n", 0, "/with blank");
	check_root(machine->folder,
		   "a /a tracefs rw 0 0\nb /sys/kernel/tracing tracefs rw 0 0\nc /c tracefs rw 0 0\n",
		   0, "/sys/kernel/tracing");
	/* a debugfs counts only with something in its folder */
	check_root(machine->folder, "x /nonexistent debugfs rw 0 0\n", -ENOENT, NULL);
	snprintf(table, sizeof(table), "x %s debugfs rw 0 0\n", machine->folder);
	snprintf(folder, sizeof(folder), "%s/tracing", machine->folder);
	check_root(machine->folder, table, 0, folder);
	assert_int_equal(event_tracefs_find("/nonexistent", &(char *){ NULL }), -ENOENT);
}

static int make_machine(void **state)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	assert_non_null(machine);
	machine_new(machine, tree_x86);
	*state = machine;
	return 0;
}

static int remove_machine(void **state)
{
	machine_free(*state);
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_events), cmocka_unit_test(modifiers),
		cmocka_unit_test(breakpoints),	  cmocka_unit_test(tracepoints),
		cmocka_unit_test(pmu_events),	  cmocka_unit_test(general_terms),
		cmocka_unit_test(groups),	  cmocka_unit_test(arm64),
		cmocka_unit_test(hybrid),	  cmocka_unit_test(appending),
		cmocka_unit_test(no_sysfs),	  cmocka_unit_test(listing),
		cmocka_unit_test(mounts),
	};

	return cmocka_run_group_tests_name("events", tests, make_machine, remove_machine);
}
