#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Breakpoints together with what else uses traps, and in storms of threads and processes: every hit is counted
# once, and the target lives and ends as it would have.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

need_breakpoints() { have_breakpoints || skip "hardware breakpoints do not fire here"; }

# On the same instruction: the breakpoint's trap comes before the probe's.
same_instruction() {
	need_breakpoints
	if [ "$(uname -m)" = aarch64 ]; then
		run_tracer --breakpoint "$WORKLOADS/stores:store_counter:x" --uprobe "$WORKLOADS/stores:store_counter" -- touch ran
		assert_status 2
		assert_match '^tracer: --breakpoint WHERE:x: not together with probes on arm64' "$T/err"
		[ ! -e ran ] || fail "the COMMAND has run"
		return
	fi
	run_tracer --breakpoint "$WORKLOADS/stores:store_counter:x" --uprobe "$WORKLOADS/stores:store_counter" \
		--uretprobe "$WORKLOADS/stores:store_counter" --exact-address -- "$WORKLOADS/stores" 200
	assert_status 0
	assert_summary 600 1
	assert_eq "$(count_events ' x in store_counter\+0x0 at stores.c:[0-9]+ <- store_caller\+')" 200 "executions"
	assert_eq "$(count_events ' stores:store_counter +\([a-z]*=?')" 200 "calls"
	assert_eq "$(count_events ' stores:store_counter%return ')" 200 "returns"
}
t_case "a breakpoint and probes at the same instruction" same_instruction

# A probe that is single-stepped, on the very instruction that trips the watch.
stepped_store() {
	need_breakpoints
	# Seen with 5.10 under QEMU; whether it is the kernel's or the emulation's is not known.
	[ "$T_SCALE" = 1 ] || skip "on an emulated CPU the target has been seen not to get past such a store"
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" -- "$WORKLOADS/stores" 1
	after=$(events | sed -n 's/.* in store_counter+0x\([0-9a-f]*\) .*/\1/p')
	[ -n "$after" ] || fail "no store"
	# x86-64 reports the instruction after the store, which is 7 bytes long: mov %reg, counter(%rip)
	[ "$(uname -m)" != x86_64 ] || after=$(printf '%x' $((0x$after - 7)))
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" --uprobe "$WORKLOADS/stores:store_counter+0x$after" \
		-- "$WORKLOADS/stores" 200
	assert_status 0
	assert_eq "$(count_events " stores:store_counter\\+0x$after ")" 200 "probe hits"
	assert_eq "$(count_events ' w [0-9]+ -> [0-9]+ in store_counter\+')" 200 "stores"
	assert_summary 400 1
}
t_case "a probe on the store itself" stepped_store

# in_gdb N -ex COMMAND...: N rounds of stores below gdb, which goes on with its commands once the breakpoint is set.
in_gdb() {
	rounds=$1
	shift
	mkfifo go
	start gdb gdb -q -batch -ex 'set confirm off' -ex 'set debuginfod enabled off' -ex 'break store_caller' -ex run \
		-ex 'shell touch stopped; cat go' "$@" --args "$WORKLOADS/stores" "$rounds"
	gdb=$pid
	wait_for 30 test -e stopped
	start_tracer -p "$(pgrep -P "$gdb" -x stores)" --breakpoint "$WORKLOADS/stores:counter:w"
	: >go
	finish "$gdb"
	finish "$tracer"
	assert_status 0
	assert_match 'exited normally' gdb.out
}

# gdb steps through every instruction of 20 rounds of five stores, with the breakpoint on one of the five.
stepped() {
	need_breakpoints
	need gdb pgrep
	in_gdb 20 -ex 'stepi 3000' -ex 'continue'
	events_of tracer.out | details | sed -n 's/^w [0-9]* -> \([0-9]*\) in store_counter.*/\1/p' >got
	awk 'BEGIN { for (i = 1; i <= 20; i++) printf "%d\n", i }' >want
	assert cmp want got
}
t_case "gdb steps through the target meanwhile" stepped

# The debugger watches the same variable: both see every store.
watched_twice() {
	need_breakpoints
	need gdb pgrep
	in_gdb 30 -ex 'watch counter' -ex 'ignore 2 1000' -ex 'continue' -ex 'info breakpoints'
	assert_match 'hw watchpoint.*counter' gdb.out
	assert_match 'already hit 30 times' gdb.out
	assert_eq "$(events_of tracer.out | grep -c ' w [0-9]* -> [0-9]* in store_counter+')" 30 "stores"
}
t_case "gdb watches the same variable" watched_twice

# 8 threads, each of which makes 40 threads and 40 processes: each of those stores once.
storm() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/watched:pair.low" --count -o count.txt -- "$WORKLOADS/watched" 40 8 storm </dev/null
	assert_status 7
	assert_match '^tracer: [0-9.]+ s, 640 events in 321 processes, 0 lost' "$T/err"
}
t_case "a storm of 320 threads and 320 processes: every store" storm 240

# The same when all threads were there before the tracer.
storm_running() {
	need_breakpoints
	start_waiting target 9 "$WORKLOADS/watched" 30 8 storm
	target=$pid
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:pair.low" --count -o count.txt
	let_go target
	finish "$target"
	assert_eq "$status" 7 "the target's own status"
	finish "$tracer"
	assert_status 0
	assert_match '^tracer: [0-9.]+ s, 480 events in 241 processes, 0 lost' tracer.err
	assert_match '^tracer: watched:pair.low: 9 of 9 threads watched$' tracer.err
}
t_case "the same storm in a process that ran before" storm_running 240

# Attached and detached over and over, while threads and processes come and go.
storm_attached() {
	need_breakpoints
	start_waiting target 9 "$WORKLOADS/watched" 150 8 storm
	target=$pid
	let_go target
	while is_running "$target"; do
		run_tracer -p "$target" --breakpoint "$WORKLOADS/watched:pair.low" --count -o count.txt -d 0.1
		[ "$status" -eq 0 ] || ! is_running "$target" || fail "status $status"
	done
	finish "$target"
	assert_status 7
}
t_case "set and taken off in the midst of a storm" storm_attached 240

# What was watched is gone with exec: nothing is seen there, nothing dies of it.
exec_storm() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/forks:traced_function:x" -- "$WORKLOADS/forks" 60 3 exec "$WORKLOADS/calls"
	assert_status 0
	assert_eq "$(count_events ' x in traced_function')" 3 "executions before exec"
}
t_case "60 children that exec" exec_storm 120
