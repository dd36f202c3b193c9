#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Where hardware breakpoints open without an error and never fire, as in many virtual machines: the tracer
# must find out and refuse. Silence would be a lie.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

need_none() { ! have_breakpoints || skip "hardware breakpoints fire here"; }

refused() {
	need_none
	for where in counter:w counter:rw store_counter:x; do
		run_tracer --breakpoint "$WORKLOADS/stores:$where" -- touch ran
		assert_status 1
		assert_match '^tracer: .*breakpoint.*(fire|work|trigger)' "$T/err"
		assert [ ! -e ran ]
		assert [ ! -s "$T/out" ]
	done
}
t_case "a breakpoint that could never fire is refused, and nothing runs" refused

refused_beside() {
	need_none
	run_tracer --uprobe "$WORKLOADS/stores:store_counter" --breakpoint "$WORKLOADS/stores:counter:w" -- touch ran
	assert_status 1
	assert_match '^tracer: .*breakpoint' "$T/err"
	assert [ ! -e ran ]
}
t_case "also beside a source that works" refused_beside

check() {
	need_none
	"$TRACER" --check >"$T/out" 2>"$T/err" || :
	assert_match '^breakpoints +no .*fire' "$T/out"
}
t_case "--check says so" check
