#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --engine perf: samples through perf rings, without BPF, in each mode that perf's rings have.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

need_tracepoints() {
	"$TRACER" --list events sched:sched_process_fork >/dev/null 2>&1 || skip "tracefs is not mounted here"
}

cpu_count() { grep -c '^processor' /proc/cpuinfo; }

# rings: whose rings -v told of, one a line: "CPU 0", "thread 812"
rings() { sed -n 's/^tracer: ring of \([^:]*\): .*/\1/p' "$T/err"; }

# A virtual CPU that is itself scheduled away takes fewer samples than its clock promises, never more.
in_the_right_place() {
	run_tracer --engine perf --profile=499 -o spin.folded "$@" -- "$WORKLOADS/spin" 1000
	assert_status 0
	assert_match ', 0 lost' "$T/err"
	all=$(folded_sum spin.folded '^spin')
	assert_between "$all" $((250 / (T_SCALE * T_SCALE))) 560 "samples of 1 s at 499 Hz"
	assert_between $(($(folded_sum spin.folded '^spin;.*;main;.*spin_outer;spin_inner[; ]') * 100 / all)) \
		$((100 - 5 * T_SCALE)) 100 "percent in spin_inner, from main on"
}
t_case "--engine perf: as many samples as the CPU time promises, in the right place" in_the_right_place

by_frame_pointers() {
	run_tracer --engine perf --call-graph fp --profile=499 -o spin.folded -- "$WORKLOADS/spin" 500
	assert_status 0
	assert_match 'user stacks 0\.0 % complete .*frame pointers alone cannot prove more' "$T/err"
	assert_between "$(folded_sum spin.folded ';main;spin_and_rest;spin_outer;spin_inner[; ]')" $((50 / (T_SCALE * T_SCALE))) 300 "whole stacks"
}
t_case "--engine perf --call-graph fp: the kernel's own walk, and nothing is called complete" by_frame_pointers

# Each event of a tracepoint, with its stack.
each_event() {
	need_tracepoints
	run_tracer -g -e sched:sched_process_fork -- "$WORKLOADS/forks" 20 1
	assert_status 0
	assert_eq "$(count_events ' sched:sched_process_fork ')" 20 "forks"
	assert_summary 20 1
	assert_eq "$(grep -cE '^	  0x[0-9a-f]+ main\+0x[0-9a-f]+ \(forks\)$' "$T/out")" 20 "stacks through main"
	# the shell forks twice, and each program that it starts seven times; two events are told apart
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer -e sched:sched_process_fork,sched:sched_process_exec -- sh -c '"$1" 7 1; "$1" 7 1; :' sh "$WORKLOADS/forks"
	assert_summary 18 3
	assert_eq "$(count_events ' sched:sched_process_fork ') $(count_events ' sched:sched_process_exec ')" "16 2" "forks and execs"
}
t_case "-e: each event of a tracepoint, and of which one" each_event

# ---- the modes: each has the rings that it should, and samples from where it should --------------

by_default() {
	run_tracer -v --engine perf -o spin.folded --by cpu -- "$WORKLOADS/spin" 100 2
	assert_status 0
	assert_eq "$(rings | grep -c '^CPU ')" "$(cpu_count)" "rings"
	assert_eq "$(rings | grep -vc '^CPU ' || :)" 0 "rings of something else"
}
t_case "the default: a ring for each CPU" by_default

some_cpus() {
	[ "$(cpu_count)" -ge 2 ] || skip "one CPU here"
	need taskset
	taskset -c 1 "$WORKLOADS/spin" 60000 &
	pinned=$!
	run_tracer -v --engine perf -F 499 -e cpu-clock -C 1 -d 0.5 -o one.txt
	assert_status 0
	events_of one.txt | column 5 | sort -u >cpus
	assert_eq "$(cat cpus)" 1 "CPUs with samples"
	assert_between "$(events_of one.txt | awk -v pid=$pinned '$3 == pid' | grep -c spin_inner)" 5 10000 "samples of the pinned program"
	run_tracer -v --engine perf -F 499 -e cpu-clock -C 0 -d 0.5 -o other.txt
	kill $pinned
	assert_eq "$(events_of other.txt | awk -v pid=$pinned '$3 == pid' | grep -c . || :)" 0 "samples of the program that is on the other CPU"
	assert_eq "$(events_of other.txt | column 5 | sort -u)" 0 "CPUs with samples"
}
t_case "-C: what runs on that CPU, and nothing from another" some_cpus

everything() {
	"$WORKLOADS/spin" 60000 &
	spins=$!
	run_tracer -v --engine perf -a -F 499 -e cpu-clock -d 0.5 -o all.txt
	kill $spins
	assert_status 0
	assert_eq "$(rings | grep -c '^CPU ')" "$(cpu_count)" "rings"
	assert_between "$(events_of all.txt | awk -v pid=$spins '$3 == pid' | grep -c spin_inner)" 5 10000 "samples of the program"
	assert_no_match '^ *[0-9.]+ +tracer ' all.txt
}
t_case "-a: everything but the tracer itself" everything

