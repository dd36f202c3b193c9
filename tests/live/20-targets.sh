#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Whom to trace: processes, threads, CPUs, children, everybody; and what becomes of COMMAND's status.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

probe=$WORKLOADS/calls:traced_function

running_process() {
	start_waiting target 1 "$WORKLOADS/calls" 100 1 wait
	target=$pid
	start_waiting other 1 "$WORKLOADS/calls" 100 1 wait
	other=$pid
	start_tracer -p "$target" --uprobe "$probe" "$@"
	let_go other
	let_go target
	finish "$other"
	finish "$target"
	assert_status 0
	# The tracer has nothing left to watch.
	wait_for 10 is_gone "$tracer"
	finish "$tracer"
	assert_status 0
	events_of tracer.out >got
	assert_lines got 100
	assert_eq "$(column 3 <got | sort -u)" "$target" "pid"
	assert_match "100 events in 1 process, 0 lost" tracer.err
	assert_eq "$(grep -c '<- caller_function+0x' got)" 100 "events with their caller"
}
running_process_perf_buffer() { running_process --buffer perf; }
t_case "-p: a running process, all its calls, nobody else's" running_process
t_case "-p: a running process, all its calls, nobody else's: --buffer perf" running_process_perf_buffer

running_threads() {
	start_waiting target 5 "$WORKLOADS/calls" 50 4 wait
	target=$pid
	start_tracer -p "$target" --uprobe "$probe"
	let_go target
	finish "$target"
	finish "$tracer" INT
	assert_status 0
	sed -n 's/^tid //p' target.out | sort >want
	events_of tracer.out | column 4 | sort -u >got
	assert cmp want got
	assert_eq "$(events_of tracer.out | grep -c .)" 200 "events"
}
t_case "-p: threads that were there before" running_threads

two_processes() {
	start_waiting first 1 "$WORKLOADS/calls" 100 1 wait
	first=$pid
	start_waiting second 1 "$WORKLOADS/calls-nopie" 50 1 wait
	second=$pid
	start_tracer -p "$first,$second" --uprobe "$probe" --uprobe "$WORKLOADS/calls-nopie:traced_function"
	let_go first
	let_go second
	finish "$first"
	finish "$second"
	finish "$tracer" INT
	assert_status 0
	assert_match "150 events in 2 processes, 0 lost" tracer.err
	assert_eq "$(events_of tracer.out | grep -c ' calls:traced_function ')" 100 "of the first"
	assert_eq "$(events_of tracer.out | grep -c ' calls-nopie:traced_function ')" 50 "of the second"
}
t_case "-p PID,PID: two processes" two_processes

one_thread() {
	start_waiting target 5 "$WORKLOADS/calls" 50 4 wait
	target=$pid
	tid=$(sed -n 's/^tid //p' target.out | sed -n 2p)
	start_tracer -t "$tid" --uprobe "$probe"
	let_go target
	finish "$target"
	finish "$tracer" INT
	assert_status 0
	events_of tracer.out >got
	assert_lines got 50
	assert_eq "$(column 4 <got | sort -u)" "$tid" "tid"
}
t_case "-t: one thread of four" one_thread

one_thread_counted() {
	start_waiting target 5 "$WORKLOADS/calls" 20000 4 wait # long enough to share CPUs
	target=$pid
	tid=$(sed -n 's/^tid //p' target.out | sed -n 3p)
	start_tracer --count --kernel-only -t "$tid" --uprobe "$probe" -o counts.txt
	let_go target
	finish "$target"
	finish "$tracer" INT
	assert_status 0
	assert_match '^# .* 20000 seen, 20000 delivered, 0 lost' counts.txt
}
t_case "-t: one thread of four, calls alone" one_thread_counted

everybody() {
	start_tracer --uprobe "$probe"
	"$WORKLOADS/calls" 30
	"$WORKLOADS/calls" 20 2
	"$WORKLOADS/forks" 1 10 exec "$WORKLOADS/calls"
	finish "$tracer" INT
	assert_status 0
	assert_eq "$(events_of tracer.out | grep -c .)" 80 "events"
	assert_match "80 events in 3 processes, 0 lost" tracer.err
}
t_case "no target: every process that maps the file" everybody

# On CPU 0 all events; asked for CPU 1, none.
cpu_list() {
	need taskset
	run_tracer -C 0 --uprobe "$probe" -- taskset 1 "$WORKLOADS/calls" 100
	assert_status 0
	assert_eq "$(count_events .)" 100 "events on CPU 0"
	assert_eq "$(events | column 5 | sort -u)" 0 "CPU"
	[ "$(nproc)" -ge 2 ] || skip "one CPU only"
	run_tracer -C 1 --uprobe "$probe" -- taskset 1 "$WORKLOADS/calls" 100
	assert_status 0
	assert_eq "$(count_events .)" 0 "events elsewhere"
	run_tracer -C 0-1 --uprobe "$probe" -- taskset 2 "$WORKLOADS/calls" 100
	assert_status 0
	assert_eq "$(events | column 5 | sort | uniq -c | awk '{ print $1, $2 }')" "100 1" "events and CPU"
}
t_case "-C: only events on these CPUs" cpu_list

