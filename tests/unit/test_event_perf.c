// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perf itself as the oracle: what it would open for a spelling, which it prints, against what we make of
 * it. perf finds sysfs and tracefs by its environment, so both look at the same made-up machine.
 */
#include "event_tree.h"

#include <inttypes.h>

#include "event/event.h"
#include "event/parser.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ATTRS_MAX    256

/* What perf prints of a perf_event_attr that a spelling has a say in. */
enum field {
	FIELD_TYPE,
	FIELD_CONFIG,
	FIELD_CONFIG1,
	FIELD_CONFIG2,
	FIELD_EXCLUDE_USER,
	FIELD_EXCLUDE_KERNEL,
	FIELD_EXCLUDE_HV,
	FIELD_EXCLUDE_IDLE,
	FIELD_EXCLUDE_HOST,
	FIELD_EXCLUDE_GUEST,
	FIELD_PRECISE,
	FIELD_PINNED,
	FIELD_EXCLUSIVE,
	FIELD_BP_TYPE,
	FIELD_PERIOD,
	FIELD_FREQ,
	FIELDS,
};

static const char *const field_names[FIELDS] = {
	[FIELD_TYPE] = "type",
	[FIELD_CONFIG] = "config",
	[FIELD_CONFIG1] = "{ bp_addr, config1 }",
	[FIELD_CONFIG2] = "{ bp_len, config2 }",
	[FIELD_EXCLUDE_USER] = "exclude_user",
	[FIELD_EXCLUDE_KERNEL] = "exclude_kernel",
	[FIELD_EXCLUDE_HV] = "exclude_hv",
	[FIELD_EXCLUDE_IDLE] = "exclude_idle",
	[FIELD_EXCLUDE_HOST] = "exclude_host",
	[FIELD_EXCLUDE_GUEST] = "exclude_guest",
	[FIELD_PRECISE] = "precise_ip",
	[FIELD_PINNED] = "pinned",
	[FIELD_EXCLUSIVE] = "exclusive",
	[FIELD_BP_TYPE] = "bp_type",
	[FIELD_PERIOD] = "{ sample_period, sample_freq }",
	[FIELD_FREQ] = "freq",
};

struct attr {
	uint64_t fields[FIELDS];
};

struct attrs {
	struct attr attrs[ATTRS_MAX];
	size_t count;
	char names[ATTRS_MAX][128]; /* perf stat's, in the order of -e */
	size_t name_count;
};

static void read_field(struct attr *attr, char *line)
{
	line += strspn(line, " ");
	for (size_t i = 0; i < FIELDS; i++) {
		size_t length = strlen(field_names[i]);

		if (strncmp(line, field_names[i], length) == 0 && line[length] == ' ')
			attr->fields[i] = strtoull(line + length, NULL, 0);
	}
}

/* "VALUE;UNIT;NAME;..." */
static void read_name(struct attrs *attrs, const char *line)
{
	const char *unit = strchr(line, ';'), *name = unit ? strchr(unit + 1, ';') : NULL;
	const char *end = name ? strchr(name + 1, ';') : NULL;

	if (!end || attrs->name_count == ATTRS_MAX)
		return;
	snprintf(attrs->names[attrs->name_count++], sizeof(attrs->names[0]), "%.*s",
		 (int)(end - name - 1), name + 1);
}

/* All that perf tries to open, of its words on stderr. */
static void read_attrs(FILE *output, struct attrs *attrs)
{
	char line[4096];
	bool in_attr = false;

	*attrs = (struct attrs){};
	while (fgets(line, sizeof(line), output)) {
		if (strncmp(line, "perf_event_attr:", 16) == 0) {
			in_attr = true;
			assert_true(attrs->count++ < ATTRS_MAX);
		} else if (line[0] == '-') {
			in_attr = false;
		} else if (in_attr) {
			read_field(&attrs->attrs[attrs->count - 1], line);
		} else {
			read_name(attrs, line);
		}
	}
}

static FILE *perf(const struct machine *machine, const char *command)
{
	return output_of("SYSFS_PATH='%s' TRACEFS_PATH='%s' LC_ALL=C perf %s -- true 2>&1 "
			 "</dev/null",
			 machine->sysfs, machine->tracefs, command);
}

