// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line: what each option sets. */
#include "options_fixture.h"

/* What a command line leaves in one field. */
#define FIELD(name, line_text, field, wanted)            \
	static void name(void **state)                   \
	{                                                \
		struct command_line line;                \
		struct options options;                  \
                                                         \
		(void)state;                             \
		parse_good(line_text, &line, &options);  \
		assert_int_equal(options.field, wanted); \
		options_free(&options);                  \
	}

static void test_defaults(void **state)
{
	struct command_line line;
	struct options options;

	(void)state;
	parse_good("", &line, &options);
	assert_int_equal(options.mode, MODE_RECORD);
	assert_true(options.profile);
	assert_false(options.off_cpu || options.wall);
	assert_int_equal(options.frequency, 99);
	assert_int_equal(options.off_cpu_min_ns, 0);
	assert_int_equal(options.probe_count, 0);
	assert_true(options.all);
	assert_int_equal(options.pid_count + options.tid_count + options.cpus.count, 0);
	assert_null(options.command);
	assert_true(options.inherit);
	assert_int_equal(options.duration_ns, 0);
	assert_int_equal(options.max_events, 0);
	assert_int_equal(options.call_graph, CALL_GRAPH_AUTO);
	assert_int_equal(options.max_stack, 512);
	assert_int_equal(options.unwind_memory, 256 << 20);
	assert_false(options.user_only || options.kernel_only || options.print_stacks);
	assert_null(options.output_path);
	assert_ptr_equal(options.format, &output_text);
	assert_int_equal(options.by, BY_COMM);
	assert_int_equal(options.engine, ENGINE_AUTO);
	assert_int_equal(options.buffer, BUFFER_AUTO);
	assert_int_equal(options.buffer_bytes, 1 << 20);
	assert_int_equal(options.verbose, 0);
	assert_string_equal(options.title, "tracer");
	options_free(&options);
	options_free(&options); /* harmless */
}

static void test_sources(void **state)
{
	static const struct {
		const char *line;
		bool profile, off_cpu, wall;
		unsigned frequency;
		uint64_t min_ns;
		size_t probes;
	} cases[] = {
		{ "--profile", true, false, false, 99, 0, 0 },
		{ "--profile=999", true, false, false, 999, 0, 0 },
		{ "--off-cpu", false, true, false, 99, 0, 0 },
		{ "--off-cpu=0", false, true, false, 99, 0, 0 },
		{ "--off-cpu=100", false, true, false, 99, 100000, 0 },
		{ "--off-cpu=100us", false, true, false, 99, 100000, 0 },
		{ "--off-cpu=1.5ms", false, true, false, 99, 1500000, 0 },
		{ "--off-cpu=1s --profile=49", true, true, false, 49, 1000000000, 0 },
		{ "--wall", false, false, true, 99, 0, 0 },
		{ "--wall=100000", false, false, true, 100000, 0, 0 },
		{ "--wall --profile=500", false, false, true, 500, 0, 0 },
		{ "--off-cpu --wall", false, false, true, 99, 0, 0 },
		{ "--uprobe app:f", false, false, false, 99, 0, 1 },
		{ "--uprobe=app:f --profile", true, false, false, 99, 0, 1 },
		{ "--uprobe app:f --uretprobe app:f --breakpoint app:v:w", false, false, false, 99,
		  0, 3 },
		{ "--prof=7", true, false, false, 7, 0, 0 }, /* as getopt_long() completes names */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct command_line line;
		struct options options;

		parse_good(cases[i].line, &line, &options);
		assert_int_equal(options.profile, cases[i].profile);
		assert_int_equal(options.off_cpu, cases[i].off_cpu);
		assert_int_equal(options.wall, cases[i].wall);
		assert_int_equal(options.frequency, cases[i].frequency);
		assert_int_equal(options.off_cpu_min_ns, cases[i].min_ns);
		assert_int_equal(options.probe_count, cases[i].probes);
		options_free(&options);
	}
}

