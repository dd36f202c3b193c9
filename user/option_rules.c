// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options one by one: each row of the table has a function that checks the value and keeps it. */
#include "option_rules.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/values.h"
#include "option_probes.h"
#include "source/captures.h"

#define DEFAULT_FREQUENCY    99
#define MAX_FREQUENCY	     100000
#define DEFAULT_MAX_STACK    TRACER_MAX_STACK
#define DEFAULT_BUFFER_BYTES (1ull << 20)
#define MIN_BUFFER_BYTES     (4ull << 10)
#define MAX_BUFFER_BYTES     (256ull << 20)
#define MIN_AUX_BYTES	     (8ull << 10)
#define MAX_AUX_BYTES	     (1ull << 30)
#define DEFAULT_UNWIND_BYTES (256ull << 20)
#define MIN_UNWIND_BYTES     (1ull << 20)
#define MAX_UNWIND_BYTES     (4ull << 30)
#define NSEC_PER_USEC	     1000ull

/* Ids of options without a short form: beyond all characters. */
enum {
	ID_PROFILE = 256,
	ID_OFF_CPU,
	ID_WALL,
	ID_UPROBE,
	ID_URETPROBE,
	ID_LATENCY,
	ID_USDT,
	ID_IF,
	ID_ARGS,
	ID_MAX_STRING,
	ID_BREAKPOINT,
	ID_EXACT_ADDRESS,
	ID_STAT,
	ID_PER_THREAD,
	ID_NO_INHERIT,
	ID_MAX_EVENTS,
	ID_INTERVAL,
	ID_CALL_GRAPH,
	ID_MAX_STACK,
	ID_UNWIND_MEM,
	ID_USER_ONLY,
	ID_KERNEL_ONLY,
	ID_FORMAT,
	ID_COUNT,
	ID_BY,
	ID_ENGINE,
	ID_BUFFER,
	ID_OVERWRITE,
	ID_DUMP_ON,
	ID_AUX_SIZE,
	ID_SNAPSHOT,
	ID_CHECK,
	ID_LIST,
	ID_REPLAY,
};

static int refuse(const struct option_parse *parse, const char *value, const char *wanted)
{
	log_error("%s: \"%s\" is not %s", parse->spelling, value, wanted);
	return -EINVAL;
}

/* A decimal number within [min, max]. */
static int set_number(const struct option_parse *parse, const char *value, uint64_t min,
		      uint64_t max, const char *wanted, uint64_t *number)
{
	uint64_t parsed;

	if (number_parse(value, &parsed) || parsed < min || parsed > max)
		return refuse(parse, value, wanted);
	*number = parsed;
	return 0;
}

/* Words that an option takes, ended by a NULL name. */
struct choice {
	const char *name;
	int value;
};

static int set_choice(const struct option_parse *parse, const char *value,
		      const struct choice *choices, int *chosen)
{
	char names[128] = "";
	size_t used = 0;

	for (const struct choice *choice = choices; choice->name; choice++) {
		if (strcmp(choice->name, value) == 0) {
			*chosen = choice->value;
			return 0;
		}
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "one of ", choice->name);
	}
	return refuse(parse, value, names);
}

static int set_string(const struct option_parse *parse, const char *value, const char *wanted,
		      char **string)
{
	if (*value == '\0')
		return refuse(parse, value, wanted);
	free(*string);
	*string = strdup(value);
	return *string ? 0 : -ENOMEM;
}

/* ---- sources ---- */

static int set_frequency(struct option_parse *parse, const char *value)
{
	uint64_t hz;
	int err;

	if (!value)
		return 0;
	err = set_number(parse, value, 1, MAX_FREQUENCY, "a frequency from 1 to 100000 Hz (say 99)",
			 &hz);
	if (!err)
		parse->options->frequency = (uint32_t)hz;
	return err;
}

static int set_profile(struct option_parse *parse, const char *value)
{
	parse->options->profile = true;
	parse->source_is_probe = false;
	return set_frequency(parse, value);
}