static void our_attr(const struct event_spec *spec, struct attr *attr)
{
	const struct perf_event_attr *of = &spec->attr;

	*attr = (struct attr){ {
		[FIELD_TYPE] = of->type,
		[FIELD_CONFIG] = of->config,
		[FIELD_CONFIG1] = of->config1,
		[FIELD_CONFIG2] = of->config2,
		[FIELD_EXCLUDE_USER] = of->exclude_user,
		[FIELD_EXCLUDE_KERNEL] = of->exclude_kernel,
		[FIELD_EXCLUDE_HV] = of->exclude_hv,
		[FIELD_EXCLUDE_IDLE] = of->exclude_idle,
		[FIELD_EXCLUDE_HOST] = of->exclude_host,
		[FIELD_EXCLUDE_GUEST] = of->exclude_guest,
		[FIELD_PRECISE] = of->precise_ip,
		[FIELD_PINNED] = of->pinned,
		[FIELD_EXCLUSIVE] = of->exclusive,
		[FIELD_BP_TYPE] = of->bp_type,
		[FIELD_PERIOD] = of->sample_period,
		[FIELD_FREQ] = of->freq,
	} };
}

static bool compared(enum field field, bool has_guest_default, bool counts)
{
	/* perf from 6.13 on excludes no guests where nobody asked */
	if (field == FIELD_EXCLUDE_GUEST)
		return has_guest_default;
	return !counts || (field != FIELD_PERIOD && field != FIELD_FREQ);
}

static void compare(const char *event, const struct event_spec *spec, const struct attr *theirs,
		    bool has_guest_default, bool counts)
{
	struct attr ours;

	our_attr(spec, &ours);
	for (enum field i = 0; i < FIELDS; i++)
		if (compared(i, has_guest_default, counts) && ours.fields[i] != theirs->fields[i])
			fail_msg("%s (%s): %s is 0x%" PRIx64 ", perf's 0x%" PRIx64, event,
				 spec->name, field_names[i], ours.fields[i], theirs->fields[i]);
}

/* perf 6.1 cuts a breakpoint's spelling at the length, and a cache event's at the modifiers. */
static void compare_name(const struct event_spec *spec, const char *theirs)
{
	bool is_cut = spec->attr.type == PERF_TYPE_BREAKPOINT ||
		      spec->attr.type == PERF_TYPE_HW_CACHE;

	if (is_cut ? strncmp(spec->name, theirs, strlen(theirs)) : strcmp(spec->name, theirs))
		fail_msg("%s is %s for perf", spec->name, theirs);
}

/* Does a plain event leave guests out? */
static bool has_guest_default(const struct machine *machine)
{
	struct attrs attrs;
	FILE *output = perf(machine, "stat -vv -e cycles");

	read_attrs(output, &attrs);
	pclose(output);
	assert_true(attrs.count >= 1);
	return attrs.attrs[0].fields[FIELD_EXCLUDE_GUEST];
}

/* perf stat's attributes and names of some events, which it opens in their order. */
static void ask(const struct machine *machine, const char *const *events, size_t count,
		struct attrs *attrs)
{
	struct growing command = {};
	FILE *output;
	char *text;

	growing_append(&command, "stat -x ';' -vv");
	for (size_t i = 0; i < count; i++)
		growing_append(&command, " -e \"%s\"", events[i]);
	text = growing_take(&command);
	output = perf(machine, text);
	read_attrs(output, attrs);
	pclose(output);
	free(text);
}

/* Does this perf know the events of a spelling at all? */
static bool is_accepted(const struct machine *machine, const char *event)
{
	struct attrs *attrs = calloc(1, sizeof(*attrs));
	bool accepted;

	assert_non_null(attrs);
	ask(machine, &event, 1, attrs);
	accepted = attrs->count > 0;
	free(attrs);
	return accepted;
}

