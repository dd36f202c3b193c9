#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --wall: for each thread, on-CPU and off-CPU time add up to its life.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# thread_sum FILE TID: us of a thread. The first frame names it.
thread_sum() {
	awk -v tid="$2" '
		{ split($0, frame, ";") }
		frame[1] ~ "(^|[^0-9])" tid "$" { sum += $NF }
		END { printf "%.0f\n", sum }' "$1"
}

# How long was recorded, at most, in us: the summary rounds to a tenth of a second.
recorded() { awk '/^tracer: [0-9.]+ s, / { printf "%.0f\n", $2 * 1000000 + 50000 }' "$T/err"; }

# spin-static: what its dynamic linker would do before its first statement is not in the life it measures.
#
# totals FILE: each thread of spin's report in $T/out within 3 % of its life, which is at least what it
# measured itself and at most what the thread that joined it did; main's, whom nobody joins and which begins
# before its first statement, what was recorded. Sets
# $threads, how many, and $longest, the most that the last one may have, in us.
totals() {
	threads=0
	while read -r _ tid _ life _ _ _ joined; do
		threads=$((threads + 1))
		longest=$((joined * 103 / 100))
		[ "$joined" -ne "$life" ] || [ "$longest" -ge "$(recorded)" ] || longest=$(recorded)
		assert_between "$(thread_sum "$1" "$tid")" $((life * 97 / 100)) "$longest" \
			"thread $threads, us"
	done <"$T/out"
}

alone() {
	run_tracer --wall --by tid -o wall.folded -- "$WORKLOADS/spin-static" $((500 * T_SCALE)) 1 500
	assert_status 0
	totals wall.folded
	assert_eq "$threads" 1 "threads"
	# And the parts are where they belong.
	assert_between "$(folded_sum wall.folded ';spin_rest;spin_sleep[; ]')" 490000 $((longest - 480000)) \
		"asleep, us"
	assert_between "$(folded_sum wall.folded ';spin_outer;spin_inner[; ]')" 450000 $((longest - 490000)) \
		"computing, us"
}
t_case "one thread: the sum is its life within 3 %, in its parts" alone

# More threads than CPUs, so that some of it is waiting for a CPU.
crowded() {
	run_tracer --wall --by tid -o wall.folded "$@" -- "$WORKLOADS/spin-static" $((300 * T_SCALE)) 5 200
	assert_status 0
	assert_match ', 0 lost' "$T/err"
	totals wall.folded
	assert_eq "$threads" 5 "threads"
}
crowded_perf_buffer() { crowded --buffer perf; }
t_case "five threads: each sum is its life within 3 %" crowded
t_case "five threads: each sum is its life within 3 %: --buffer perf" crowded_perf_buffer

# Threads that do nothing at all while we look have a life too: all of the recording, as the summary
# gives it to a tenth of a second.
idle() {
	start_waiting target 4 "$WORKLOADS/calls" 1 3 wait
	run_tracer --wall --by tid -p "$pid" -d 2 -o wall.folded
	assert_status 0
	most=$(recorded)
	while read -r _ tid; do
		assert_between "$(thread_sum wall.folded "$tid")" $(((most - 100000) * 97 / 100)) $((most * 103 / 100)) \
			"idle thread, us"
	done <target.out
}
t_case "-p: threads that never run are there for all the time" idle

svg() {
	run_tracer --wall -o wall.svg -- "$WORKLOADS/spin" 200 1 200
	assert_status 0
	assert_match 'spin_inner' wall.svg
	assert_match 'spin_sleep' wall.svg
	assert_match 'off-CPU' wall.svg
}
t_case "svg: both kinds of time in one graph" svg