cpus_and_threads() {
	[ "$(cpu_count)" -ge 2 ] || skip "one CPU here"
	need taskset
	taskset -c 1 "$WORKLOADS/spin" 60000 &
	pinned=$!
	wait_for 10 grep -q spin "/proc/$pinned/comm"
	run_tracer --engine perf -C 0 -F 499 -e cpu-clock -p "$pinned" -d 0.4
	assert_status 0
	assert_match ' 0 events in 0 processes, 0 lost' "$T/err"
	run_tracer --engine perf -C 1 -F 499 -e cpu-clock -p "$pinned" -d 0.4
	kill $pinned
	assert_between "$(count_events spin_inner)" 5 10000 "samples"
	assert_eq "$(events | column 5 | sort -u)" 1 "CPUs with samples"
}
t_case "-C with -p: the process where it is on those CPUs" cpus_and_threads

per_thread() {
	start_waiting calls 4 "$WORKLOADS/calls" 0 3 wait
	sed -n 's/^[pt]id //p' "$T/calls.out" | sort >tids
	target=$(sed -n 's/^pid //p' "$T/calls.out")
	start_tracer --per-thread -e cpu-clock -F 499 -p "$target" -d 1
	let_go calls
	finish "$tracer"
	assert_status 0
	cp "$T/tracer.err" "$T/err"
	assert_eq "$(rings | sed -n 's/^thread //p' | sort)" "$(cat tids)" "threads with a ring"
	assert_eq "$(rings | grep -vc '^thread ' || :)" 0 "rings of something else"
	events_of "$T/tracer.out" | column 4 | sort -u >seen
	assert_between "$(grep -c . seen)" 1 4 "threads with samples"
	assert_eq "$(sort tids seen | uniq -d)" "$(cat seen)" "threads with samples that have a ring"
}
t_case "--per-thread: a ring for each thread" per_thread

not_inherited() {
	need_tracepoints
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer --per-thread -e sched:sched_process_fork -- sh -c '"$1" 7 1; "$1" 7 1; :' sh "$WORKLOADS/forks"
	assert_status 0
	assert_summary 2 1
}
t_case "--per-thread: nothing of what a thread starts" not_inherited

cgroup() {
	root=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,perf_event,/ { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || skip "no cgroup hierarchy is mounted"
	grep -q '^perf_event.*1$' /proc/cgroups || skip "this kernel counts no cgroups"
	# v2 gives a cgroup perf_event only where some controller has been enabled above it, as systemd does
	[ ! -e "$root/cgroup.subtree_control" ] || echo +pids >"$root/cgroup.subtree_control" 2>/dev/null || :
	mkdir "$root/tracer-ring-$$" 2>/dev/null || skip "no cgroup can be made here"
	trap 'rmdir "$root/tracer-ring-$$"' EXIT
	"$WORKLOADS/spin" 60000 &
	outside=$!
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer -v -G "tracer-ring-$$" -F 499 -e cpu-clock -o group.folded --by pid -- \
		sh -c 'echo $$ >"$1/cgroup.procs" && "$2" 500 && echo $$ >"$3/cgroup.procs"' sh "$root/tracer-ring-$$" "$WORKLOADS/spin" "$root"
	kill $outside
	assert_status 0
	assert_eq "$(rings | grep -c '^CPU ')" "$(cpu_count)" "rings"
	assert_between "$(folded_sum group.folded ';spin_inner[; ]')" $((20 / (T_SCALE * T_SCALE))) 300 "samples of the cgroup"
	assert_eq "$(grep -c ";spin_outer;.*" group.folded >/dev/null; grep -cE "^spin[^;]*[^0-9]$outside;" group.folded || :)" 0 "stacks of what is outside of it"
}
t_case "-G: samples of a cgroup" cgroup

# ---- losses, growth, privileges ------------------------------------------------------------------

# Breakpoints are hit exactly so often: what the rings have no room for is counted.
flood() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	[ -x "$WORKLOADS/calls-static" ] || skip "no program at a fixed address here"
	address=$("$TRACER" --list functions "$WORKLOADS/calls-static" traced_function | awk '$3 == "traced_function" { print $1 }')
	run_tracer -v -m "$1" -g -e "mem:$address:x:u" -o flood.txt -- "$WORKLOADS/calls-static" 30000
	assert_status 0
	assert_eq "$(accounted seen)" 30000 "events seen"
	assert_eq "$(events_of flood.txt | grep -c .)" "$(accounted delivered)" "events printed"
}
small_rings() {
	flood 64K
	assert_between "$(accounted lost)" 1 29999 "events lost"
	assert_match '^tracer: warning: lost: [0-9]+ ring full' "$T/err"
}
t_case "a flood, and rings that are too small: seen = delivered + lost" small_rings
# The tracer stands still until its rings are full, and goes on while more comes.
growing_rings() {
	kernel_at_least 6 2 || skip "breakpoints write to no other event's ring before Linux 6.2"
	have_breakpoints || skip "hardware breakpoints do not fire here"
	[ -x "$WORKLOADS/calls-static" ] || skip "no program at a fixed address here"
	address=$("$TRACER" --list functions "$WORKLOADS/calls-static" traced_function | awk '$3 == "traced_function" { print $1 }')
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer -v -m auto -g -e "mem:$address:x:u" -o flood.txt -- \
		sh -c 'kill -STOP $PPID; "$1" 2000; kill -CONT $PPID; "$1" 20000' sh "$WORKLOADS/calls-static"
	assert_status 0
	assert_eq "$(accounted seen)" 22000 "events seen"
	assert_eq "$(events_of flood.txt | grep -c .)" "$(accounted delivered)" "events printed"
	assert_match '^tracer: ring of CPU [0-9]+: [0-9]+ KiB, .* [1-9][0-9]* times enlarged$' "$T/err"
}
t_case "-m auto: rings grow, and the account is right" growing_rings

