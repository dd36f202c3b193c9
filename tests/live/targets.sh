#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Workloads that wait to be told, and a tracer that runs beside them. Sourced after lib.sh.
#
#	start_waiting NAME LINES COMMAND...	as start, but what COMMAND reads from stdin comes from let_go
#						alone. Returns when it has printed LINES lines ("pid PID",
#						"tid TID"), so it has all its threads and waits; sets $pid
#	let_go NAME				lets it run
#	start_tracer ARG...			as start tracer, and returns when it records; sets $tracer
#	nobody ARG...			as run_tracer, as somebody who may do nothing
#	is_running PID				is it there, and no zombie?	is_gone PID	the opposite
#	has_lines FILE N			has FILE at least N lines? (for wait_for)
#
# shellcheck disable=SC2034,SC2153,SC2154 # status is for lib.sh, from which TRACER, T and pid come

start_waiting() {
	waiting_name=$1
	waiting_lines=$2
	shift 2
	mkfifo "$T/$waiting_name.go"
	# Opened for both, a FIFO neither blocks the opener nor ever ends. The exec keeps $pid true.
	# shellcheck disable=SC2016 # the inner shell expands it
	start "$waiting_name" sh -c 'fifo=$1; shift; exec "$@" 0<>"$fifo"' sh "$T/$waiting_name.go" "$@"
	wait_for 20 has_lines "$T/$waiting_name.out" "$waiting_lines"
}

let_go() { echo >"$T/$1.go"; }

# With -v the tracer says when every source is attached and enabled.
start_tracer() {
	start tracer "$TRACER" -v "$@"
	tracer=$pid
	wait_for 30 tracer_is_recording_or_gone
	grep -q '^tracer: recording' "$T/tracer.err" ||
		fail "tracer ended before it recorded: $(tail -n 1 "$T/tracer.err")"
}

nobody() {
	status=0
	"$WORKLOADS/unprivileged" "$TRACER" "$@" >"$T/out" 2>"$T/err" || status=$?
}

tracer_is_recording_or_gone() { grep -q '^tracer: recording' "$T/tracer.err" || ! is_running "$tracer"; }

is_running() {
	{ read -r running_stat </proc/"$1"/stat; } 2>/dev/null || return 1
	case ${running_stat##*) } in [ZX]*) return 1 ;; esac
}

is_gone() { ! is_running "$1"; }

has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }
