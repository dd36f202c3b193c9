// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of --help: at most 88 columns, grouped as a user looks for things, examples last. */
#include <stdio.h>

#include "options.h"

static const char *const help_text[] = {
	"Usage: tracer [SOURCE]... [TARGET] [OPTION]... [--] [COMMAND [ARG]...]\n"
	"Tell where a running system spends its time, who calls a function, who writes what.\n"
	"\n"
	"Sources: what to record; repeat and mix freely\n"
	"      --profile[=HZ]           on-CPU samples (99 Hz); the default source\n"
	"      --off-cpu[=MIN]          time blocked, by stack; MIN drops shorter waits (100us,\n"
	"                               5ms, 1s; a bare number is us)\n"
	"      --wall[=HZ]              on-CPU and off-CPU in one: for each thread the two add up\n"
	"                               to the wall time\n"
	"      --uprobe BIN:FUNC[+OFF]  function entry with its arguments; FUNC may be 0xADDR, a\n"
	"                               C++ or Rust name, a glob (mem*), a regex (/^mem/), or a\n"
	"                               line (main.c:42)\n"
	"      --uretprobe BIN:FUNC     function return with the value returned\n"
	"      --latency BIN:FUNC       how long calls take: a histogram for each function\n"
	"      --breakpoint WHERE[/LEN][:ACCESS]\n"
	"                               hardware breakpoint. WHERE: 0xADDR, SYMBOL, BIN:SYMBOL,\n"
	"                               BIN:VAR.member[3].x, 'BIN:PTR->member', 'BIN:*PTR', each\n"
	"                               with +OFF; LEN: 1, 2, 4 or 8 bytes (default: the\n"
	"                               variable's size, in parts if need be); ACCESS: r, w, rw\n"
	"                               or x. A last :x is ACCESS; the variable x of app is app:x:w\n"
	"      --if=EXPR                only events of the probe before it for which EXPR holds, which\n"
	"                               the kernel judges: 'arg1 > 4096 && comm == \"nginx\"',\n"
	"                               'ret < 0', 'new > 100', 'latency > 10ms'\n"
	"      --exact-address          probes stay at a function's first instruction, though one\n"
	"                               behind it may cost a quarter and see the same\n"
	"  -e, --event=EVENT[,EVENT]    perf's own events (--list events) by the perf engine\n"
	"  -c, --period=N               -e: a sample every N events\n"
	"  -F, --freq=HZ                -e: so many samples a second (99)\n"
	"      --stat                   count events, and record nothing; without -e as perf stat\n",

	"\n"
	"Targets: whom to record; everything when there is neither target nor COMMAND\n"
	"  -p, --pid=PID[,PID]          running processes\n"
	"  -t, --tid=TID[,TID]          running threads\n"
	"  -a, --all-cpus               everything, with COMMAND for as long as that runs\n"
	"  -C, --cpu=CPULIST            only what happens on these CPUs (0-3,8)\n"
	"  -G, --cgroup=CGROUP[,CGROUP] whatever runs in these cgroups (perf engine)\n"
	"      --per-thread             each thread by itself, and none that it starts\n"
	"      --no-inherit             do not follow children and new threads\n"
	"  COMMAND [ARG]...             start this and record it from its first instruction on\n"
	"\n"
	"Bounds: else until COMMAND or the targets end, or until Ctrl-C\n"
	"  -d, --duration=SEC           at most so long (10, 0.5, 500ms, 2m)\n"
	"      --max-events=N           at most so many events\n"
	"      --interval=SEC           --stat: report as often as that\n",

	"\n"
	"Stacks\n"
	"      --call-graph=auto|fp|none\n"
	"                               how to walk user stacks: by unwind tables, and frame\n"
	"                               pointers only in code without one (auto); by frame\n"
	"                               pointers; or only the function, and the caller at an entry\n"
	"      --max-stack=N            at most so many frames, 1 to 512 (512)\n"
	"      --unwind-mem=SIZE        memory for unwind tables, 1M to 4G (256M)\n"
	"      --user-only              no kernel stacks\n"
	"      --kernel-only            no user stacks\n"
	"  -g, --stacks                 print stacks below each event in text; the formats that\n"
	"                               add up (folded, svg, count) always have them\n",

	"\n"
	"Output\n"
	"  -o, --output=FILE            there, not to stdout; the ending picks the format\n"
	"      --format=FORMAT          overrides the ending:\n"
	"                                 text         .txt          one line an event (default)\n"
	"                                 json         .json .jsonl  one JSON object a line\n"
	"                                 perf-script  .perf         as perf script prints it\n"
	"                                 perf.data    .data         for perf's tools and --replay\n"
	"                                 folded       .folded       one line a stack\n"
	"                                 svg          .svg          a flame graph\n"
	"      --count                  a table of stacks and counts instead of single events\n"
	"      --by=comm|pid|tid|cpu|cgroup\n"
	"                               root of the stacks that are added up (comm)\n"
	"\n"
	"Buffers\n"
	"      --engine=auto|bpf|perf   perf: samples through perf rings, also without privileges\n"
	"                               (auto: bpf, where it is permitted and can do it)\n"
	"      --buffer=auto|ringbuf|perf\n"
	"                               way out of the kernel (ringbuf where there is one)\n"
	"  -m, --buffer-size=SIZE       per CPU, 4K to 256M, rounded up to a power of two (1M);\n"
	"                               auto: 64K, and more as it is needed (perf engine)\n"
	"      --overwrite              flight recorder: keep only the newest samples, -m of each\n"
	"                               CPU; write on SIGUSR2, --dump-on, and at the end\n"
	"      --dump-on=SOURCE         write when it happens: an event of -e (mem:ADDR:w), BIN:FUNC\n"
	"      --aux-size=SIZE          of an AUX area, for events of PMUs that trace (4M)\n"
	"      --snapshot               of AUX areas only the newest bytes: on SIGUSR2, and at the end\n",

	"\n"
	"Help\n"
	"      --check                  what works on this system, what does not, the remedy\n"
	"      --list=functions|variables BIN [PATTERN]\n"
	"                               what in BIN can be probed or watched\n"
	"      --list=events [PATTERN]  what -e can name here\n"
	"      --replay=FILE            a perf.data file, of perf too, in any format; - is stdin\n"
	"  -v, --verbose                more messages; repeat for more still\n"
	"  -h, --help                   this text\n"
	"  -V, --version                the version\n"
	"\n"
	"Data goes to stdout or FILE, messages and the summary to stderr. Ctrl-C stops and\n"
	"writes; a second one abandons. Exit status: COMMAND's own; else 0; 1 failure; 2 usage.\n",

	"\n"
	"Examples\n"
	"  tracer --wall -p 812 -d 10 -o app.svg          where process 812 spends its time\n"
	"  tracer --off-cpu=5ms --count -p 812 -d 10      what it waits for, 5 ms or longer\n"
	"  tracer --uprobe ./app:handle -g -- ./app       who calls handle, and with what\n"
	"  tracer --uretprobe ./app:handle -- ./app       what handle returns\n"
	"  tracer --breakpoint ./app:counter:w -p 812     who writes counter: old and new value\n"
	"  tracer -a -d 5 -o system.folded                profile the whole system for 5 s\n",
};

void options_print_help(void)
{
	for (size_t i = 0; i < sizeof(help_text) / sizeof(help_text[0]); i++)
		fputs(help_text[i], stdout);
}
