#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Where the output goes wrong: it is said, the status tells, and a closed pipe is no trouble at all.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

probe=$WORKLOADS/calls:traced_function

# Found out before anything runs.
no_folder() {
	run_tracer --uprobe "$probe" -o none/calls.svg -- touch ran
	assert_status 1
	assert_match '^tracer: .*none/calls\.svg.*No such file' "$T/err"
	assert [ ! -e ran ]
	mkdir folder.txt
	run_tracer --uprobe "$probe" -o folder.txt -- touch ran
	assert_status 1
	assert_match '^tracer: .*folder\.txt.*[Ii]s a directory' "$T/err"
	assert [ ! -e ran ]
}
t_case "the folder of -o is missing, or -o is one" no_folder

# full FORMAT: more than any stdio buffer holds for the streaming formats; the others write at the end.
full() {
	status=0
	"$TRACER" --uprobe "$probe" --format "$1" -- "$WORKLOADS/calls" 300 >/dev/full 2>"$T/err" || status=$?
	assert_status 1
	assert_match '^tracer: .*No space left' "$T/err"
	run_tracer --uprobe "$probe" --format "$1" -o /dev/full -- "$WORKLOADS/calls" 300
	assert_status 1
	assert_match '^tracer: .*/dev/full.*No space left' "$T/err"
	assert_no_match '^tracer: wrote' "$T/err"
}
disk_full() {
	for format in text json perf-script folded svg count; do
		full "$format"
	done
}
t_case "the disk is full, in every format" disk_full

# A write error ends the recording: nobody wants to wait for a file that is broken already.
disk_full_ends() {
	start_waiting target 1 "$WORKLOADS/calls" 0 1 wait pace
	target=$pid
	let_go target
	status=0
	"$TRACER" -p "$target" --uprobe "$probe" >/dev/full 2>"$T/err" || status=$?
	assert_status 1
	assert_match '^tracer: .*No space left' "$T/err"
	assert is_running "$target"
}
t_case "the disk gets full: the recording ends" disk_full_ends

# Descriptor 1 must not be reused for something that then gets events written into it.
closed_stdout() {
	status=0
	"$TRACER" --uprobe "$probe" -- "$WORKLOADS/calls" 300 >&- 2>"$T/err" || status=$?
	assert_status 1
	assert_match '^tracer: .*(stdout|standard output)' "$T/err"
	# With -o nobody needs it.
	status=0
	"$TRACER" --uprobe "$probe" -o calls.folded -- "$WORKLOADS/calls" 300 >&- 2>"$T/err" || status=$?
	assert_status 0
	assert_eq "$(folded_sum calls.folded)" 300 "calls"
}
t_case "stdout is closed" closed_stdout

closed_stderr() {
	status=0
	"$TRACER" --uprobe "$probe" -o calls.folded -- "$WORKLOADS/calls" 300 2>&- >"$T/out" || status=$?
	assert_status 0
	assert_eq "$(folded_sum calls.folded)" 300 "calls"
	assert [ ! -s "$T/out" ]
}
t_case "stderr is closed: no message ends up in the output" closed_stderr

# piped FORMAT: the reader takes one line and goes; the target would go on for ever.
piped() {
	{
		code=0
		"$TRACER" -p "$target" --uprobe "$probe" --format "$1" 2>"$T/err" || code=$?
		echo "$code" >exit-status
	} | head -n 1 >first
	assert_lines first 1
	read -r code <exit-status
	[ "$code" -eq 0 ] || [ "$code" -eq 141 ] || fail "exit status $code"
	assert_no_match '[Bb]roken pipe|[Ee]rror' "$T/err"
	assert is_running "$target"
}
closed_pipe() {
	start_waiting target 1 "$WORKLOADS/calls" 0 1 wait pace
	target=$pid
	let_go target
	for format in text json perf-script; do
		piped "$format"
	done
}
t_case "a closed pipe ends it quietly" closed_pipe

closed_pipe_at_end() {
	{
		code=0
		"$TRACER" --uprobe "$probe" --format svg -- "$WORKLOADS/calls" 10 2>"$T/err" || code=$?
		echo "$code" >exit-status
	} | true
	read -r code <exit-status
	[ "$code" -eq 0 ] || [ "$code" -eq 141 ] || fail "exit status $code"
	assert_no_match '[Bb]roken pipe|[Ee]rror' "$T/err"
}
t_case "a pipe that is closed before anything is written" closed_pipe_at_end
