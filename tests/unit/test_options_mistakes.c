// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line: word for word what is said about each mistake. */
#include "options_fixture.h"

#include <errno.h>

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

static const struct mistake value_mistakes[] = {
	{ "--off-cpu=abc", "--off-cpu: \"abc\" is not a time (say 100us, 5ms or 1s)" },
	{ "--off-cpu=", "--off-cpu: \"\" is not a time (say 100us, 5ms or 1s)" },
	{ "--off-cpu=-1", "--off-cpu: \"-1\" is not a time (say 100us, 5ms or 1s)" },
	{ "--off=5x", "--off-cpu: \"5x\" is not a time (say 100us, 5ms or 1s)" },
	{ "--profile=0", "--profile: \"0\" is not a frequency from 1 to 100000 Hz (say 99)" },
	{ "--profile=99Hz", "--profile: \"99Hz\" is not a frequency from 1 to 100000 Hz (say 99)" },
	{ "--wall=100001", "--wall: \"100001\" is not a frequency from 1 to 100000 Hz (say 99)" },
	{ "--uprobe abc",
	  "--uprobe: \"abc\": there is no ':' between file and function "
	  "(say ./app:handle, ./app:handle+0x10, ./app:0x1234, libc:'mem*' or ./app:/^handle_/)" },
	{ "--uretprobe app:f+4", "--uretprobe: \"app:f+4\": a function returns as a whole: "
				 "leave the offset out (say ./app:handle or ./app:0x1234)" },
	{ "--breakpoint v/3:w",
	  "--breakpoint: \"v/3:w\": the length behind '/' is not 1, 2, 4 or 8 "
	  "(say ./app:counter:w, counter/4:rw or 0x4010/8:w)" },
	{ "-p abc", "-p: \"abc\" is not a list of process ids (say 812 or 812,813)" },
	{ "--pid=0", "--pid: \"0\" is not a list of process ids (say 812 or 812,813)" },
	{ "-p 1,", "-p: \"1,\" is not a list of process ids (say 812 or 812,813)" },
	{ "-t 2147483648", "-t: \"2147483648\" is not a list of thread ids (say 812 or 812,813)" },
	{ "--tid -1", "--tid: \"-1\" is not a list of thread ids (say 812 or 812,813)" },
	{ "-C 3-1", "-C: \"3-1\" is not a list of CPUs (say 0-3,8)" },
	{ "-d 0", "-d: \"0\" is not a duration above zero (say 10, 0.5, 500ms or 2m)" },
	{ "-d 1e3", "-d: \"1e3\" is not a duration above zero (say 10, 0.5, 500ms or 2m)" },
	{ "--duration=nan",
	  "--duration: \"nan\" is not a duration above zero (say 10, 0.5, 500ms or 2m)" },
	{ "--max-events 0", "--max-events: \"0\" is not a number of at least 1 (say 1000)" },
	{ "--max-events 18446744073709551616",
	  "--max-events: \"18446744073709551616\" is not a number of at least 1 "
	  "(say 1000)" },
	{ "--call-graph dwarf", "--call-graph: \"dwarf\" is not one of auto, fp, none" },
	{ "--max-stack 0", "--max-stack: \"0\" is not a number of frames from 1 to 512" },
	{ "--max-stack 513", "--max-stack: \"513\" is not a number of frames from 1 to 512" },
	{ "--by host", "--by: \"host\" is not one of comm, pid, tid, cpu, cgroup" },
	{ "--engine x", "--engine: \"x\" is not one of auto, bpf, perf" },
	{ "-c 0",
	  "-c: \"0\" is not a number of events from 1 to 9223372036854775807 (say 100000)" },
	{ "-F 0", "-F: \"0\" is not a frequency from 1 to 100000 Hz (say 99)" },
	{ "-G a,,b", "-G: \",b\" is not a cgroup's path (say system.slice/ssh.service)" },
	{ "--interval 0",
	  "--interval: \"0\" is not an interval of 1 ms or more (say 1, 0.5 or 100ms)" },
	{ "--list x", "--list: \"x\" is not one of functions, variables, usdt, events" },
	{ "--buffer x", "--buffer: \"x\" is not one of auto, ringbuf, perf" },
	{ "-m 4095", "-m: \"4095\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
	{ "-m 257M", "-m: \"257M\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
	{ "-m 1T", "-m: \"1T\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
	{ "-m 1MB", "-m: \"1MB\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
	{ "--buffer-size K",
	  "--buffer-size: \"K\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
	{ "-m 18014398509481985K",
	  "-m: \"18014398509481985K\" is not a size from 4K to 256M (say 512K or 1M), or auto" },
	{ "--aux-size 4K", "--aux-size: \"4K\" is not a size from 8K to 1G (say 4M)" },
	{ "--aux-size 2G", "--aux-size: \"2G\" is not a size from 8K to 1G (say 4M)" },
	{ "--dump-on=", "--dump-on: \"\" is not an event (say mem:0x601040:w) or BIN:FUNC" },
	{ "--list usd", "--list: \"usd\" is not one of functions, variables, usdt, events" },
	{ "--usdt app", "--usdt: \"app\": there is no ':' between file and probe "
			"(say ./app:app:request, libc:setjmp or ./app:'*':'query*')" },
	{ "--usdt app:", "--usdt: \"app:\": there is no name behind ':' "
			 "(say ./app:app:request, libc:setjmp or ./app:'*':'query*')" },
	{ "--usdt app:p:", "--usdt: \"app:p:\": a provider or a name is missing "
			   "(say ./app:app:request, libc:setjmp or ./app:'*':'query*')" },
	{ "--usdt app:p:n:x",
	  "--usdt: \"app:p:n:x\": behind the file come a provider and a name, and no more "
	  "(say ./app:app:request, libc:setjmp or ./app:'*':'query*')" },
	{ "--usdt :p:n", "--usdt: \":p:n\": there is no file before ':' "
			 "(say ./app:app:request, libc:setjmp or ./app:'*':'query*')" },
	{ "--output=", "--output: \"\" is not a file name" },
};

static void test_value_mistakes(void **state)
{
	(void)state;
	check_mistakes(value_mistakes, COUNT(value_mistakes));
}

static const struct mistake usage_mistakes[] = {
	{ "--nonsense", "--nonsense: no such option in this version (see tracer --help)" },
	{ "--nonsense=4", "--nonsense: no such option in this version (see tracer --help)" },
	{ "-gx", "-x: no such option in this version (see tracer --help)" },
	{ "--check=3", "--check: takes no value (see tracer --help)" },
	{ "--help=3", "--help: takes no value (see tracer --help)" },
	{ "-p", "-p: needs a value: PID[,PID] (see tracer --help)" },
	{ "-g --pid", "--pid: needs a value: PID[,PID] (see tracer --help)" },
	{ "--uprobe", "--uprobe: needs a value: BIN:FUNC[+OFF] (see tracer --help)" },
	{ "--u x",
	  "--u: could be any of --uprobe, --uretprobe, --usdt, --unwind-mem, --user-only: write it out" },
	/* of later versions */
	{ "--latency", "--latency: needs a value: BIN:FUNC (see tracer --help)" },
	{ "--if pid==1",
	  "--if: stands behind the probe that it is about (--uprobe BIN:FUNC --if EXPR)" },
	{ "--uprobe a:b --off-cpu --if pid==1",
	  "--if: stands behind the probe that it is about (--uprobe BIN:FUNC --if EXPR)" },
	{ "--uprobe a:b --if pid==1 --if pid==2",
	  "--if: a:b has one already: join the two with &&" },
	{ "--usdt", "--usdt: needs a value: BIN:PROVIDER:NAME (see tracer --help)" },
	{ "-Z", "-Z: no such option in this version (see tracer --help)" },
	{ "--diff f", "--diff: no such option in this version (see tracer --help)" },
	{ "-Z x", "-Z: no such option in this version (see tracer --help)" },
	{ "--wakers", "--wakers: no such option in this version (see tracer --help)" },
};

static void test_usage_mistakes(void **state)
{
	(void)state;
	check_mistakes(usage_mistakes, COUNT(usage_mistakes));
}

static const struct mistake contradictions[] = {
	{ "-p 1 ls", "-p: contradicts the command \"ls\": record what runs or start it" },
	{ "-t 1 -- ls", "-t: contradicts the command \"ls\": record what runs or start it" },
	{ "-p 1 -t 2", "-p: contradicts -t: name processes or threads, not both" },
	{ "-a -p 1", "-a: contradicts -p and -t: record everything or the chosen ones" },
	{ "-t 1 -a", "-a: contradicts -p and -t: record everything or the chosen ones" },
	{ "--off-cpu=1ms --wall", "--off-cpu=MIN: contradicts --wall, which adds up all "
				  "waits: leave MIN or --wall out" },
	{ "--user-only --kernel-only",
	  "--user-only: contradicts --kernel-only: leave out both to see both" },
	{ "--count --format svg", "--count: contradicts --format: leave one of them out" },
	{ "--by pid", "--by: format text prints single events: use --count, folded or svg" },
	{ "--by pid -o x.json",
	  "--by: format json prints single events: use --count, folded or svg" },
	{ "--check --list functions ./app",
	  "--list: --check, --list, --stat and --replay exclude each other: run them one by one" },
	{ "--stat --check",
	  "--check: --check, --list, --stat and --replay exclude each other: run them one by one" },
	{ "--stat --profile",
	  "--stat: counts events (-e) and records nothing: leave it or the source out" },
	{ "--stat --count", "--count: contradicts --stat, which prints a table of its own" },
	{ "--stat -e cs -c 5", "-c and -F: contradict --stat, which takes no samples" },
	{ "--stat --max-events 5", "--max-events: contradicts --stat, which counts them all" },
	{ "--stat -o x.svg", "--stat: prints text or json, not svg" },
	{ "--stat --by pid", "--by: --stat has rows by cpu, tid or cgroup" },
	{ "--stat --by cgroup", "--by cgroup: name the cgroups to count with -G" },
	{ "--stat -a --by tid", "--by tid: needs threads (-t), processes (-p) or a COMMAND" },
	{ "--replay x --profile", "--replay: shows what was recorded: leave the source out" },
	{ "--replay x -p 1", "--replay: shows all that was recorded: leave the target out" },
	{ "--replay x ls", "--replay: shows all that was recorded: leave the target out" },
	{ "--interval 1", "--interval: only --stat reports more than once" },
	{ "-e cs --profile",
	  "--profile: is an event of its own: leave it out, or name it with -e cpu-clock" },
	{ "-e cs -c 1 -F 1", "-c: contradicts -F: sample by count or by frequency" },
	{ "-c 1", "-c and -F: are about the events of -e: name some (or use --profile=HZ)" },
	{ "-G a -p 1", "-G: contradicts -p and -t: record cgroups or tasks" },
	{ "--per-thread", "--per-thread: name threads (-t), processes (-p) or a COMMAND" },
	{ "--per-thread -a",
	  "--per-thread: contradicts -a and -G: name threads, processes or a COMMAND" },
	{ "--per-thread -C 0 -p 1",
	  "--per-thread: contradicts -C: threads are followed wherever they run" },
	{ "--aux-size 1M",
	  "--aux-size and --snapshot: are about events of PMUs that trace: name one with -e" },
	{ "--dump-on a:b",
	  "--dump-on: dumps what --overwrite or --snapshot keeps: give one of them" },
	{ "--overwrite -m auto", "-m auto: contradicts --overwrite: say how much is to be kept" },
	{ "--stat --overwrite",
	  "--overwrite, --dump-on, --aux-size and --snapshot: are about recordings" },
	{ "--replay x --aux-size 1M",
	  "--overwrite, --dump-on, --aux-size and --snapshot: are about recordings" },
	{ "--format perf.data",
	  "--format perf.data: is for programs to read: name a file with -o" },
	{ "--list events a b",
	  "--list events: \"b\": nothing may follow PATTERN (put options first)" },
	{ "--check ls", "--check: \"ls\": it takes no command (leave it out)" },
	{ "--list functions", "--list: needs a binary (say --list functions ./app)" },
	{ "--list functions a b c", "--list: \"c\": nothing may follow BIN and PATTERN (put "
				    "options first)" },
};

static void test_contradictions(void **state)
{
	(void)state;
	check_mistakes(contradictions, COUNT(contradictions));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value_mistakes), cmocka_unit_test(test_usage_mistakes),
		cmocka_unit_test(test_contradictions), cmocka_unit_test(test_format_mistakes),
		cmocka_unit_test(test_odd_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