# The period counts for software events too.
periods() {
	run_tracer -e page-faults -c 1 -o one.txt -- "$WORKLOADS/spin" 10
	all=$(events_of one.txt | grep -c .)
	run_tracer -e page-faults -c 10 -o ten.txt -- "$WORKLOADS/spin" 10
	assert_between "$(events_of ten.txt | grep -c .)" $((all / 20)) $((all / 5)) "samples of $all faults, each tenth"
}
t_case "-c: a sample each N events" periods

unprivileged() {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2 here"
	chmod 777 .
	nobody --profile=499 -o spin.svg -- "$WORKLOADS/spin" 500
	assert_status 0
	assert_match '^tracer: no permission for BPF: samples come through perf rings \(--engine perf\)$' "$T/err"
	assert_match '^tracer: warning: (cpu-clock|cycles): in user space only: the kernel is not ours to see ' "$T/err"
	assert_match '^tracer: user stacks (100\.0|9[0-9]\.[0-9]) % complete' "$T/err"
	assert_match '>spin_inner' spin.svg
	nobody -a -d 1
	assert_status 1
	assert_match '^tracer: what is not ours to see cannot be recorded: it needs cap_perfmon, or kernel\.perf_event_paranoid at 0 or lower' "$T/err"
	nobody --engine perf -p 1 -d 1
	assert_status 1
	assert_match '^tracer: the target is not ours to record: it needs cap_perfmon, or to be the same user$' "$T/err"
}
t_case "without privileges: one's own program, and what could not be seen is said" unprivileged

# Each fault is first a page fault, which samples, then a minor one, unless it is major.
by_leader() {
	run_tracer -e '{page-faults,minor-faults}:S' -c 1 -o x.txt -- "$WORKLOADS/spin" 10
	assert_status 0
	faults=$(events_of x.txt | column 6 | grep -c '^page-faults')
	assert_between "$faults" 20 100000 "page faults"
	assert_between "$(events_of x.txt | column 6 | grep -c '^minor-faults')" $((faults * 8 / 10)) $((faults - 1)) "minor faults"
	# each tenth: the samples are fewer, what they stand for is not
	run_tracer -e '{page-faults,minor-faults}:S' -c 10 -o tenth.perf -- "$WORKLOADS/spin" 10
	assert_between "$(grep -c ' page-faults:' tenth.perf)" $((faults / 20)) $((faults / 5)) "samples of each tenth"
	assert_eq "$(sed -n 's/.* \([0-9]*\) page-faults: *$/\1/p' tenth.perf | sort -u)" 10 "what each stands for"
	assert_between "$(sed -n 's/.* \([0-9]*\) minor-faults: *$/\1/p' tenth.perf | awk '{ sum += $1 } END { print sum + 0 }')" \
		$((faults / 2)) $((faults * 2)) "minor faults, counted"
}
t_case "{...}:S: the leader samples, the group counts" by_leader