static void test_probe_list(void **state)
{
	struct command_line line;
	struct options options;

	(void)state;
	parse_good("--uprobe ./app:ns::f+4 --uretprobe=libc:malloc --breakpoint ./app:v/4:rw",
		   &line, &options);
	assert_int_equal(options.probe_count, 3);
	assert_int_equal(options.probes[0].kind, PROBE_UPROBE);
	assert_string_equal(options.probes[0].binary, "./app");
	assert_string_equal(options.probes[0].symbol, "ns::f");
	assert_int_equal(options.probes[0].offset, 4);
	assert_int_equal(options.probes[1].kind, PROBE_URETPROBE);
	assert_string_equal(options.probes[1].text, "libc:malloc");
	assert_int_equal(options.probes[2].kind, PROBE_BREAKPOINT);
	assert_string_equal(options.probes[2].symbol, "v");
	assert_int_equal(options.probes[2].length, 4);
	assert_true(options.probes[2].read && options.probes[2].write);
	options_free(&options);
	parse_good("--usdt ./app:app:request --if arg1>10 --usdt=libc:setjmp", &line, &options);
	assert_int_equal(options.probe_count, 2);
	assert_int_equal(options.probes[0].kind, PROBE_USDT);
	assert_string_equal(options.probes[0].provider, "app");
	assert_string_equal(options.probes[0].symbol, "request");
	assert_string_equal(options.probes[0].condition, "arg1>10");
	assert_null(options.probes[1].provider);
	options_free(&options);
	parse_good("--list usdt ./app app:*", &line, &options);
	assert_int_equal(options.list, LIST_USDT);
	options_free(&options);
}

static void test_targets(void **state)
{
	struct command_line line;
	struct options options;

	(void)state;
	parse_good("-p 12,34 --pid=12 -p 56", &line, &options);
	assert_int_equal(options.pid_count, 3); /* 12 once */
	assert_int_equal(options.pids[0], 12);
	assert_int_equal(options.pids[1], 34);
	assert_int_equal(options.pids[2], 56);
	assert_false(options.all);
	options_free(&options);

	parse_good("-t2147483647 --no-inherit", &line, &options);
	assert_int_equal(options.tid_count, 1);
	assert_int_equal(options.tids[0], 2147483647);
	assert_false(options.all || options.inherit);
	options_free(&options);

	parse_good("-C 0-1,4", &line, &options);
	assert_int_equal(options.cpus.count, 3);
	assert_int_equal(options.cpus.cpus[2], 4);
	assert_true(options.all);
	options_free(&options);

	parse_good("-C 0 -C 5", &line, &options); /* the last one counts */
	assert_int_equal(options.cpus.count, 1);
	assert_int_equal(options.cpus.cpus[0], 5);
	options_free(&options);
}