static void compare_all(const struct machine *machine, const char *const *events, size_t count,
			const struct attrs *attrs)
{
	bool guests = has_guest_default(machine);
	struct event_list list = {};
	char *message;

	for (size_t i = 0; i < count; i++)
		if (event_list_parse(events[i], &machine->roots, &list, &message))
			fail_msg("%s was refused: %s", events[i], message);
	if (attrs->count != list.count || attrs->name_count != list.count)
		fail_msg("perf opened %zu events and named %zu, not %zu", attrs->count,
			 attrs->name_count, list.count);
	for (size_t i = 0; i < list.count; i++) {
		compare(list.specs[i].name, &list.specs[i], &attrs->attrs[i], guests, true);
		compare_name(&list.specs[i], attrs->names[i]);
	}
	event_list_free(&list);
}

/*
 * All events of a table, in one run of perf; if it refuses one, which ends it, in another run without those
 * that this version of perf does not know. Of these there may be a tenth.
 */
static void check_counted(const struct machine *machine, const char *const *events, size_t count)
{
	const char *accepted[ATTRS_MAX];
	struct attrs attrs;
	size_t kept = 0;

	ask(machine, events, count, &attrs);
	if (attrs.count) {
		compare_all(machine, events, count, &attrs);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (is_accepted(machine, events[i]))
			accepted[kept++] = events[i];
	if (kept < count - count / 10)
		fail_msg("perf knows %zu of %zu events", kept, count);
	ask(machine, accepted, kept, &attrs);
	compare_all(machine, accepted, kept, &attrs);
}

static const char *const counted_events[] = {
	/* hardware */
	"cycles", "cpu-cycles:u", "instructions:k", "cache-references:h", "cache-misses:uk",
	"branches:G", "branch-misses:H", "bus-cycles:GH", "stalled-cycles-frontend:I",
	"idle-cycles-backend:kI", "ref-cycles:p", "instructions:Gp", "cycles:ppp", "cycles:pu",
	"cycles:D", "cycles:De", "cycles:S", "cycles:P", "cycles:W", "cycles//k",
	/* software */
	"task-clock", "cs:u", "context-switches:k", "faults", "migrations", "minor-faults:uH",
	"major-faults", "alignment-faults", "emulation-faults", "dummy", "cgroup-switches",
	/* caches */
	"L1-dcache-loads", "L1-dcache-load-misses:u", "L1-dcache-misses-load", "l1d-store",
	"l1i-speculative-read-miss", "L1-icache-prefetches", "LLC", "LLC-misses", "L2-write-access",
	"d-tlb-store-miss", "Instruction-TLB-read", "branch-load-misses", "bpc-loads",
	"node-prefetches",
	/* numbers, and terms that every PMU has */
	"r1a8", "r1a8:k", "rc0/period=7/u", "4:0x3c", "77:0x1234567890",
	"cycles/name=hot,period=100/u", "cycles/config=5/", "cs/name=switches/",
	/* breakpoints */
	"mem:0x601040:w", "mem:0x601040/8:rw:u",
	/* a PMU's own */
	"cpu/event=0x3c/", "cpu/event=0x1ff,umask=2/u", "cpu/event=0xfff/k",
	"cpu/edge,inv,cmask=1/", "cpu/ldlat=0x1e/", "cpu/filter=15/", "cpu/filter=8,umask=0xff/",
	"cpu/offcore_rsp=0xffffffffffffffff/", "cpu/config=5,config1=6,config2=7/",
	"cpu/config=0x100,event=0x3c/", "cpu/r1a8/", "cpu//", "cpu/cpu-cycles/",
	"cpu/instructions/k", "cpu/event=cpu-cycles/", "cpu/mem-loads/P", "cpu/uops,name=micro/",
	"mem-loads:u", "topdown-retiring", "aperf", "msr/tsc/",
	/* groups */
	"{cs:u,faults:k}:H", "{cs,faults:u}:uS", "{cs,migrations}:D", "{cs,migrations}:ke",
	"{cs:pp,faults}:p", "work{cs,faults}", "cs,faults"
};

static void counted(void **state)
{
	check_counted(*state, counted_events, COUNT(counted_events));
}

/* Apart, since a CPU has room for four. */
static void more_breakpoints(void **state)
{
	static const char *const events[] = {
		"mem:0x601041/1:wr",
		"mem:4096:u",
		"mem:0x601044:x",
	};

	check_counted(*state, events, COUNT(events));
}

/* The PMUs of memory controllers and the like: perf opens each on the CPUs that its cpumask has. */
static void shared_pmus(void **state)
{
	static const char *const events[] = {
		"uncore_imc_0/event=0x4,umask=0x3/",
		"uncore_imc_1/clockticks/",
		"power/event=9/",
		"uncore_imc_0/cas_count_read,name=reads/",
	};

	check_counted(*state, events, COUNT(events));
}

/* Generic events on a machine with CPUs of two kinds, of which perf opens one for each. */
static void two_kinds(void **state)
{
	static const char *const events[] = {
		"cycles:u",	     "cpu-cycles",	    "instructions:k",	    "r3c",
		"cpu_atom/event=5/", "cpu_core/event=6/pp", "cpu_core/cpu-cycles/",
	};
	struct machine machine;

	(void)state;
	machine_new(&machine, tree_hybrid);
	check_counted(&machine, events, COUNT(events));
	machine_free(&machine);
}

static void check_recorded(const struct machine *machine, const char *event, bool guests)
{
	struct event_list list = {};
	struct growing command = {};
	struct attrs attrs;
	char *message, *text;
	FILE *output;

	growing_append(&command, "record -vv -o /dev/null -e \"%s\"", event);
	text = growing_take(&command);
	output = perf(machine, text);
	read_attrs(output, &attrs);
	pclose(output);
	free(text);
	if (event_list_parse(event, &machine->roots, &list, &message))
		fail_msg("%s was refused: %s", event, message);
	assert_true(attrs.count >= 1);
	compare(event, &list.specs[0], &attrs.attrs[0], guests, false);
	event_list_free(&list);
}

static void recorded(void **state)
{
	static const char *const events[] = {
		"cycles/period=1000/u", "cpu-clock/freq=500/", "cpu/cpu-cycles,period=0x10/k",
		"sched:sched_switch",	"mem:0x601040/8:w:u",  "sched:sched_*",
	};
	bool guests = has_guest_default(*state);

	for (size_t i = 0; i < COUNT(events); i++)
		check_recorded(*state, events[i], guests);
}

/* What perf refuses as well. */
static void refused(void **state)
{
	static const char *const events[] = {
		"cylces",	 "cycles:uu",	    "cycles:pppp",
		"cycles:x",	 "cs,,cs",	    "{cs,{cs}}",
		"{cs}}",	 "cpu/umsk=1/",	    "cpu/event=0x1000/",
		"cpu/edge=2/",	 "nopmu/event=1/",  "L1-icache-stores",
		"mem:main",	 "mem:0x1000:ww",   "cpu/event=1",
		"sched:nothing", "cycles/event=1/", "",
	};
	const struct machine *machine = *state;

	for (size_t i = 0; i < COUNT(events); i++) {
		struct event_list list = {};
		struct growing command = {};
		char *message = NULL, *text;
		FILE *output;

		growing_append(&command, "stat -e \"%s\"", events[i]);
		text = growing_take(&command);
		output = perf(machine, text);
		while (fgetc(output) != EOF)
			;
		if (pclose(output) == 0)
			fail_msg("perf takes \"%s\"", events[i]);
		free(text);
		if (!event_list_parse(events[i], &machine->roots, &list, &message))
			fail_msg("we take \"%s\"", events[i]);
		free(message);
		event_list_free(&list);
	}
}

/* perf ends at the first event that it may not open. */
static void needs_root_and_perf(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted),     cmocka_unit_test(more_breakpoints),
		cmocka_unit_test(shared_pmus), cmocka_unit_test(two_kinds),
		cmocka_unit_test(recorded),    cmocka_unit_test(refused),
	};
	const struct CMUnitTest without[] = { cmocka_unit_test(needs_root_and_perf) };

	if (geteuid() != 0 || system("perf --version >/dev/null 2>&1") != 0)
		return cmocka_run_group_tests_name("events as perf reads them", without, NULL,
						   NULL);
	return cmocka_run_group_tests_name("events as perf reads them", tests, make_machine,
					   remove_machine);
}
