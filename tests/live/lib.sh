#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What a live test is written with. A live test is tests/live/NN-name.sh:
#
#	#!/bin/sh
#	# shellcheck source=tests/live/lib.sh
#	. "$(dirname "$0")/lib.sh"
#
#	counts_every_call() {
#		run_tracer --uprobe "$WORKLOADS/calls:work" --count -- "$WORKLOADS/calls" 600
#		assert_status 0
#		assert_match '^ *600 ' "$T/out"
#	}
#	t_case "a uprobe counts every call" counts_every_call
#
# The top level defines functions and lists cases, nothing more: for each case the script runs again, in
# a session of its own, and calls that one function. So a case that hangs, or leaves processes behind,
# can be ended with all it started, and cases share no state.
#
#	t_case NAME FUNCTION [SECONDS]	Passes if FUNCTION returns. It fails at the first assertion that does
#					not hold, at the first command that fails (set -e), and at the time
#					limit: 60 s or SECONDS, times $T_SCALE, which a slow machine sets.
#
# In a case:
#	$TRACER $WORKLOADS $T		the program, the folder of built workloads, and the case's own new
#					folder, which is also its working directory and vanishes with it
#	run_tracer ARG...		sets $status; output in $T/out and $T/err
#	start NAME COMMAND...		in the background; output in $T/NAME.out and $T/NAME.err; sets $pid
#	finish PID [SIGNAL]		sends the signal, if any, waits and sets $status. A shell starts
#					background commands with INT ignored: INT reaches only a program that
#					installs a handler, as tracer does
#	wait_for SECONDS COMMAND...	polls; fails if it does not come true; SECONDS times $T_SCALE
#	fail WHY	skip WHY	end the case, from a subshell too
#	assert COMMAND...		assert_eq GOT WANT [WHAT]	assert_between GOT LOW HIGH [WHAT]
#	assert_match ERE FILE		assert_no_match ERE FILE	assert_lines FILE N
#	assert_status N			$status as run_tracer and finish leave it
#	have COMMAND			is it installed?		need COMMAND... skips without
#	kernel_at_least MAJOR MINOR	have_breakpoints		do they fire here?
#
# Results on stdout, one line a case: "ok - NAME", "not ok - NAME: WHY", "skip - NAME: WHY". After a failure
# comes the end of the case's output, each line behind "  | ".
#
# Environment: TRACER and WORKLOADS, absolute; T_SCALE; T_MATCH=ERE runs only the cases whose name
# matches; T_TRACE=1 shows a failed case's commands; T_BREAKPOINTS=0|1 says whether hardware breakpoints
# fire, where that is known beforehand. Must run under dash and busybox sh.
set -eu

T_script=$(cd "$(dirname "$0")" && pwd)/${0##*/}
# In tests/live, or in tests/unit for the shell tests there: two levels below the top either way.
T_top=$(cd "$(dirname "$0")/../.." && pwd)
TRACER=${TRACER:-$T_top/tracer}
WORKLOADS=${WORKLOADS:-$T_top/build/tests/workloads}
T_SCALE=${T_SCALE:-1}
# Not for what a case runs in its turn.
T_wanted=${T_CASE:-}
T_match=${T_MATCH:-}
unset T_CASE T_MATCH
export TRACER WORKLOADS T_SCALE

# busybox first: it is all that a VM has, it knows $LINENO (dash is built without), and a script that
# needs more than its tools give fails on the host already.
if [ -z "${T_SHELL:-}" ]; then
	T_SHELL="sh"
	if command -v busybox >/dev/null; then T_SHELL="busybox sh"; fi
	export T_SHELL
fi

# ---- running cases ---------------------------------------------------------------------------

T_count=0

t_case() {
	T_count=$((T_count + 1))
	if [ -n "$T_wanted" ]; then
		[ "$T_count" -eq "$T_wanted" ] || return 0
		cd "$T"
		[ -z "${T_TRACE:-}" ] || set -x
		"$2"
		exit 0
	fi
	if [ -n "$T_match" ]; then
		printf '%s\n' "$1" | grep -qE -- "$T_match" || return 0
	fi
	T_run_case "$1" $((${3:-60} * T_SCALE))
}

# The case's own process is the session's leader and keeps its id to the end, so $! names the session.
T_run_case() {
	T_box=$(mktemp -d "${TMPDIR:-/tmp}/tracer-live.XXXXXX")
	mkdir "$T_box/T"
	T_begin=$(date +%s)
	T_code=0
	# shellcheck disable=SC2086 # T_SHELL may be two words
	T=$T_box/T T_RESULT=$T_box/result T_CASE=$T_count \
		setsid timeout -s KILL "$2" $T_SHELL "$T_script" >"$T_box/log" 2>&1 </dev/null &
	T_session=$!
	wait "$T_session" 2>/dev/null || T_code=$?
	T_seconds=$(($(date +%s) - T_begin))
	T_end_session

	# A verdict counts even if it was given in a subshell whose status nobody looked at.
	if [ -s "$T_box/result" ]; then
		read -r T_verdict T_why <"$T_box/result"
	elif [ "$T_code" -eq 0 ]; then
		T_verdict=pass
	elif [ "$T_code" -ge 124 ] && [ "$T_seconds" -ge "$2" ]; then
		T_verdict=fail T_why="no end within $2 s"
	else
		T_verdict=fail T_why="a command failed with status $T_code"
	fi
	case $T_verdict in
	pass) echo "ok - $1" ;;
	skip) echo "skip - $1: $T_why" ;;
	*)
		echo "not ok - $1: $T_why"
		T_show "$T_box/log" 25
		for T_file in "$T_box"/T/out "$T_box"/T/err "$T_box"/T/*.err; do T_show "$T_file" 10; done
		;;
	esac
	rm -rf "$T_box"
	T_box=
}

# T_show FILE N: control characters must not reach a terminal, nor a line pose as a result.
T_show() {
	[ -s "$1" ] || return 0
	echo "  | -- end of ${1##*/}:"
	tail -n "$2" "$1" | tr -c '\n\t -~' '?' | sed 's/^/  | /'
}

