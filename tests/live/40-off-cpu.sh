#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Time blocked: at least what the program is known to wait, at most what it measured itself, and under
# the function that waited.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

COUNT=10
MS=20

# measured NAME: us, as the workload says on stdout
measured() { awk -v name="$1" '$1 == name { print $2 }' "$T/out"; }

# bounded NAME SUM PERCENT_OF_KNOWN: not above its own measure (a ms for rounding), not below what is known.
bounded() {
	known=$((COUNT * MS * 1000))
	[ "$1" != sleep_long ] || known=$((known * 4))
	assert_between "$2" $((known * $3 / 100)) $(($(measured "$1") + 1000)) "$1, us"
}

folded() {
	run_tracer --off-cpu "$@" -o waits.folded -- "$WORKLOADS/sleeps" "$COUNT" "$MS"
	assert_status 0
	assert_match ', 0 lost' "$T/err"
	# A sleep cannot end early, and begins some us before its thread leaves the CPU. The two others
	# are ended by a thread that starts its own sleep when this one is about to wait.
	for bound in sleep_short:98 sleep_long:98 lock_wait:80 pipe_wait:80; do
		name=${bound%:*}
		bounded "$name" "$(folded_sum waits.folded ";${name}_caller;${name}[; ]")" "${bound#*:}"
	done
	# The other thread's sleeps, 2 * COUNT of them, are its own.
	assert_between "$(folded_sum waits.folded ';helper_main;helper_sleep[; ]')" \
		$((2 * COUNT * MS * 980)) 99999999 "helper_sleep, us"
	assert_eq "$(folded_sum waits.folded ';main;.*;helper_sleep')" 0 "helper_sleep under main"
}
perf_buffer() { folded --buffer perf; }
t_case "time blocked lies between what is known and what was measured" folded
t_case "time blocked lies between what is known and what was measured: --buffer perf" perf_buffer

kernel_frames() {
	run_tracer --off-cpu -o both.folded -- "$WORKLOADS/sleeps" 2 5
	assert_status 0
	assert_match ';sleep_long_caller;sleep_long;.*nanosleep.*_\[k\]' both.folded
	run_tracer --off-cpu --user-only -o user.folded -- "$WORKLOADS/sleeps" 2 5
	assert_status 0
	assert_match ';sleep_long_caller;sleep_long [0-9]+$' user.folded
	assert_no_match '_\[k\]' user.folded
	run_tracer --off-cpu --kernel-only -o kernel.folded -- "$WORKLOADS/sleeps" 2 5
	assert_status 0
	assert_match '_\[k\].* [0-9]+$' kernel.folded
	assert_no_match 'sleep_long_caller' kernel.folded
}
t_case "kernel frames follow the user's; --user-only, --kernel-only" kernel_frames

# Each sleep is an event of its own; a thread that was preempted has more.
single_events() {
	run_tracer --off-cpu -- "$WORKLOADS/sleeps" "$COUNT" "$MS"
	assert_status 0
	assert_between "$(count_events ' off-cpu +[0-9]+\.[0-9]+ ms blocked in sleep_short\+0x')" \
		"$COUNT" $((COUNT * 3)) "sleep_short"
	assert_between "$(count_events ' off-cpu +[0-9]+\.[0-9]+ ms blocked in sleep_long\+0x')" \
		"$COUNT" $((COUNT * 3)) "sleep_long"
	total=$(events | details |
		awk '/blocked in sleep_long/ { sum += $1 * 1000 } END { printf "%.0f\n", sum }')
	bounded sleep_long "$total" 98
}
t_case "text: each wait with its time and function" single_events

minimum() {
	run_tracer --off-cpu=50ms -- "$WORKLOADS/sleeps" "$COUNT" "$MS"
	assert_status 0
	# Emulated CPUs stall: a thread that is preempted on its way to sleep has a shorter wait left.
	least=$COUNT
	[ "$T_SCALE" = 1 ] || least=$((COUNT / 2))
	assert_between "$(count_events 'blocked in sleep_long\+0x')" "$least" "$COUNT" "waits of 80 ms"
	assert_eq "$(events | details | awk '$1 < 50 { print }' | grep -c .)" 0 "waits below 50 ms"
}
t_case "--off-cpu=MIN drops shorter waits" minimum

# It waits already when the tracer comes, so nothing is known but that.
blocked_before() {
	start_waiting target 1 "$WORKLOADS/sleeps" block
	run_tracer --off-cpu -p "$pid" -d 1
	assert_status 0
	assert_eq "$(count_events 'still blocked')" 1 "events"
	assert_between "$(events | details | awk '{ printf "%d\n", $1 }')" 900 $((5000 * T_SCALE)) "ms"
	assert is_running "$pid"
}
t_case "a thread that was blocked before and still is, counts from the start" blocked_before

still_blocked() {
	start_waiting target 1 "$WORKLOADS/sleeps" block
	target=$pid
	start_tracer --off-cpu -p "$target" -o "$T/$1"
	let_go target
	wait_for 10 grep -q '^blocking' target.out
	wait_for 10 grep -q '^State:.S' "/proc/$target/status"
	finish "$tracer" INT
	assert_status 0
	assert is_running "$target"
}
still_blocked_text() {
	still_blocked waits.txt
	events_of waits.txt | grep 'still blocked' >got
	assert_lines got 1
	assert_match ' ms blocked in block_forever\+0x[0-9a-f]+ .*still blocked' got
	# The wait that ended when it was let go began before.
	assert_match 'blocked before start' waits.txt
}
still_blocked_folded() {
	still_blocked waits.folded
	assert_match '^sleeps;.*;main;block_caller;block_forever;.*\[still blocked\] [0-9]+$' waits.folded
}
t_case "a thread that is still blocked at the end is included and marked: text" still_blocked_text
t_case "a thread that is still blocked at the end is included and marked: folded" still_blocked_folded

# Three threads on one CPU: each waits for it about two thirds of the time, and none is blocked.
runnable() {
	need taskset
	run_tracer --off-cpu -o wait.folded -- taskset 1 "$WORKLOADS/spin" 200 3
	assert_status 0
	lives=$(awk '$1 == "tid" { sum += $4 } END { print sum }' "$T/out")
	computed=$(awk '$1 == "tid" { sum += $6 } END { print sum }' "$T/out")
	waited=$((lives - computed))
	assert_between "$(folded_sum wait.folded '\[runnable\]')" $((waited * 90 / 100)) \
		$((waited * 110 / 100 + 20000)) "us"
}
t_case "time spent runnable is told from time blocked" runnable

# The tracer sleeps ten times a second: it would be among them if it recorded itself.
not_itself() {
	cp "$TRACER" ./traces-itself
	TRACER=./traces-itself
	start sleeper "$WORKLOADS/calls" 0 1 pace
	run_tracer -a --off-cpu -d 1 -o all.folded
	assert_status 0
	assert_match '^calls;' all.folded
	assert_no_match '^traces-itself;' all.folded
}
t_case "-a: the tracer's own waits are not recorded" not_itself
