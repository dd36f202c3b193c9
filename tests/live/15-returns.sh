#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What a return probe does to others: it replaces return addresses, and the kernel keeps only so many.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# Frames of the first event of a source in $T/out, leaf first, without offsets.
frames_of() {
	awk -v source="$1" '
		/^[^\t#]/ { if (found) exit; found = $6 == source; next }
		found && $1 ~ /^0x/ { sub(/\+.*/, "", $2); print $2 }' "$T/out" | head -n "$2" | tr '\n' ' '
}

stack_of_pending() {
	run_tracer -g --uretprobe "$WORKLOADS/recurse:recurse_down" --uprobe "$WORKLOADS/recurse:recurse_leaf" \
		-- "$WORKLOADS/recurse" 3
	assert_status 0
	assert_summary 5 1
	assert_eq "$(frames_of recurse:recurse_leaf 6)" \
		"recurse_leaf recurse_down recurse_down recurse_down recurse_down main " "stack of the leaf"
	assert_eq "$(frames_of recurse:recurse_down%return 4)" \
		"recurse_down recurse_down recurse_down main " "stack of the first return"
	assert_no_match 'uprobes' "$T/out"
}
t_case "a stack goes through functions whose return is probed" stack_of_pending

# The walk that meets a replaced address right away: the caller of the probed function itself.
entry_below_pending() {
	run_tracer --uretprobe "$WORKLOADS/calls:caller_function" --uprobe "$WORKLOADS/calls:traced_function" \
		--count -o calls.txt -- "$WORKLOADS/calls" 100
	assert_status 0
	assert_match '^ +100 ' calls.txt
	assert_eq "$(grep -A 3 ' calls:traced_function$' calls.txt | sed 1d | awk '{ printf "%s ", $1 }')" \
		"traced_function caller_function main " "stack"
}
t_case "the same, added up" entry_below_pending

too_deep() {
	run_tracer -v --uretprobe "$WORKLOADS/recurse:recurse_down" -o returns.txt -- "$WORKLOADS/recurse" 99
	assert_status 0
	assert_match '^tracer: accounting: seen=100 delivered=64 lost=36$' "$T/err"
	assert_match '^tracer: warning: lost: 36 returns nested deeper' "$T/err"
	assert_match '^# .* 100 seen, 64 delivered, 36 lost \(36 returns nested too deep\)$' returns.txt
}
t_case "returns that the kernel does not probe are lost, and counted" too_deep

entry_and_return() {
	run_tracer --uprobe "$WORKLOADS/calls:returns_value" --uretprobe "$WORKLOADS/calls:returns_value" \
		--kernel-only --count -o both.txt -- "$WORKLOADS/calls" 30
	assert_status 0
	assert_match '^ +30 +calls [0-9]+ calls:returns_value$' both.txt
	assert_match '^ +30 +calls [0-9]+ calls:returns_value%return$' both.txt
}
t_case "entry and return of one function are two events" entry_and_return