# What the target starts is there too, or it is said.
by_leader_in_threads() {
	run_tracer -e '{cpu-clock,page-faults}:S' -c 1000000 -o x.txt -- "$WORKLOADS/spin" 200 3
	assert_status 0
	if kernel_at_least 6 12; then
		# each thread has counters of its own by the same ids: what one has counted is not taken from another's
		run_tracer -e '{cpu-clock,page-faults}:S' -c 1000000 -o x.perf -- "$WORKLOADS/spin" 200 3
		sed -n 's/.* \([0-9]*\) cpu-clock: *$/\1/p' x.perf >periods
		assert_between "$(grep -c . periods)" 100 100000 "samples"
		# a timer that comes late makes one longer and the next shorter; together they are what the threads have used
		used=$(sed -n 's/.* cpu \([0-9]*\) .*/\1/p' "$T/out" | awk '{ sum += $1 } END { print sum + 0 }')
		assert_between "$(awk '{ sum += $1 } END { printf "%d", sum / 1000 }' periods)" $((used * 9 / 10)) $((used * 11 / 10)) "us that the samples stand for"
		# three compute, and the first one starts them
		assert_between "$(events_of x.txt | awk '$6 == "cpu-clock" { print $4 }' | sort -u | grep -c .)" 3 4 "threads"
	else
		assert_match '^tracer: warning: leader sampling \(:S\): threads and processes that the target starts are missing' "$T/err"
	fi
}
t_case "{...}:S: of threads that are started" by_leader_in_threads

group_of_samples() {
	run_tracer -e '{cpu-clock,page-faults}' -c 1000000 -o x.txt -- "$WORKLOADS/spin" 200
	assert_status 0
	assert_between "$(events_of x.txt | column 6 | grep -c '^cpu-clock')" 50 1000 "samples of the leader"
}
t_case "{...}: a group is opened as one" group_of_samples

mixtures() {
	run_tracer --engine perf --off-cpu -- true
	assert_status 2
	assert_match '^tracer: --off-cpu: needs the bpf engine, and --engine perf is the perf engine' "$T/err"
	run_tracer -e cpu-clock --uprobe "$WORKLOADS/calls:traced_function" -- true
	assert_status 2
	assert_match '^tracer: a probe or breakpoint: needs the bpf engine, and -e the perf engine: record them one by one$' "$T/err"
	run_tracer --engine bpf -e cpu-clock -- true
	assert_status 2
	assert_match '^tracer: --engine bpf: -e needs the perf engine in this version$' "$T/err"
	run_tracer -e cpu-clock:S -- true
	assert_status 2
	assert_match '^tracer: -e cpu-clock:S: S is about a group, whose leader samples for all' "$T/err"
	run_tracer --engine perf -m 4K -o x.folded -- true
	assert_status 1
	assert_match '^tracer: -m: a sample carries up to 32 KiB of user stack' "$T/err"
	run_tracer -m auto -- true
	assert_status 2
	assert_match '^tracer: -m auto: only the rings of the perf engine grow \(--engine perf\)$' "$T/err"
}
t_case "what the engines cannot do together is refused" mixtures

# One more than any CPU has.
debug_registers() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	watched=
	for place in 0 1 2 3 4 5 6 7 8 9 a b c d e f 10; do watched="$watched,mem:0x6010${place}0:w"; done
	run_tracer -e "${watched#,}" -- true
	assert_status 1
	assert_match '^tracer: mem:0x6010[0-9a-f]+0:w: no debug register is left' "$T/err"
	assert_no_match 'No space left' "$T/err"
}
t_case "-e mem: more than there are debug registers" debug_registers

# The PMU overflows: a sample each so many cycles, where the program spends them.
pmu_samples() {
	"$TRACER" --stat -e cycles -- true | grep -q 'cycles .*100.0 %' || skip "no PMU here that counts cycles"
	run_tracer --stat -e cycles:u --format json -- "$WORKLOADS/spin" 300
	cycles=$(sed -n 's/.*"event":"cycles:u".*"raw":\([0-9]*\).*/\1/p' "$T/out")
	assert [ "$cycles" -gt 1000000 ]
	run_tracer -e cycles:u -c $((cycles / 100)) -o x.folded -- "$WORKLOADS/spin" 300
	assert_status 0
	assert_between "$(folded_sum x.folded)" 50 200 "samples, each a hundredth of the cycles"
	assert_between "$(folded_sum x.folded '^spin;_start;.*;main;spin_and_rest;spin_outer;spin_inner ')" 40 200 \
		"of them in spin_inner"
}
t_case "-e cycles: the PMU's overflows are samples where the cycles go" pmu_samples
pmu_leader() {
	run_tracer -e '{cycles:u,instructions:u}:S' -c 1000000 -o x.perf -- "$WORKLOADS/spin" 100
	[ "$status" -eq 0 ] || skip "no PMU here that samples cycles with instructions"
	assert_between "$(grep -c ' cycles:u:' x.perf)" 5 100000 samples
	assert_eq "$(sed -n 's/.* \([0-9]*\) cycles:u: *$/\1/p' x.perf | awk '$1 < 900000 { few++ } END { print few + 0 }')" 0 "samples of fewer cycles"
	assert_between "$(grep -c ' instructions:u:' x.perf)" 5 100000 "samples' counts of instructions"
}
t_case "{cycles,instructions}:S: what was done in the cycles of each sample" pmu_leader