children() {
	run_tracer --uprobe "$WORKLOADS/forks:traced_function" -- "$WORKLOADS/forks" 3 100
	assert_status 0
	assert_summary 400 4
	assert_eq "$(events | column 3 | sort | uniq -c | awk '{ print $1 }' | sort -u)" 100 "events a process"
}
t_case "children are followed" children

children_that_exec() {
	run_tracer --uprobe "$WORKLOADS/forks:traced_function" --uprobe "$probe" \
		-- "$WORKLOADS/forks" 3 100 exec "$WORKLOADS/calls"
	assert_status 0
	assert_summary 400 4
	assert_eq "$(count_events ' forks .* forks:traced_function ')" 100 "events of the parent"
	# The new program's name, and its symbols.
	assert_eq "$(count_events ' calls .* calls:traced_function .*<- caller_function\+0x')" 300 \
		"events of the children"
}
t_case "children are followed through exec" children_that_exec

no_inherit() {
	run_tracer --no-inherit --uprobe "$WORKLOADS/forks:traced_function" -- "$WORKLOADS/forks" 3 100
	assert_status 0
	assert_summary 100 1
}
t_case "--no-inherit: children are not followed" no_inherit

children_of_running() {
	# shellcheck disable=SC2016 # it is the target that expands it
	start_waiting target 1 sh -c 'echo "pid $$"; read -r line; "$1" 2 50' sh "$WORKLOADS/forks"
	target=$pid
	start_tracer -p "$target" --uprobe "$WORKLOADS/forks:traced_function"
	let_go target
	finish "$target"
	finish "$tracer" INT
	assert_status 0
	assert_match "150 events in 3 processes, 0 lost" tracer.err
}
t_case "-p: children of children are followed" children_of_running

storm() {
	run_tracer --uprobe "$WORKLOADS/threads-storm:traced_function" -- "$WORKLOADS/threads-storm" 200
	assert_status 0
	assert_summary 200 1
	assert_eq "$(events | column 4 | sort -u | grep -c .)" 200 "threads"
	assert_eq "$(count_events '<- caller_function\+0x')" 200 "events with their caller"
}
t_case "threads that live for one call each" storm

status_of_command() {
	run_tracer --uprobe "$probe" -- sh -c 'exit 7'
	assert_status 7
	run_tracer --uprobe "$probe" -- sh -c 'kill -TERM $$'
	assert_status 143
	run_tracer --uprobe "$probe" sh -c 'exit 3'
	assert_status 3
}
t_case "COMMAND's exit status is passed on" status_of_command

options_of_command() {
	run_tracer --uprobe "$probe" sh -c 'echo "$@"' sh -p 1 -a --help
	assert_status 0
	assert_match '^-p 1 -a --help$' "$T/out"
}
t_case "COMMAND's own options are left alone" options_of_command

no_command() {
	run_tracer --uprobe "$probe" -- "$T/no-such-command" --flag
	assert [ "$status" -ne 0 ]
	assert_match "^tracer: .*no-such-command.*[Nn]o such file" "$T/err"
}
t_case "a COMMAND that is not there" no_command

# A COMMAND runs as the user has set things up, not as the tracer has for itself.
# The soft limit alone: tracer could not raise the hard one anyhow. dash and busybox know -S.
# shellcheck disable=SC3045
own_limits() {
	run_tracer --profile -o out.folded -- sh -c 'ulimit -Sn'
	assert_eq "$(cat "$T/out")" "$(ulimit -Sn)" "descriptors"
	ulimit -Sn 99
	run_tracer --profile -o out.folded -- sh -c 'ulimit -Sn'
	assert_eq "$(cat "$T/out")" 99 "descriptors"
}
t_case "COMMAND has the limits of whoever started it" own_limits

# Where the target sees another file under the same path (a container), that file is the one to probe.
other_namespace() {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	cp "$WORKLOADS/calls-static" ./program
	cp "$WORKLOADS/forks" ./other
	start_waiting target 1 unshare -m sh -c 'mount --bind program other && exec ./other 40 1 wait'
	target=$pid
	start_tracer -p "$target" --uprobe other:traced_function --count
	let_go target
	finish "$target"
	finish "$tracer" INT
	assert_status 0
	assert_match '^ +40  other [0-9]+ other:traced_function$' tracer.out
}
t_case "-p: a process in another mount namespace" other_namespace

unmapped() {
	start_waiting target 1 "$WORKLOADS/calls" 1 1 wait
	run_tracer -p "$pid" -d 0.1 --uprobe "$WORKLOADS/forks:main"
	assert_status 0
	assert_match '^tracer: warning: .*forks:main: no process of the target maps ' "$T/err"
}
t_case "-p: a file that the process does not map is said" unmapped
