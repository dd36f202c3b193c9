#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On-CPU samples of a program that computes in a known place for a known time.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# Nearly all samples lie in spin_inner under spin_outer (or in an interrupt of it).
# in_spin FILE: percent of the samples
in_spin() {
	all=$(folded_sum "$1")
	[ "$all" -gt 0 ] || fail "no samples"
	echo $(($(folded_sum "$1" '^spin;.*;spin_outer;spin_inner[; ]') * 100 / all))
}

# A virtual CPU that is itself scheduled away takes fewer samples than its clock promises, never more; an
# emulated one on a busy machine far fewer. So only the upper bound is strict there.
least() { echo $(($1 / (T_SCALE * T_SCALE))); }
rate() {
	run_tracer --profile=499 -o spin.folded "$@" -- "$WORKLOADS/spin" 1000
	assert_status 0
	assert_match ', 0 lost' "$T/err"
	assert_between "$(folded_sum spin.folded '^spin;')" "$(least 250)" 560 "samples of 1 s at 499 Hz"
	assert_between "$(in_spin spin.folded)" "$((100 - 5 * T_SCALE))" 100 "percent in spin_inner"
}
rate_perf_buffer() { rate --buffer perf; }
t_case "--profile=HZ: as many samples as the CPU time promises, in the right place" rate
t_case "--profile=HZ: as many samples as the CPU time promises: --buffer perf" rate_perf_buffer

by_default() {
	run_tracer -o spin.folded -- "$WORKLOADS/spin" 1000
	assert_status 0
	assert_between "$(folded_sum spin.folded '^spin;')" "$(least 50)" 112 "samples of 1 s at 99 Hz"
	assert_between "$(in_spin spin.folded)" "$((100 - 10 * T_SCALE))" 100 "percent in spin_inner"
}
t_case "the default source is --profile at 99 Hz" by_default

threads() {
	run_tracer --profile=499 --by tid -o spin.folded -- "$WORKLOADS/spin" 400 4
	assert_status 0
	while read -r _ tid _ _ _ cpu _; do
		samples=$(awk -v tid="$tid" '
			{ split($0, frame, ";") }
			frame[1] ~ "(^|[^0-9])" tid "$" { sum += $NF }
			END { print sum + 0 }' spin.folded)
		assert_between "$samples" "$(least $((cpu * 250 / 1000000)))" $((cpu * 700 / 1000000 + 2)) "samples of a thread"
	done <"$T/out"
	assert_lines "$T/out" 4
	assert_match ';spin_thread;spin_and_rest;spin_outer;spin_inner[; ]' spin.folded
}
t_case "every thread has its share" threads

text() {
	run_tracer --profile -- "$WORKLOADS/spin" 500
	assert_status 0
	assert_between "$(count_events ' (cpu-clock|cycles) +spin_inner\+0x[0-9a-f]+ \(spin\)$')" "$(least 20)" 60 "samples"
	run_tracer --profile -g -- "$WORKLOADS/spin" 300
	assert_status 0
	assert_match '^	 +0x[0-9a-f]+ spin_inner\+0x[0-9a-f]+ \(spin\)$' "$T/out"
	assert_match '^	 +0x[0-9a-f]+ spin_outer\+0x[0-9a-f]+ \(spin\)$' "$T/out"
}
t_case "text: where the CPU was" text

spaces() {
	run_tracer --profile=499 --user-only -o user.folded -- "$WORKLOADS/spin" 300
	assert_status 0
	assert_no_match '_\[k\]' user.folded
	assert_match ';spin_outer;spin_inner [0-9]+$' user.folded
	# Reading zeros is the kernel's work.
	run_tracer --profile=499 --kernel-only -o kernel.folded -- dd if=/dev/zero of=/dev/null bs=4096 count=200000
	assert_status 0
	assert_match '_\[k\] [0-9]+$' kernel.folded
	assert_no_match ';main' kernel.folded
}
t_case "--user-only and --kernel-only" spaces

no_call_graph() {
	run_tracer --profile=499 --call-graph none --user-only -o leaf.folded -- "$WORKLOADS/spin" 300
	assert_status 0
	assert_match '^spin;spin_inner [0-9]+$' leaf.folded
	# one frame below the comm, whichever it is
	assert_no_match ';.*;' leaf.folded
}
t_case "--call-graph none: the leaf alone" no_call_graph

depth() {
	run_tracer --profile=499 --user-only --max-stack 2 -o cut.folded -- "$WORKLOADS/spin" 300
	assert_status 0
	assert_match '^spin;\[incomplete: max depth\];spin_outer;spin_inner [0-9]+$' cut.folded
	# comm, mark, two frames; and what was cut is marked
	assert_no_match ';.*;.*;.*;' cut.folded
	assert_no_match '^[^;]*;[^[;][^;]*;[^;]*;' cut.folded
	assert_match '^tracer: user stacks .*max depth' "$T/err"
}
t_case "--max-stack cuts, and says so" depth

whole_system() {
	start spin "$WORKLOADS/spin" $((20000 * T_SCALE))
	# under a name of its own: another tracer may be at work
	cp "$TRACER" ./traces-itself
	TRACER=./traces-itself
	run_tracer -a --profile=199 -d 1 -o all.folded
	assert_status 0
	assert_between "$(folded_sum all.folded '^spin;.*;spin_outer;spin_inner[; ]')" "$(least 30)" 230 "samples"
	# It does not see itself.
	assert_no_match '^traces-itself;' all.folded
}
t_case "-a: a program that runs anyhow is found, the tracer itself is not" whole_system

running() {
	start spin "$WORKLOADS/spin" $((20000 * T_SCALE)) 2
	run_tracer --profile=199 -p "$pid" -d 1 -o spin.folded
	assert_status 0
	assert_between "$(in_spin spin.folded)" "$((100 - 5 * T_SCALE))" 100 "percent in spin_inner"
	assert_eq "$(folded_sum spin.folded '^spin;')" "$(folded_sum spin.folded)" "all samples are its own"
}
t_case "-p: a running process" running

runs_or_gone() {
	case $(readlink "/proc/$1/exe") in */"$2") return 0 ;; esac
	is_gone "$1"
}
task_32bit() {
	[ -x "$WORKLOADS/target32" ] || skip "no 32-bit program could be built"
	# Not by the shell, which would take what this kernel cannot run for a script.
	start target "$WORKLOADS/unprivileged" "$WORKLOADS/target32"
	wait_for 10 runs_or_gone "$pid" target32
	is_running "$pid" || skip "this kernel runs no 32-bit programs"
	run_tracer --off-cpu -p "$pid" -d 1 -o waits.folded
	assert_status 0
	# Its user stack is not walked, and that is said.
	assert_match '32-bit' waits.folded
	assert_match '^tracer: user stacks .*32-bit' "$T/err"
}
t_case "a 32-bit program: marked, not walked" task_32bit
