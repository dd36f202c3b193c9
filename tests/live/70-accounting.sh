#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# No silent loss: events seen = delivered + lost, exactly, whatever happens to the buffers.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# flood CALLS [OPTION...]: the tracer is stopped while CALLS events come, so that a buffer of a page must
# overflow. Leaves its output in tracer.out, its messages in $T/err.
flood() {
	flood_calls=$1
	shift
	start_waiting target 1 "$WORKLOADS/calls" "$flood_calls" 1 wait
	target=$pid
	start_tracer -p "$target" --uprobe "$WORKLOADS/calls:traced_function" -m 4K "$@"
	kill -STOP "$tracer"
	let_go target
	finish "$target"
	assert_status 0
	kill -CONT "$tracer"
	finish "$tracer" INT
	assert_status 0
	cp tracer.err "$T/err"
}

# check_losses CALLS DELIVERED: what is said must fit what happened and what was delivered.
check_losses() {
	seen=$(accounted seen)
	delivered=$(accounted delivered)
	lost=$(accounted lost)
	[ -n "$seen" ] || fail "no accounting line"
	assert_eq "$seen" "$1" "seen"
	assert_eq "$((delivered + lost))" "$seen" "delivered + lost"
	assert_eq "$delivered" "$2" "delivered"
	# A page, and there is one for each CPU, holds some 30 events.
	assert_between "$lost" $(($1 - 40 * $(nproc))) $(($1 - 1)) "lost"
	assert_match "^tracer: [0-9]+\.[0-9] s, $delivered events in 1 process, $lost lost" "$T/err"
	assert_match "$lost ring full" "$T/err"
}

ring_buffer() {
	flood 5000 --buffer ringbuf
	check_losses 5000 "$(events_of tracer.out | grep -c .)"
	assert_match "^# .* 5000 seen, $delivered delivered, $lost lost" tracer.out
}
perf_buffer() {
	flood 5000 --buffer perf
	check_losses 5000 "$(events_of tracer.out | grep -c .)"
}
t_case "a flood into a full ring buffer: seen = delivered + lost" ring_buffer
t_case "a flood into a full perf buffer: seen = delivered + lost" perf_buffer

json() {
	flood 5000 --format json
	check_losses 5000 "$(grep -c '^{"type":"event"' tracer.out)"
	tail -n 1 tracer.out >summary
	assert_match '^\{"type":"summary",' summary
	assert_match "\"seen\":5000,\"delivered\":$delivered,\"lost\":$lost,.*\"ring_full\":${lost}[,}]" summary
}
t_case "json's summary has the losses" json

perf_script() {
	flood 5000 --format perf-script
	check_losses 5000 "$(grep -c 'calls:traced_function: *$' tracer.out)"
}
t_case "perf-script: as many samples as delivered" perf_script

# In-kernel counting needs no room in a buffer but for new stacks.
aggregated() {
	flood 5000 -o calls.folded
	assert_eq "$(accounted seen) $(accounted delivered) $(accounted lost)" "5000 5000 0" "accounting"
	assert_eq "$(folded_sum calls.folded)" 5000 "sum"
}
t_case "aggregated in the kernel, the same flood loses nothing" aggregated

# Which events get through is the machine's affair; that the sums are right is ours.
busy() {
	run_tracer -v --uprobe "$WORKLOADS/calls:traced_function" "$@" -- "$WORKLOADS/calls" 3000 4
	assert_status 0
	assert_eq "$(accounted seen)" 12000 "seen"
	assert_eq "$(($(accounted delivered) + $(accounted lost)))" 12000 "delivered + lost"
	assert_eq "$(count_events .)" "$(accounted delivered)" "events"
}
busy_small() { busy -m 4K; }
busy_small_perf_buffer() { busy -m 4K --buffer perf; }
t_case "four threads at full speed, the default buffer" busy
t_case "four threads at full speed, -m 4K" busy_small
t_case "four threads at full speed, -m 4K --buffer perf" busy_small_perf_buffer

exact() {
	run_tracer -v --uprobe "$WORKLOADS/calls:traced_function" -o calls.folded "$@" -- "$WORKLOADS/calls" 3000 4
	assert_status 0
	assert_eq "$(accounted seen) $(accounted delivered) $(accounted lost)" "12000 12000 0" "accounting"
	assert_eq "$(folded_sum calls.folded)" 12000 "sum"
}
exact_perf_buffer() { exact --buffer perf; }
t_case "four threads at full speed, aggregated: exactly all" exact
t_case "four threads at full speed, aggregated: exactly all: --buffer perf" exact_perf_buffer

nothing() {
	run_tracer -v --uprobe "$WORKLOADS/calls:traced_function" -- "$WORKLOADS/middle"
	assert_status 0
	assert_eq "$(accounted seen) $(accounted delivered) $(accounted lost)" "0 0 0" "accounting"
}
t_case "nothing seen, nothing lost" nothing
