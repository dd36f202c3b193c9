#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --latency: each call once, with recursion, longjmp, tail calls, threads that end, and calls that do not end.
# How long something takes decides nothing here but that sleeping 2 ms takes at least that.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# The line of a function in the text, and the lines of its histogram added up.
heading() { grep "^latency:$1: " "$T/out"; }
histogram_sum() {
	awk -v name="latency:$1:" '
		/^latency:/ { inside = $1 == name }
		inside && /\|.*\|$/ { sub(/\|.*/, ""); sum += $NF }
		END { print sum + 0 }' "$T/out"
}

everything() {
	run_tracer -v --latency "$WORKLOADS/latency:/^(naps|descends|jumps_out|left_behind|tail_first|tail_second|ends_thread)\$/" \
		-- "$WORKLOADS/latency" 20
	assert_status 0
	assert_summary 260 1
	for row in "naps 20" "descends 200" "tail_first 20" "tail_second 20"; do
		# shellcheck disable=SC2086 # two words
		set -- $row
		assert_match "^latency:$1: $2 calls, mean .*, p50 .*, p99 .*, max " "$T/out"
		assert_eq "$(histogram_sum "$1")" "$2" "calls in the histogram of $1"
	done
	for name in jumps_out left_behind ends_thread; do
		heading "$name" >line
		assert_match "^latency:$name: 0 calls$" line
	done
	assert_eq "$(grep -c '20 more did not return' "$T/out")" 3 "functions that were left"
	assert_no_match 'had not returned' "$T/out"
	# four numbers of the same 20 calls: none is below what the sleep takes
	heading naps | grep -oE '[0-9.]+ (ns|us|ms|s)' | awk '$2 == "ms" && $1 >= 2 || $2 == "s" { n++ } END { print n }' >durations
	assert_eq "$(cat durations)" 4 "times of 2 ms or more"
	assert_eq "$(accounted seen)" "$(accounted delivered)" delivered
}
t_case "recursion, longjmp, tail calls, ends of threads: each call once" everything

eight_threads() {
	run_tracer -v --latency "$WORKLOADS/calls:traced_function" -- "$WORKLOADS/calls" 500 8
	assert_status 0
	assert_summary 4000 1
	assert_match '^calls:traced_function: 4000 calls, ' "$T/out"
}
t_case "8 threads: every call of each" eight_threads

running() {
	start traced "$TRACER" --latency "$WORKLOADS/latency:stays_inside" -o out.txt -- "$WORKLOADS/latency" 1 forever
	wait_for 20 grep -q inside traced.out
	finish "$pid" TERM
	assert_match '^latency:stays_inside: 0 calls$' out.txt
	assert_match '1 more had not returned when the recording ended' out.txt
}
t_case "a call that does not end is said" running

# The kernel probes 64 returns of a thread at once.
too_deep() {
	run_tracer -v --latency "$WORKLOADS/recurse:recurse_down" -- "$WORKLOADS/recurse" 99
	assert_status 0
	assert_match '^recurse:recurse_down: 64 calls, ' "$T/out"
	assert_eq "$(accounted seen) $(accounted delivered) $(accounted lost)" "100 64 36" "seen, delivered, lost"
	assert_match 'returns nested deeper' "$T/err"
}
t_case "nested deeper than the kernel can: counted as lost" too_deep

each_call() {
	run_tracer --latency "$WORKLOADS/latency:/^(naps|tail_first)\$/" -o calls.json -- "$WORKLOADS/latency" 25
	assert_status 0
	assert_summary 50 1
	assert_eq "$(grep -c '"source":"latency:naps%latency","kind":"latency","latency_ns":[0-9]*,"ret":"0x[0-9a-f]*"' calls.json)" 25 naps
	assert_eq "$(grep -c '"symbol":"main"' calls.json)" 50 "with the caller"
	# shellcheck disable=SC2016 # the regular expression's own
	assert_match '^\{"type":"latency","source":"latency:naps%latency","calls":25,"total_ns":[0-9]+,"mean_ns":[0-9]+,"p50_ns":[0-9]+,"p99_ns":[0-9]+,"max_ns":[0-9]+,"unreturned":0,"running":0,"steps":\[' calls.json
	# the durations of the events are what the histogram's total is
	sed -n 's/.*naps%latency","kind":"latency","latency_ns":\([0-9]*\).*/\1/p' calls.json | awk '{ sum += $1 } END { printf "%.0f\n", sum }' >events
	sed -n 's/.*"source":"latency:naps%latency","calls":25,"total_ns":\([0-9]*\).*/\1/p' calls.json >total
	assert cmp events total
}
t_case "json: each call, and what they add up to" each_call

by_stack() {
	run_tracer --latency "$WORKLOADS/latency:descends" --count -o count.txt --format count -- "$WORKLOADS/latency" 30
	assert_status 0
	assert_summary 300 1
	# ten depths, each a stack
	assert_eq "$(grep -c '^ *30 .* latency:descends%latency$' count.txt)" 10 stacks
	assert_match '^# total: 300 events, [0-9.]+ ms in 10 stacks$' count.txt
}
t_case "--count: calls and time by stack" by_stack

flame_graph() {
	run_tracer --latency "$WORKLOADS/latency:naps" -o naps.folded -- "$WORKLOADS/latency" 30
	assert_status 0
	assert_match ';main;.*naps.* [0-9]+$' naps.folded
	assert_between "$(folded_sum naps.folded)" 60000 60000000 "us in 30 naps"
}
t_case "folded: time in us, below the callers" flame_graph

# What is pending when a program is replaced does not return; the next program's calls are its own.
with_exec() {
	run_tracer --latency "$WORKLOADS/calls:main" --latency "$WORKLOADS/calls:traced_function" -- \
		sh -c "'$WORKLOADS/calls' 20; exec '$WORKLOADS/calls' 30"
	assert_status 0
	assert_match '^calls:traced_function: 50 calls, ' "$T/out"
	assert_match '^calls:main: 2 calls, ' "$T/out"
}
t_case "programs one after the other, with exec" with_exec

refused() {
	for probe in "calls:nothing_there" "calls:traced_function+4"; do
		run_tracer --latency "$WORKLOADS/$probe" -- "$WORKLOADS/calls"
		[ "$status" -eq 1 ] || assert_status 2
		assert_match '^tracer: .*(there is no function|leave the offset out)' "$T/err"
	done
}
t_case "what cannot be measured is refused" refused
