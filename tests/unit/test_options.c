// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line: what each option sets, and word for word what is said about each mistake. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/values.h"
#include "options.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_ARGS     32

/* A command line of words parted by blanks, with "tracer" before them. */
struct command_line {
	char text[1024];
	char *argv[MAX_ARGS];
	int argc;
};

static void split(struct command_line *line, const char *text)
{
	char *rest;

	snprintf(line->text, sizeof(line->text), "tracer %s", text);
	line->argc = 0;
	for (char *word = strtok_r(line->text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		assert_true(line->argc < MAX_ARGS - 1);
		line->argv[line->argc++] = word;
	}
	line->argv[line->argc] = NULL;
}

/* Puts a memory file in place of stdout or stderr until released. */
struct capture {
	int fd, saved, file;
};

static void capture_begin(struct capture *capture, int fd)
{
	fflush(NULL);
	capture->fd = fd;
	capture->saved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	capture->file = memfd_create("capture", MFD_CLOEXEC);
	assert_true(capture->saved >= 0 && capture->file >= 0);
	assert_int_equal(dup2(capture->file, fd), fd);
}

static void capture_end(struct capture *capture, char *text, size_t size)
{
	ssize_t length;

	fflush(NULL);
	assert_int_equal(dup2(capture->saved, capture->fd), capture->fd);
	length = pread(capture->file, text, size - 1, 0);
	assert_true(length >= 0);
	text[length] = '\0';
	close(capture->file);
	close(capture->saved);
}

/* Parses, and gets what was said on stderr. */
static int parse_argv(int argc, char **argv, struct options *options, char *said, size_t size)
{
	struct capture capture;
	int err;

	capture_begin(&capture, STDERR_FILENO);
	err = options_parse(argc, argv, options);
	capture_end(&capture, said, size);
	return err;
}

/* The line must stay as long as options->command is used. */
static void parse_good(const char *text, struct command_line *line, struct options *options)
{
	char said[1024];

	split(line, text);
	if (parse_argv(line->argc, line->argv, options, said, sizeof(said)))
		fail_msg("\"%s\" was refused: %s", text, said);
	assert_string_equal(said, "");
}

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

/* Exactly this line on stderr, -EINVAL, and nothing left to free. */
static void check_refused(int argc, char **argv, const char *shown, const char *message)
{
	struct options options;
	char said[1024], wanted[1024];
	int err = parse_argv(argc, argv, &options, said, sizeof(said));

	snprintf(wanted, sizeof(wanted), "tracer: %s\n", message);
	if (err != -EINVAL)
		fail_msg("\"%s\" gave %d", shown, err);
	if (strcmp(said, wanted))
		fail_msg("\"%s\" said:\n%swanted:\n%s", shown, said, wanted);
	assert_null(options.title);
	assert_null(options.probes);
	assert_null(options.output_path);
}

struct mistake {
	const char *line, *message;
};

static void check_mistakes(const struct mistake *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct command_line line;

		split(&line, cases[i].line);
		check_refused(line.argc, line.argv, cases[i].line, cases[i].message);
	}
}

