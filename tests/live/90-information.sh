#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the tracer tells about itself, about this system and about a program, without recording.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

help() {
	run_tracer --help
	assert_status 0
	assert [ ! -s "$T/err" ]
	assert_match '^Usage: tracer ' "$T/out"
	for option in profile off-cpu wall uprobe uretprobe breakpoint pid tid all-cpus cpu no-inherit duration \
		max-events call-graph max-stack user-only kernel-only output format count by engine buffer \
		check list verbose help version; do
		assert_match "[ ,]--$option([ =[]|\$)" "$T/out"
	done
	assert_no_match '^.{101}' "$T/out"
	cp "$T/out" long
	run_tracer -h
	assert_status 0
	assert cmp long "$T/out"
}
t_case "--help names every option, within 100 columns" help

version() {
	run_tracer --version
	assert_status 0
	assert_lines "$T/out" 1
	assert_match '^tracer [^ ]+' "$T/out"
	assert [ ! -s "$T/err" ]
}
t_case "--version" version

check() {
	run_tracer --check
	assert_status 0
	for row in BTF 'ring buffer' 'perf buffer' uprobes uretprobes breakpoints sampling scheduler capabilities; do
		assert_match "$row.* (yes|no) " "$T/out"
	done
	# The live tests run where recording works, and know whether breakpoints fire.
	assert_match '^uprobes.* yes ' "$T/out"
	assert_match '^uretprobes.* yes ' "$T/out"
	assert_match '^sampling.* yes ' "$T/out"
	assert_match '^scheduler.* yes ' "$T/out"
	case ${T_BREAKPOINTS:-} in
	1) assert_match '^breakpoints +yes ' "$T/out" ;;
	0) assert_match '^breakpoints +no ' "$T/out" ;;
	esac
	# Every row says something.
	assert_no_match '^.*(yes|no|-) *$' "$T/out"
}
t_case "--check: a row for each thing that matters" check

check_unprivileged() {
	status=0
	"$WORKLOADS/unprivileged" "$TRACER" --check >"$T/out" 2>"$T/err" || status=$?
	assert [ "$status" -le 1 ]
	assert_match '^capabilities +no .*cap_bpf.*cap_perfmon' "$T/out"
}
t_case "--check without privilege names the capabilities that are missing" check_unprivileged

functions() {
	run_tracer --list functions "$WORKLOADS/calls"
	assert_status 0
	for name in main caller_function traced_function returns_value thread_main; do
		assert_eq "$(grep -cw -- "$name" "$T/out")" 1 "$name"
	done
	assert_no_match 'stdout' "$T/out"
	run_tracer --list functions "$WORKLOADS/twice" same_name
	assert_status 0
	assert_eq "$(grep -cw same_name "$T/out")" 2 "functions of one name"
	assert_no_match 'main' "$T/out"
	run_tracer --list functions "$WORKLOADS/calls" 'no_such_*'
	assert_status 1
	assert_match '^tracer: .*no_such_' "$T/err"
}
t_case "--list functions BIN [PATTERN]" functions

variables() {
	run_tracer --list variables "$WORKLOADS/stores"
	assert_status 0
	for variable in counter:8 hidden_counter:8 int_counter:4 short_counter:2 byte_counter:1; do
		assert_match "^0x[0-9a-f]+ +${variable#*:} +${variable%:*}\$" "$T/out"
	done
	assert_no_match 'store_counter' "$T/out"
}
t_case "--list variables BIN" variables

list_errors() {
	run_tracer --list functions "$T/none"
	assert_status 1
	assert_match "^tracer: .*$T/none" "$T/err"
	run_tracer --list functions
	assert_status 2
	run_tracer --list nonsense "$WORKLOADS/calls"
	assert_status 2
	assert_match '^tracer: .*nonsense' "$T/err"
	echo text >text
	run_tracer --list variables "$T/text"
	assert_status 1
	assert_match '^tracer: .*text.*ELF' "$T/err"
}
t_case "--list: what is not there, or no program" list_errors