/* Options of COMMAND are its own. */
static void test_command(void **state)
{
	static const struct {
		const char *line;
		int first; /* COMMAND's place in argv */
		bool all;
	} cases[] = {
		{ "ls", 1, false },
		{ "ls -p 1 --nonsense -h", 1, false },
		{ "-- ls", 2, false },
		{ "-- --profile", 2, false },
		{ "-g -d 5 ls -a -- -x", 4, false },
		{ "--profile 99 ls", 2, false }, /* HZ goes with '=' only */
		{ "-a ls", 2, true },
		{ "- x", 1, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct command_line line;
		struct options options;

		parse_good(cases[i].line, &line, &options);
		assert_ptr_equal(options.command, line.argv + cases[i].first);
		assert_int_equal(options.all, cases[i].all);
		assert_int_equal(options.pid_count, 0);
		options_free(&options);
	}
}

static void test_output(void **state)
{
	static const struct {
		const char *line;
		const struct output_ops *format;
		const char *path;
	} cases[] = {
		{ "-o x.txt", &output_text, "x.txt" },
		{ "-o x.json", &output_json, "x.json" },
		{ "-o x.jsonl", &output_json, "x.jsonl" },
		{ "-o x.perf", &output_perf_script, "x.perf" },
		{ "--output=a.b/x.folded", &output_folded, "a.b/x.folded" },
		{ "-ox.svg", &output_svg, "x.svg" },
		{ "-o a.svg -o x.json", &output_json, "x.json" },
		{ "-o x", &output_text, "x" },
		{ "-o /dev/full", &output_text, "/dev/full" },
		{ "-o a.b/x", &output_text, "a.b/x" },
		{ "-o .hidden", &output_text, ".hidden" },
		{ "-o -", &output_text, NULL },
		{ "-o - --format json", &output_json, NULL },
		{ "-o x.svg --format=folded", &output_folded, "x.svg" },
		{ "--format text -o x.xyz", &output_text, "x.xyz" },
		{ "--format perf-script", &output_perf_script, NULL },
		{ "--format svg", &output_svg, NULL },
		{ "--count", &output_count, NULL },
		{ "--count -o x.txt", &output_count, "x.txt" },
		{ "-o x.xyz --count", &output_count, "x.xyz" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct command_line line;
		struct options options;

		parse_good(cases[i].line, &line, &options);
		assert_ptr_equal(options.format, cases[i].format);
		if (cases[i].path)
			assert_string_equal(options.output_path, cases[i].path);
		else
			assert_null(options.output_path);
		options_free(&options);
	}
}

FIELD(test_duration_bare, "-d 10", duration_ns, 10000000000)
FIELD(test_duration_fraction, "-d 0.5", duration_ns, 500000000)
FIELD(test_duration_ms, "--duration=500ms", duration_ns, 500000000)
FIELD(test_duration_minutes, "-d 2m", duration_ns, 120000000000)
FIELD(test_max_events, "--max-events 18446744073709551615", max_events, UINT64_MAX)
FIELD(test_call_graph_auto, "--call-graph=auto", call_graph, CALL_GRAPH_AUTO)
FIELD(test_call_graph_fp, "--call-graph fp", call_graph, CALL_GRAPH_FP)
FIELD(test_call_graph_none, "--call-graph none", call_graph, CALL_GRAPH_NONE)
FIELD(test_unwind_mem, "--unwind-mem 64M", unwind_memory, 64 << 20)
FIELD(test_max_stack_least, "--max-stack 1", max_stack, 1)
FIELD(test_max_stack_most, "--max-stack=512", max_stack, 512)
FIELD(test_user_only, "--user-only", user_only, true)
FIELD(test_kernel_only, "--kernel-only", kernel_only, true)
FIELD(test_stacks, "-g", print_stacks, true)
FIELD(test_by_comm, "--count --by comm", by, BY_COMM)
FIELD(test_by_pid, "--count --by pid", by, BY_PID)
FIELD(test_by_tid, "--by tid --format folded", by, BY_TID)
FIELD(test_by_cpu, "--by=cpu -o x.svg", by, BY_CPU)
FIELD(test_by_cgroup, "--count --by cgroup", by, BY_CGROUP)
FIELD(test_engine_auto, "--engine auto", engine, ENGINE_AUTO)
FIELD(test_engine_bpf, "--engine bpf", engine, ENGINE_BPF)
FIELD(test_engine_perf, "--engine perf", engine, ENGINE_PERF)
FIELD(test_buffer_grows, "-m auto", buffer_grows, true)
FIELD(test_overwrite, "--overwrite", overwrite, true)
FIELD(test_aux_size, "-e cs --aux-size 5000K", aux_bytes, 8u << 20)
FIELD(test_snapshot, "-e cs --snapshot", aux_snapshot, true)
FIELD(test_triggers, "--overwrite --dump-on a:b --dump-on cs", trigger_count, 2)
FIELD(test_stat, "--stat", mode, MODE_STAT)
FIELD(test_event_count, "-e cycles,cs -e {a,b}:u", event_count, 2)
FIELD(test_period, "-e cs -c 5", period, 5)
FIELD(test_event_frequency, "-e cs -F 5", frequency, 5)
FIELD(test_interval, "--stat --interval 0.5", interval_ns, 500000000)
FIELD(test_cgroup_count, "-G a,b -G c", cgroup_count, 3)
FIELD(test_cgroups_are_everything, "-G a", all, true)
FIELD(test_per_thread, "--per-thread -p 1", per_thread, true)
FIELD(test_per_thread_alone, "--per-thread -p 1", inherit, false)
FIELD(test_replay, "--replay x.data", mode, MODE_REPLAY)
FIELD(test_list_events, "--list events", list, LIST_EVENTS)
FIELD(test_buffer_auto, "--buffer auto", buffer, BUFFER_AUTO)
FIELD(test_buffer_ringbuf, "--buffer ringbuf", buffer, BUFFER_RINGBUF)
FIELD(test_buffer_perf, "--buffer=perf", buffer, BUFFER_PERF)
FIELD(test_buffer_size_k, "-m 512K", buffer_bytes, 512 << 10)
FIELD(test_buffer_size_bytes, "-m 1048576", buffer_bytes, 1 << 20)
FIELD(test_buffer_size_up, "--buffer-size=513k", buffer_bytes, 1 << 20)
FIELD(test_buffer_size_most, "-m 256M", buffer_bytes, 256 << 20)
FIELD(test_verbose, "-vv --verbose", verbose, 3)
FIELD(test_check, "--check -v", mode, MODE_CHECK)
FIELD(test_help, "--help --nonsense", mode, MODE_HELP)
FIELD(test_help_short, "-gh", mode, MODE_HELP)
FIELD(test_version, "-V", mode, MODE_VERSION)
FIELD(test_version_long, "--version", mode, MODE_VERSION)

static void test_buffer_size_least(void **state)
{
	struct command_line line;
	struct options options;

	(void)state;
	parse_good("-m 4K", &line, &options);
	assert_int_equal(options.buffer_bytes, sysconf(_SC_PAGESIZE));
	options_free(&options);
}

static void test_list(void **state)
{
	struct command_line line;
	struct options options;

	(void)state;
	parse_good("--list functions ./app", &line, &options);
	assert_int_equal(options.mode, MODE_LIST);
	assert_int_equal(options.list, LIST_FUNCTIONS);
	assert_string_equal(options.list_binary, "./app");
	assert_null(options.list_pattern);
	assert_null(options.command);
	options_free(&options);

	parse_good("--list=variables ./app conf*", &line, &options);
	assert_int_equal(options.list, LIST_VARIABLES);
	assert_string_equal(options.list_pattern, "conf*");
	options_free(&options);
}

static void test_title(void **state)
{
	struct command_line line;
	struct options options;

	(void)state;
	parse_good("-d 5 -- ls -la", &line, &options);
	assert_string_equal(options.title, "tracer -d 5 -- ls -la");
	options_free(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_probe_list),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_duration_bare),
		cmocka_unit_test(test_duration_fraction),
		cmocka_unit_test(test_duration_ms),
		cmocka_unit_test(test_duration_minutes),
		cmocka_unit_test(test_max_events),
		cmocka_unit_test(test_call_graph_auto),
		cmocka_unit_test(test_call_graph_fp),
		cmocka_unit_test(test_call_graph_none),
		cmocka_unit_test(test_unwind_mem),
		cmocka_unit_test(test_max_stack_least),
		cmocka_unit_test(test_max_stack_most),
		cmocka_unit_test(test_user_only),
		cmocka_unit_test(test_kernel_only),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_by_comm),
		cmocka_unit_test(test_by_pid),
		cmocka_unit_test(test_by_tid),
		cmocka_unit_test(test_by_cpu),
		cmocka_unit_test(test_by_cgroup),
		cmocka_unit_test(test_engine_auto),
		cmocka_unit_test(test_engine_bpf),
		cmocka_unit_test(test_engine_perf),
		cmocka_unit_test(test_buffer_grows),
		cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_aux_size),
		cmocka_unit_test(test_snapshot),
		cmocka_unit_test(test_triggers),
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_event_count),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_event_frequency),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_cgroup_count),
		cmocka_unit_test(test_cgroups_are_everything),
		cmocka_unit_test(test_per_thread),
		cmocka_unit_test(test_per_thread_alone),
		cmocka_unit_test(test_list_events),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_buffer_auto),
		cmocka_unit_test(test_buffer_ringbuf),
		cmocka_unit_test(test_buffer_perf),
		cmocka_unit_test(test_buffer_size_k),
		cmocka_unit_test(test_buffer_size_bytes),
		cmocka_unit_test(test_buffer_size_up),
		cmocka_unit_test(test_buffer_size_most),
		cmocka_unit_test(test_buffer_size_least),
		cmocka_unit_test(test_verbose),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_help_short),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_version_long),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_title),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