static int set_wall(struct option_parse *parse, const char *value)
{
	parse->options->wall = true;
	parse->source_is_probe = false;
	return set_frequency(parse, value);
}

static int set_off_cpu(struct option_parse *parse, const char *value)
{
	parse->options->off_cpu = true;
	parse->source_is_probe = false;
	if (value && time_parse(value, NSEC_PER_USEC, &parse->options->off_cpu_min_ns))
		return refuse(parse, value, "a time (say 100us, 5ms or 1s)");
	return 0;
}

static int append_text(const char *value, size_t length, char ***texts, size_t *count)
{
	char **grown = reallocarray(*texts, *count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*texts = grown;
	grown[*count] = strndup(value, length);
	return grown[(*count)++] ? 0 : -ENOMEM;
}

/* What it means depends on the machine: that is found out later. */
static int add_events(struct option_parse *parse, const char *value)
{
	struct options *options = parse->options;

	parse->source_is_probe = false;

	if (*value == '\0')
		return refuse(parse, value, "an event (say cycles or sched:sched_switch)");
	return append_text(value, strlen(value), &options->events, &options->event_count);
}

static int set_period(struct option_parse *parse, const char *value)
{
	return set_number(parse, value, 1, INT64_MAX,
			  "a number of events from 1 to 9223372036854775807 (say 100000)",
			  &parse->options->period);
}

static int set_event_frequency(struct option_parse *parse, const char *value)
{
	parse->frequency_given = true;
	return set_frequency(parse, value);
}

static int set_mode(struct option_parse *parse, enum run_mode mode);

static int set_stat(struct option_parse *parse, const char *value)
{
	(void)value;
	return set_mode(parse, MODE_STAT);
}

/* ---- target ---- */

static int add_pids(struct option_parse *parse, const char *value)
{
	int err = pid_list_append(value, &parse->options->pids, &parse->options->pid_count);

	if (err == -EINVAL)
		refuse(parse, value, "a list of process ids (say 812 or 812,813)");
	return err;
}

static int add_tids(struct option_parse *parse, const char *value)
{
	int err = pid_list_append(value, &parse->options->tids, &parse->options->tid_count);

	if (err == -EINVAL)
		refuse(parse, value, "a list of thread ids (say 812 or 812,813)");
	return err;
}

static int set_all(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->all = true;
	return 0;
}

static int set_cpus(struct option_parse *parse, const char *value)
{
	int err;

	cpulist_free(&parse->options->cpus);
	err = cpulist_parse(value, &parse->options->cpus);
	if (err == -EINVAL)
		refuse(parse, value, "a list of CPUs (say 0-3,8)");
	return err;
}

static int add_cgroups(struct option_parse *parse, const char *value)
{
	struct options *options = parse->options;

	for (;;) {
		size_t length = strcspn(value, ",");
		int err;

		if (!length)
			return refuse(parse, value,
				      "a cgroup's path (say system.slice/ssh.service)");
		err = append_text(value, length, &options->cgroups, &options->cgroup_count);
		if (err || !value[length])
			return err;
		value += length + 1;
	}
}

static int set_per_thread(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->per_thread = true;
	return 0;
}

static int set_no_inherit(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->inherit = false;
	return 0;
}

/* ---- bounds ---- */

static int set_duration(struct option_parse *parse, const char *value)
{
	uint64_t *ns = &parse->options->duration_ns;

	if (time_parse(value, NSEC_PER_SEC, ns) || *ns == 0)
		return refuse(parse, value, "a duration above zero (say 10, 0.5, 500ms or 2m)");
	return 0;
}

static int set_interval(struct option_parse *parse, const char *value)
{
	uint64_t *ns = &parse->options->interval_ns;

	if (time_parse(value, NSEC_PER_SEC, ns) || *ns < NSEC_PER_SEC / 1000)
		return refuse(parse, value, "an interval of 1 ms or more (say 1, 0.5 or 100ms)");
	return 0;
}

static int set_max_events(struct option_parse *parse, const char *value)
{
	return set_number(parse, value, 1, UINT64_MAX, "a number of at least 1 (say 1000)",
			  &parse->options->max_events);
}

/* ---- stacks ---- */

static int set_call_graph(struct option_parse *parse, const char *value)
{
	static const struct choice choices[] = {
		{ "auto", CALL_GRAPH_AUTO },
		{ "fp", CALL_GRAPH_FP },
		{ "none", CALL_GRAPH_NONE },
		{},
	};
	int chosen = CALL_GRAPH_AUTO;
	int err = set_choice(parse, value, choices, &chosen);

	parse->options->call_graph = (enum call_graph)chosen;
	return err;
}

static int set_max_stack(struct option_parse *parse, const char *value)
{
	uint64_t frames;
	int err;

	_Static_assert(TRACER_MAX_STACK == 512, "the message and --help name it");
	err = set_number(parse, value, 1, TRACER_MAX_STACK, "a number of frames from 1 to 512",
			 &frames);
	if (!err)
		parse->options->max_stack = (uint32_t)frames;
	return err;
}

static int set_unwind_memory(struct option_parse *parse, const char *value)
{
	uint64_t *bytes = &parse->options->unwind_memory;

	if (size_parse(value, bytes) || *bytes < MIN_UNWIND_BYTES || *bytes > MAX_UNWIND_BYTES)
		return refuse(parse, value, "a size from 1M to 4G (say 64M)");
	return 0;
}

static int set_user_only(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->user_only = true;
	return 0;
}

static int set_kernel_only(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->kernel_only = true;
	return 0;
}

static int set_stacks(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->print_stacks = true;
	return 0;
}

/* ---- output ---- */

static int set_output(struct option_parse *parse, const char *value)
{
	return set_string(parse, value, "a file name", &parse->options->output_path);
}

static int set_format(struct option_parse *parse, const char *value)
{
	parse->format = output_by_name(value);
	if (parse->format)
		return 0;
	log_error("%s: \"%s\" is not a format of this version (%s)", parse->spelling, value,
		  output_names());
	return -EINVAL;
}

static int set_count(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->count = true;
	return 0;
}

static int set_by(struct option_parse *parse, const char *value)
{
	static const struct choice choices[] = {
		{ "comm", BY_COMM }, { "pid", BY_PID },	      { "tid", BY_TID },
		{ "cpu", BY_CPU },   { "cgroup", BY_CGROUP }, {},
	};
	int chosen = BY_COMM;
	int err = set_choice(parse, value, choices, &chosen);

	parse->options->by = (enum count_by)chosen;
	parse->by_given = true;
	return err;
}

/* ---- buffers ---- */

static int set_engine(struct option_parse *parse, const char *value)
{
	static const struct choice choices[] = {
		{ "auto", ENGINE_AUTO },
		{ "bpf", ENGINE_BPF },
		{ "perf", ENGINE_PERF },
		{},
	};
	int chosen = ENGINE_AUTO;
	int err;

	err = set_choice(parse, value, choices, &chosen);
	parse->options->engine = (enum engine)chosen;
	return err;
}

static int set_buffer(struct option_parse *parse, const char *value)
{
	static const struct choice choices[] = {
		{ "auto", BUFFER_AUTO },
		{ "ringbuf", BUFFER_RINGBUF },
		{ "perf", BUFFER_PERF },
		{},
	};
	int chosen = BUFFER_AUTO;
	int err = set_choice(parse, value, choices, &chosen);

	parse->options->buffer = (enum buffer)chosen;
	return err;
}

/* Up to the next power of two of at least one page; pages may be larger than the least size. */
static uint64_t round_buffer(uint64_t bytes)
{
	uint64_t rounded = (uint64_t)sysconf(_SC_PAGESIZE);

	while (rounded < bytes)
		rounded *= 2;
	return rounded;
}

static int set_buffer_size(struct option_parse *parse, const char *value)
{
	uint64_t bytes;

	parse->options->buffer_given = true;
	parse->options->buffer_grows = !strcmp(value, "auto");
	if (parse->options->buffer_grows)
		return 0;
	if (size_parse(value, &bytes) || bytes < MIN_BUFFER_BYTES || bytes > MAX_BUFFER_BYTES)
		return refuse(parse, value, "a size from 4K to 256M (say 512K or 1M), or auto");
	parse->options->buffer_bytes = round_buffer(bytes);
	return 0;
}

static int set_overwrite(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->overwrite = true;
	return 0;
}

/* What it means is found out later, as of events. */
static int add_dump_on(struct option_parse *parse, const char *value)
{
	struct options *options = parse->options;

	if (*value == '\0')
		return refuse(parse, value, "an event (say mem:0x601040:w) or BIN:FUNC");
	return append_text(value, strlen(value), &options->triggers, &options->trigger_count);
}

static int set_aux_size(struct option_parse *parse, const char *value)
{
	uint64_t bytes;

	if (size_parse(value, &bytes) || bytes < MIN_AUX_BYTES || bytes > MAX_AUX_BYTES)
		return refuse(parse, value, "a size from 8K to 1G (say 4M)");
	parse->options->aux_bytes = round_buffer(bytes);
	return 0;
}

static int set_snapshot(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->aux_snapshot = true;
	return 0;
}

/* ---- what to do instead of recording ---- */

static int set_mode(struct option_parse *parse, enum run_mode mode)
{
	enum run_mode *now = &parse->options->mode;

	if (*now != MODE_RECORD && *now != mode) {
		log_error(
			"%s: --check, --list, --stat and --replay exclude each other: run them one by one",
			parse->spelling);
		return -EINVAL;
	}
	*now = mode;
	return 0;
}

static int set_check(struct option_parse *parse, const char *value)
{
	(void)value;
	return set_mode(parse, MODE_CHECK);
}

static int set_list(struct option_parse *parse, const char *value)
{
	static const struct choice choices[] = {
		{ "functions", LIST_FUNCTIONS },
		{ "variables", LIST_VARIABLES },
		{ "usdt", LIST_USDT },
		{ "events", LIST_EVENTS },
		{},
	};
	int kind = LIST_FUNCTIONS;
	int err = set_choice(parse, value, choices, &kind);

	if (err)
		return err;
	parse->options->list = (enum list_kind)kind;
	return set_mode(parse, MODE_LIST);
}

static int set_replay(struct option_parse *parse, const char *value)
{
	int err = set_string(parse, value, "a file name", &parse->options->replay_path);

	return err ? err : set_mode(parse, MODE_REPLAY);
}

static int set_verbose(struct option_parse *parse, const char *value)
{
	(void)value;
	parse->options->verbose++;
	return 0;
}

/* In the order of --help. Those with set NULL end the parsing: see parse_options(). */
const struct option_rule option_rules[] = {
	{ "profile", ID_PROFILE, optional_argument, "HZ", set_profile },
	{ "off-cpu", ID_OFF_CPU, optional_argument, "MIN", set_off_cpu },
	{ "wall", ID_WALL, optional_argument, "HZ", set_wall },
	{ "uprobe", ID_UPROBE, required_argument, "BIN:FUNC[+OFF]", option_add_uprobe },
	{ "uretprobe", ID_URETPROBE, required_argument, "BIN:FUNC", option_add_uretprobe },
	{ "latency", ID_LATENCY, required_argument, "BIN:FUNC", option_add_latency },
	{ "usdt", ID_USDT, required_argument, "BIN:PROVIDER:NAME", option_add_usdt },
	{ "if", ID_IF, required_argument, "EXPR", option_set_if },
	{ "args", ID_ARGS, required_argument, "LIST|none", option_set_args },
	{ "max-string", ID_MAX_STRING, required_argument, "N", option_set_max_string },
	{ "breakpoint", ID_BREAKPOINT, required_argument, "WHERE[/LEN][:ACCESS]",
	  option_add_breakpoint },
	{ "event", 'e', required_argument, "EVENT[,EVENT]", add_events },
	{ "period", 'c', required_argument, "N", set_period },
	{ "freq", 'F', required_argument, "HZ", set_event_frequency },
	{ "stat", ID_STAT, no_argument, NULL, set_stat },
	{ "pid", 'p', required_argument, "PID[,PID]", add_pids },
	{ "tid", 't', required_argument, "TID[,TID]", add_tids },
	{ "all-cpus", 'a', no_argument, NULL, set_all },
	{ "cpu", 'C', required_argument, "CPULIST", set_cpus },
	{ "cgroup", 'G', required_argument, "CGROUP[,CGROUP]", add_cgroups },
	{ "per-thread", ID_PER_THREAD, no_argument, NULL, set_per_thread },
	{ "no-inherit", ID_NO_INHERIT, no_argument, NULL, set_no_inherit },
	{ "duration", 'd', required_argument, "SEC", set_duration },
	{ "interval", ID_INTERVAL, required_argument, "SEC", set_interval },
	{ "max-events", ID_MAX_EVENTS, required_argument, "N", set_max_events },
	{ "call-graph", ID_CALL_GRAPH, required_argument, "auto|fp|none", set_call_graph },
	{ "max-stack", ID_MAX_STACK, required_argument, "N", set_max_stack },
	{ "unwind-mem", ID_UNWIND_MEM, required_argument, "SIZE", set_unwind_memory },
	{ "user-only", ID_USER_ONLY, no_argument, NULL, set_user_only },
	{ "kernel-only", ID_KERNEL_ONLY, no_argument, NULL, set_kernel_only },
	{ "stacks", 'g', no_argument, NULL, set_stacks },
	{ "output", 'o', required_argument, "FILE", set_output },
	{ "format", ID_FORMAT, required_argument, "FORMAT", set_format },
	{ "count", ID_COUNT, no_argument, NULL, set_count },
	{ "by", ID_BY, required_argument, "comm|pid|tid|cpu|cgroup", set_by },
	{ "engine", ID_ENGINE, required_argument, "auto|bpf|perf", set_engine },
	{ "buffer", ID_BUFFER, required_argument, "auto|ringbuf|perf", set_buffer },
	{ "buffer-size", 'm', required_argument, "SIZE|auto", set_buffer_size },
	{ "exact-address", ID_EXACT_ADDRESS, no_argument, NULL, option_set_exact_address },
	{ "overwrite", ID_OVERWRITE, no_argument, NULL, set_overwrite },
	{ "dump-on", ID_DUMP_ON, required_argument, "SOURCE", add_dump_on },
	{ "aux-size", ID_AUX_SIZE, required_argument, "SIZE", set_aux_size },
	{ "snapshot", ID_SNAPSHOT, no_argument, NULL, set_snapshot },
	{ "check", ID_CHECK, no_argument, NULL, set_check },
	{ "list", ID_LIST, required_argument, "functions|variables|events", set_list },
	{ "replay", ID_REPLAY, required_argument, "FILE", set_replay },
	{ "verbose", 'v', no_argument, NULL, set_verbose },
	{ "help", 'h', no_argument, NULL, NULL },
	{ "version", 'V', no_argument, NULL, NULL },
};

_Static_assert(sizeof(option_rules) == OPTION_RULES * sizeof(option_rules[0]), "OPTION_RULES");

void option_rules_defaults(struct options *options)
{
	*options = (struct options){
		.mode = MODE_RECORD,
		.frequency = DEFAULT_FREQUENCY,
		.inherit = true,
		.call_graph = CALL_GRAPH_AUTO,
		.max_stack = DEFAULT_MAX_STACK,
		.max_string = CAPTURES_STRING,
		.unwind_memory = DEFAULT_UNWIND_BYTES,
		.by = BY_COMM,
		.buffer_bytes = round_buffer(DEFAULT_BUFFER_BYTES),
	};
}