# Ends everything in the case's session: more than once, for what forked meanwhile. In stat, after the
# name, which may hold spaces and parentheses, come state, parent, group, session.
T_end_session() {
	[ -n "${T_session:-}" ] || return 0
	for T_pass in 1 2 3; do
		T_ended=
		for T_stat in /proc/[0-9]*/stat; do
			{ read -r T_line <"$T_stat"; } 2>/dev/null || continue
			T_line=${T_line##*) }
			case $T_line in [ZX]*) continue ;; esac
			T_line=${T_line#* * * }
			[ "${T_line%% *}" = "$T_session" ] || continue
			T_stat=${T_stat%/stat}
			kill -s KILL "${T_stat#/proc/}" 2>/dev/null || :
			T_ended=$T_pass
		done
		[ -n "$T_ended" ] || break
	done
	T_session=
}

if [ -z "$T_wanted" ]; then
	trap 'T_end_session; [ -z "${T_box:-}" ] || rm -rf "$T_box"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
fi

# ---- verdicts and assertions -----------------------------------------------------------------

# An alias is the only way to get the caller's line in a POSIX shell.
alias fail='T_LINE=${LINENO:-} T_fail'
alias skip='T_skip'
alias assert='T_LINE=${LINENO:-} T_assert'
alias assert_eq='T_LINE=${LINENO:-} T_assert_eq'
alias assert_between='T_LINE=${LINENO:-} T_assert_between'
alias assert_match='T_LINE=${LINENO:-} T_assert_match'
alias assert_no_match='T_LINE=${LINENO:-} T_assert_no_match'
alias assert_lines='T_LINE=${LINENO:-} T_assert_lines'
alias assert_status='T_LINE=${LINENO:-} T_assert_status'
alias wait_for='T_LINE=${LINENO:-} T_wait_for'

# The first verdict stands, and is one line of plain text whatever a test put in.
T_end_case() {
	if [ ! -s "$T_RESULT" ]; then
		{ printf '%s' "$*" | tr '\n\t' '  ' | tr -c ' -~' '?' && echo; } >"$T_RESULT"
	fi
	exit 1
}

T_fail() { T_end_case "fail ${0##*/}${T_LINE:+:$T_LINE}: $*"; }
T_skip() { T_end_case "skip $*"; }

T_assert() { "$@" || T_fail "false: $*"; }

T_assert_eq() { [ "$1" = "$2" ] || T_fail "${3:+$3: }got '$1', want '$2'"; }

T_assert_between() {
	{ [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; } || T_fail "${4:+$4: }got '$1', want $2 to $3"
}

T_assert_match() {
	[ -e "$2" ] || T_fail "no file ${2##*/}"
	grep -qE -- "$1" "$2" || T_fail "${2##*/} has no line that matches $1"
}

T_assert_no_match() {
	[ -e "$2" ] || T_fail "no file ${2##*/}"
	! grep -E -- "$1" "$2" || T_fail "${2##*/} has a line that matches $1"
}

T_assert_lines() {
	[ -e "$1" ] || T_fail "no file ${1##*/}"
	T_lines=$(wc -l <"$1")
	[ "$T_lines" -eq "$2" ] || T_fail "${1##*/} has $((T_lines)) lines, want $2"
}

T_assert_status() { [ "$status" -eq "$1" ] || T_fail "exit status $status, want $1"; }

T_wait_for() {
	T_seconds=$1
	shift
	T_until=$(($(date +%s) + T_seconds * T_SCALE))
	until "$@"; do
		[ "$(date +%s)" -lt "$T_until" ] || T_fail "not within $((T_seconds * T_SCALE)) s: $*"
		sleep 0.1
	done
}

# ---- running things --------------------------------------------------------------------------

run_tracer() {
	status=0
	"$TRACER" "$@" >"$T/out" 2>"$T/err" || status=$?
}

start() {
	T_name=$1
	shift
	"$@" >"$T/$T_name.out" 2>"$T/$T_name.err" &
	pid=$!
	export pid
}

finish() {
	[ $# -lt 2 ] || kill -s "$2" "$1"
	status=0
	wait "$1" || status=$?
}

# ---- what this machine has -------------------------------------------------------------------

have() { command -v "$1" >/dev/null; }

need() {
	for T_tool in "$@"; do
		have "$T_tool" || T_skip "no $T_tool here"
	done
}

kernel_at_least() {
	T_release=$(uname -r)
	T_major=${T_release%%.*}
	T_minor=${T_release#*.}
	T_minor=${T_minor%%[!0-9]*}
	[ "$T_major" -gt "$1" ] || { [ "$T_major" -eq "$1" ] && [ "$T_minor" -ge "$2" ]; }
}

# Where it is not known, the tracer's own self-test is asked; a VM knows, so that a wrong answer there
# fails tests instead of skipping them.
have_breakpoints() {
	case ${T_BREAKPOINTS:-} in
	1) return 0 ;;
	0) return 1 ;;
	esac
	"$TRACER" --check 2>/dev/null | grep -qiE '^[^a-z]*(hardware )?breakpoints?[^a-z]+(yes|ok|works)'
}