static void test_value_mistakes(void **state)
{
	static const struct mistake cases[] = {
		{ "--off-cpu=abc", "--off-cpu: \"abc\" is not a time (say 100us, 5ms or 1s)" },
		{ "--off-cpu=", "--off-cpu: \"\" is not a time (say 100us, 5ms or 1s)" },
		{ "--off-cpu=-1", "--off-cpu: \"-1\" is not a time (say 100us, 5ms or 1s)" },
		{ "--off=5x", "--off-cpu: \"5x\" is not a time (say 100us, 5ms or 1s)" },
		{ "--profile=0",
		  "--profile: \"0\" is not a frequency from 1 to 100000 Hz (say 99)" },
		{ "--profile=99Hz",
		  "--profile: \"99Hz\" is not a frequency from 1 to 100000 Hz (say 99)" },
		{ "--wall=100001",
		  "--wall: \"100001\" is not a frequency from 1 to 100000 Hz (say 99)" },
		{ "--uprobe abc", "--uprobe: \"abc\": there is no ':' between file and function "
				  "(say ./app:handle, ./app:handle+0x10 or ./app:0x1234)" },
		{ "--uretprobe app:f+4",
		  "--uretprobe: \"app:f+4\": a function returns as a whole: "
		  "leave the offset out (say ./app:handle or ./app:0x1234)" },
		{ "--breakpoint v/3:w",
		  "--breakpoint: \"v/3:w\": the length behind '/' is not 1, 2, 4 or 8 "
		  "(say ./app:counter:w, counter/4:rw or 0x4010/8:w)" },
		{ "-p abc", "-p: \"abc\" is not a list of process ids (say 812 or 812,813)" },
		{ "--pid=0", "--pid: \"0\" is not a list of process ids (say 812 or 812,813)" },
		{ "-p 1,", "-p: \"1,\" is not a list of process ids (say 812 or 812,813)" },
		{ "-t 2147483648",
		  "-t: \"2147483648\" is not a list of thread ids (say 812 or 812,813)" },
		{ "--tid -1", "--tid: \"-1\" is not a list of thread ids (say 812 or 812,813)" },
		{ "-C 3-1", "-C: \"3-1\" is not a list of CPUs (say 0-3,8)" },
		{ "-d 0", "-d: \"0\" is not a duration above zero (say 10, 0.5, 500ms or 2m)" },
		{ "-d 1e3", "-d: \"1e3\" is not a duration above zero (say 10, 0.5, 500ms or 2m)" },
		{ "--duration=nan",
		  "--duration: \"nan\" is not a duration above zero (say 10, 0.5, 500ms or 2m)" },
		{ "--max-events 0",
		  "--max-events: \"0\" is not a number of at least 1 (say 1000)" },
		{ "--max-events 18446744073709551616",
		  "--max-events: \"18446744073709551616\" is not a number of at least 1 "
		  "(say 1000)" },
		{ "--call-graph dwarf", "--call-graph: \"dwarf\" is not one of auto, fp, none" },
		{ "--max-stack 0", "--max-stack: \"0\" is not a number of frames from 1 to 512" },
		{ "--max-stack 513",
		  "--max-stack: \"513\" is not a number of frames from 1 to 512" },
		{ "--by host", "--by: \"host\" is not one of comm, pid, tid, cpu, cgroup" },
		{ "--engine x", "--engine: \"x\" is not one of auto, bpf, perf" },
		{ "-c 0",
		  "-c: \"0\" is not a number of events from 1 to 9223372036854775807 (say 100000)" },
		{ "-F 0", "-F: \"0\" is not a frequency from 1 to 100000 Hz (say 99)" },
		{ "-G a,,b", "-G: \",b\" is not a cgroup's path (say system.slice/ssh.service)" },
		{ "--interval 0",
		  "--interval: \"0\" is not an interval of 1 ms or more (say 1, 0.5 or 100ms)" },
		{ "--list x", "--list: \"x\" is not one of functions, variables, events" },
		{ "--buffer x", "--buffer: \"x\" is not one of auto, ringbuf, perf" },
		{ "-m 4095",
		  "-m: \"4095\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
		{ "-m 257M",
		  "-m: \"257M\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
		{ "-m 1T", "-m: \"1T\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
		{ "-m 1MB", "-m: \"1MB\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
		{ "--buffer-size K",
		  "--buffer-size: \"K\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
		{ "-m 18014398509481985K",
		  "-m: \"18014398509481985K\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
		{ "--list usdt", "--list: \"usdt\" is not one of functions, variables, events" },
		{ "--output=", "--output: \"\" is not a file name" },
	};

	(void)state;
	check_mistakes(cases, COUNT(cases));
}

static void test_usage_mistakes(void **state)
{
	static const struct mistake cases[] = {
		{ "--nonsense", "--nonsense: no such option in this version (see tracer --help)" },
		{ "--nonsense=4",
		  "--nonsense: no such option in this version (see tracer --help)" },
		{ "-gx", "-x: no such option in this version (see tracer --help)" },
		{ "--check=3", "--check: takes no value (see tracer --help)" },
		{ "--help=3", "--help: takes no value (see tracer --help)" },
		{ "-p", "-p: needs a value: PID[,PID] (see tracer --help)" },
		{ "-g --pid", "--pid: needs a value: PID[,PID] (see tracer --help)" },
		{ "--uprobe", "--uprobe: needs a value: BIN:FUNC[+OFF] (see tracer --help)" },
		{ "--u x",
		  "--u: could be any of --uprobe, --uretprobe, --unwind-mem, --user-only: write it out" },
		/* of later versions */
		{ "--latency app:f",
		  "--latency: no such option in this version (see tracer --help)" },
		{ "--usdt a:b:c", "--usdt: no such option in this version (see tracer --help)" },
		{ "--if x", "--if: no such option in this version (see tracer --help)" },
		{ "--usdt", "--usdt: no such option in this version (see tracer --help)" },
		{ "-Z", "-Z: no such option in this version (see tracer --help)" },
		{ "--diff f", "--diff: no such option in this version (see tracer --help)" },
		{ "-Z x", "-Z: no such option in this version (see tracer --help)" },
		{ "--overwrite",
		  "--overwrite: no such option in this version (see tracer --help)" },
		{ "--aux-size 1M",
		  "--aux-size: no such option in this version (see tracer --help)" },
		{ "--snapshot", "--snapshot: no such option in this version (see tracer --help)" },
		{ "--wakers", "--wakers: no such option in this version (see tracer --help)" },
	};

	(void)state;
	check_mistakes(cases, COUNT(cases));
}

static void test_contradictions(void **state)
{
	static const struct mistake cases[] = {
		{ "-p 1 ls", "-p: contradicts the command \"ls\": record what runs or start it" },
		{ "-t 1 -- ls",
		  "-t: contradicts the command \"ls\": record what runs or start it" },
		{ "-p 1 -t 2", "-p: contradicts -t: name processes or threads, not both" },
		{ "-a -p 1", "-a: contradicts -p and -t: record everything or the chosen ones" },
		{ "-t 1 -a", "-a: contradicts -p and -t: record everything or the chosen ones" },
		{ "--off-cpu=1ms --wall", "--off-cpu=MIN: contradicts --wall, which adds up all "
					  "waits: leave MIN or --wall out" },
		{ "--user-only --kernel-only",
		  "--user-only: contradicts --kernel-only: leave out both to see both" },
		{ "--count --format svg", "--count: contradicts --format: leave one of them out" },
		{ "--by pid",
		  "--by: format text prints single events: use --count, folded or svg" },
		{ "--by pid -o x.json",
		  "--by: format json prints single events: use --count, folded or svg" },
		{ "--check --list functions ./app",
		  "--list: --check, --list, --stat and --replay exclude each other: run them one by one" },
		{ "--stat --check",
		  "--check: --check, --list, --stat and --replay exclude each other: run them one by one" },
		{ "--stat --profile",
		  "--stat: counts events (-e) and records nothing: leave it or the source out" },
		{ "--stat --count",
		  "--count: contradicts --stat, which prints a table of its own" },
		{ "--stat -e cs -c 5", "-c and -F: contradict --stat, which takes no samples" },
		{ "--stat --max-events 5",
		  "--max-events: contradicts --stat, which counts them all" },
		{ "--stat -o x.svg", "--stat: prints text or json, not svg" },
		{ "--stat --by pid", "--by: --stat has rows by cpu, tid or cgroup" },
		{ "--stat --by cgroup", "--by cgroup: name the cgroups to count with -G" },
		{ "--stat -a --by tid",
		  "--by tid: needs threads (-t), processes (-p) or a COMMAND" },
		{ "--replay x --profile",
		  "--replay: shows what was recorded: leave the source out" },
		{ "--replay x -p 1",
		  "--replay: shows all that was recorded: leave the target out" },
		{ "--replay x ls", "--replay: shows all that was recorded: leave the target out" },
		{ "--interval 1", "--interval: only --stat reports more than once" },
		{ "-e cs --profile",
		  "--profile: is an event of its own: leave it out, or name it with -e cpu-clock" },
		{ "-e cs -c 1 -F 1", "-c: contradicts -F: sample by count or by frequency" },
		{ "-c 1",
		  "-c and -F: are about the events of -e: name some (or use --profile=HZ)" },
		{ "-G a -p 1", "-G: contradicts -p and -t: record cgroups or tasks" },
		{ "--per-thread", "--per-thread: name threads (-t), processes (-p) or a COMMAND" },
		{ "--per-thread -a",
		  "--per-thread: contradicts -a and -G: name threads, processes or a COMMAND" },
		{ "--per-thread -C 0 -p 1",
		  "--per-thread: contradicts -C: threads are followed wherever they run" },
		{ "--list events a b",
		  "--list events: \"b\": nothing may follow PATTERN (put options first)" },
		{ "--check ls", "--check: \"ls\": it takes no command (leave it out)" },
		{ "--list functions", "--list: needs a binary (say --list functions ./app)" },
		{ "--list functions a b c",
		  "--list: \"c\": nothing may follow BIN and PATTERN (put "
		  "options first)" },
	};

	(void)state;
	check_mistakes(cases, COUNT(cases));
}

/* The names of the formats are output.c's. */
static void test_format_mistakes(void **state)
{
	struct command_line line;
	char message[512];

	(void)state;
	split(&line, "-o dir.svg/x.xyz");
	snprintf(message, sizeof(message),
		 "-o: \"dir.svg/x.xyz\" has an ending of no format: name one with --format (%s)",
		 output_names());
	check_refused(line.argc, line.argv, "-o dir.svg/x.xyz", message);

	split(&line, "--format pprof");
	snprintf(message, sizeof(message),
		 "--format: \"pprof\" is not a format of this version (%s)", output_names());
	check_refused(line.argc, line.argv, "--format pprof", message);
}

/* Words that a blank-parted line cannot hold. */
static void test_odd_words(void **state)
{
	char *empty[] = { "tracer", "-o", "", NULL };
	char *hostile[] = { "tracer", "-p", "1\x1b[31m\n2", NULL };
	char *nothing[] = { NULL };
	struct options options;
	char said[1024];

	(void)state;
	check_refused(3, empty, "-o ''", "-o: \"\" is not a file name");

	assert_int_equal(parse_argv(3, hostile, &options, said, sizeof(said)), -EINVAL);
	assert_null(strchr(said, '\x1b'));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */

	assert_int_equal(parse_argv(0, nothing, &options, said, sizeof(said)), 0);
	assert_true(options.all && !options.command);
	options_free(&options);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 },
		{ "7", 7000 },
		{ "7ns", 7 },
		{ "1.5us", 1500 },
		{ "0.001", 1 },
		{ "0.0019", 1 }, /* cut, not rounded */
		{ "0.123456789s", 123456789 },
		{ "1.0000000009s", 1000000000 },
		{ "0.00000000001m", 0 },
		{ "9223372036854775807ns", INT64_MAX },
	};
	static const char *const bad[] = {
		"",
		" 1",
		"1 ",
		"1 s",
		"+1",
		"-1",
		"1.",
		".5",
		"1.s",
		"s",
		"1e3",
		"0x10",
		"inf",
		"nan",
		"1h",
		"1S",
		"1.2.3",
		"1,5",
		"9223372036854775808ns",
		"18446744073709551616",
		"9223372037s",
		"9223372036.9s",
		"307445734561825861m",
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(time_parse(good[i].text, 1000, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (time_parse(bad[i], 1000, &ns) != -EINVAL)
			fail_msg("\"%s\" was not refused", bad[i]);
	}
}

/* --help is complete: every "--word" in it is an option, and every option is in it. */
static void test_help_text(void **state)
{
	static const char *const names[] = {
		"profile",    "off-cpu",     "wall",	  "uprobe",	"uretprobe",  "breakpoint",
		"pid",	      "tid",	     "all-cpus",  "cpu",	"no-inherit", "duration",
		"max-events", "call-graph",  "max-stack", "unwind-mem", "user-only",  "kernel-only",
		"stacks",     "output",	     "format",	  "count",	"by",	      "engine",
		"buffer",     "buffer-size", "check",	  "list",	"verbose",    "help",
		"version",    "event",	     "period",	  "freq",	"stat",	      "cgroup",
		"per-thread", "interval",    "replay",
	};
	struct capture capture;
	char help[16384];
	size_t words = 0;

	(void)state;
	capture_begin(&capture, STDOUT_FILENO);
	options_print_help();
	capture_end(&capture, help, sizeof(help));

	for (size_t i = 0; i < COUNT(names); i++) {
		char word[32];
		char *at;

		snprintf(word, sizeof(word), " --%s", names[i]);
		at = strstr(help, word);
		while (at && strchr("abcdefghijklmnopqrstuvwxyz-", at[strlen(word)]))
			at = strstr(at + 1, word); /* a longer option's beginning */
		if (!at)
			fail_msg("--%s is not in --help", names[i]);
	}
	for (char *at = strstr(help, " --"); at; at = strstr(at + 1, " --")) {
		size_t length = strspn(at + 3, "abcdefghijklmnopqrstuvwxyz-");
		size_t i = 0;

		if (length == 0)
			continue; /* "--" itself */
		while (i < COUNT(names) &&
		       (strlen(names[i]) != length || memcmp(names[i], at + 3, length)))
			i++;
		if (i == COUNT(names))
			fail_msg("--%.*s of --help is no option", (int)length, at + 3);
		words++;
	}
	assert_true(words >= COUNT(names));
}

static void test_help_layout(void **state)
{
	struct capture capture;
	char help[16384];
	char *rest;

	(void)state;
	capture_begin(&capture, STDOUT_FILENO);
	options_print_help();
	capture_end(&capture, help, sizeof(help));

	assert_null(strchr(help, '\t'));
	assert_int_equal(help[strlen(help) - 1], '\n');
	for (char *line = strtok_r(help, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		assert_in_range(strlen(line), 1, 100);
		assert_int_not_equal(line[strlen(line) - 1], ' ');
	}
}

/* Every example of --help is accepted. */
static void test_help_examples(void **state)
{
	struct capture capture;
	char help[16384];
	char *rest, *line;
	size_t examples = 0;

	(void)state;
	capture_begin(&capture, STDOUT_FILENO);
	options_print_help();
	capture_end(&capture, help, sizeof(help));

	line = strstr(help, "\n  tracer ");
	assert_non_null(line);
	for (line = strtok_r(line, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct command_line words;
		struct options options;

		line += strlen("  tracer ");
		*strstr(line, "  ") = '\0'; /* what it is for */
		parse_good(line, &words, &options);
		options_free(&options);
		examples++;
	}
	assert_true(examples >= 5);
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
		cmocka_unit_test(test_value_mistakes),
		cmocka_unit_test(test_usage_mistakes),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_format_mistakes),
		cmocka_unit_test(test_odd_words),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_help_text),
		cmocka_unit_test(test_help_layout),
		cmocka_unit_test(test_help_examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
