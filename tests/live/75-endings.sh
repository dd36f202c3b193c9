#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How a recording ends: by time, by number, by a signal, by the target's death, by its own.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

probe=$WORKLOADS/calls:traced_function

# A target that calls traced_function every ms, for ever; sets $target.
start_endless() {
	start_waiting target 1 "$WORKLOADS/calls" 0 1 wait pace
	target=$pid
	let_go target
}

has_events() { [ "$(events_of "$1" | grep -c .)" -ge "$2" ]; }

# The summary in tracer.err agrees with the lines in tracer.out, the last of which is whole.
check_written() {
	number=$(events_of tracer.out | grep -c .)
	assert_match "^tracer: [0-9]+\.[0-9] s, $number events in 1 process, 0 lost" tracer.err
	assert_eq "$(events_of tracer.out | grep -cE ', f=6\) <- caller_function\+0x[0-9a-f]+$')" "$number" \
		"whole lines"
	assert_match "^# .* $number seen, $number delivered, 0 lost$" tracer.out
}

signal() {
	start_endless
	start_tracer -p "$target" --uprobe "$probe"
	wait_for 20 has_events tracer.out 100
	finish "$tracer" "$1"
	assert_status 0
	check_written
	assert is_running "$target"
}
interrupt() { signal INT; }
terminate() { signal TERM; }
hang_up() {
	# what is ignored stays so in all that is started (nohup)
	ignored=$(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status)
	[ $((0x$ignored & 1)) -eq 0 ] || skip "SIGHUP is ignored here (nohup)"
	signal HUP
}
t_case "SIGINT stops, drains and writes" interrupt
t_case "SIGTERM stops, drains and writes" terminate
t_case "SIGHUP stops, drains and writes" hang_up

# A COMMAND gets no second life after the tracer was told to stop.
interrupt_with_command() {
	# shellcheck disable=SC2016 # the COMMAND expands it
	start_tracer --uprobe "$probe" -- sh -c 'echo "pid $$" >pid; exec "$1" 0 1 pace' sh "$WORKLOADS/calls"
	wait_for 20 has_events tracer.out 100
	finish "$tracer" INT
	assert [ "$status" -ne 1 ]
	check_written
	wait_for 10 is_gone "$(sed -n 's/^pid //p' pid)"
}
t_case "SIGINT ends the COMMAND too" interrupt_with_command

# Nobody reads what it writes: the first SIGINT cannot be obeyed.
second_interrupt() {
	start_endless
	mkfifo pipe
	exec 8<>pipe
	start_tracer -p "$target" --uprobe "$probe" -o pipe --format text
	wait_for 20 is_stuck_in_write
	kill -INT "$tracer"
	wait_for 10 interrupted_again
	finish "$tracer"
	assert [ "$status" -ne 0 ]
	assert is_running "$target"
}
# Blocked in a system call that writes to the pipe: the second field is the descriptor.
is_stuck_in_write() {
	read -r _ stuck_fd _ 2>/dev/null <"/proc/$tracer/syscall" || return 1
	[ "$(readlink "/proc/$tracer/fd/$(printf '%d' "$stuck_fd" 2>/dev/null)")" = "$T/pipe" ]
}
interrupted_again() {
	kill -INT "$tracer" 2>/dev/null || :
	is_gone "$tracer"
}
t_case "a second SIGINT abandons what cannot be written" second_interrupt

by_time() {
	start_endless
	run_tracer -p "$target" --uprobe "$probe" -d 1
	assert_status 0
	tenths=$(sed -n 's/^tracer: \([0-9]*\)\.\([0-9]\) s, .*/\1\2/p' "$T/err")
	assert_between "$tenths" 10 $((30 * T_SCALE)) "tenths of a second"
	assert [ "$(count_events .)" -ge 50 ]
	# No event is older than the recording or younger than its end.
	events | awk -v end="$tenths" '$1 < 0 || $1 * 10 > end + 1' >outside
	assert_lines outside 0
	assert is_running "$target"
	run_tracer -p "$target" --uprobe "$probe" -d 500ms
	assert_status 0
	assert_match '^tracer: [0-9]+\.[0-9] s, [1-9][0-9]* events' "$T/err"
}
t_case "-d ends it" by_time

by_number() {
	start_endless
	run_tracer -p "$target" --uprobe "$probe" --max-events 10
	assert_status 0
	assert_eq "$(count_events .)" 10 "events"
	assert_match '^tracer: [0-9]+\.[0-9] s, 10 events in 1 process,' "$T/err"
	assert is_running "$target"
	# Of one stack and of several sources too.
	run_tracer -p "$target" --uprobe "$probe" --uretprobe "$WORKLOADS/calls:returns_value" --max-events 25 \
		--format json
	assert_status 0
	assert_eq "$(grep -c '^{"type":"event"' "$T/out")" 25 "events"
	run_tracer -p "$target" --uprobe "$probe" --max-events 1
	assert_status 0
	assert_eq "$(count_events .)" 1 "events"
}
t_case "--max-events ends it, to the event" by_number

command_ends() {
	run_tracer --uprobe "$probe" -- "$WORKLOADS/calls" 20
	assert_status 0
	assert_eq "$(count_events .)" 20 "events"
	# Not even waits for what the COMMAND left running.
	run_tracer --uprobe "$probe" -- sh -c 'sleep 1000 >/dev/null 2>&1 & exit 4'
	assert_status 4
}
t_case "the COMMAND's end ends it" command_ends

target_killed() {
	start_endless
	start_tracer -p "$target" --uprobe "$probe"
	wait_for 20 has_events tracer.out 100
	kill -KILL "$target"
	wait_for 10 is_gone "$tracer"
	finish "$tracer"
	assert_status 0
	# Names are still found, though nobody has the maps any more.
	check_written
}
t_case "the target is killed: the recording ends, with names" target_killed

command_killed() {
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer --uprobe "$probe" -- sh -c '"$1" 50; kill -KILL $$' sh "$WORKLOADS/calls"
	assert_status 137
	assert_eq "$(count_events '<- caller_function\+0x')" 50 "events"
}
t_case "the COMMAND is killed: its events are there, status 137" command_killed

# The file is gone, and another one has its name, before anything is printed.
deleted() {
	cp "$WORKLOADS/calls" own
	start_waiting target 1 "$T/own" 100 1 wait
	target=$pid
	start_tracer -p "$target" --uprobe "$T/own:traced_function" -o calls.folded
	rm own
	cp "$WORKLOADS/sleeps" own
	let_go target
	finish "$target"
	finish "$tracer" INT
	assert_status 0
	assert_eq "$(folded_sum calls.folded ';main;caller_function;traced_function [0-9]+$')" 100 "calls"
}
t_case "the binary is deleted and replaced: names are right" deleted

tracer_killed() {
	start_endless
	start_tracer -p "$target" --uprobe "$probe" --uretprobe "$WORKLOADS/calls:returns_value" --off-cpu
	wait_for 20 has_events tracer.out 100
	finish "$tracer" KILL
	assert_status 137
	# The target neither dies of it nor stops, and a new tracer finds it as if nothing had been.
	run_tracer -p "$target" --uprobe "$probe" --max-events 200
	assert_status 0
	assert_eq "$(count_events '<- caller_function\+0x')" 200 "events"
	assert is_running "$target"
}
t_case "the tracer is killed: nothing stays behind, the target goes on" tracer_killed

# A COMMAND that was still stopped would be stopped for ever: it must go with the tracer.
tracer_killed_with_command() {
	# shellcheck disable=SC2016 # the COMMAND expands it
	start_tracer --uprobe "$probe" -- sh -c 'echo "pid $$" >pid; exec "$1" 0 1 pace' sh "$WORKLOADS/calls"
	wait_for 20 has_events tracer.out 10
	command=$(sed -n 's/^pid //p' pid)
	finish "$tracer" KILL
	# Running or gone.
	! grep '^State:.[Tt]' "/proc/$command/status" || fail "the COMMAND is stopped"
}
t_case "the tracer is killed: its COMMAND is not left stopped" tracer_killed_with_command

# has_capability PID BIT: in its effective set?
has_capability() {
	effective=$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$1/status")
	[ $(((0x$effective >> $2) & 1)) -eq 1 ]
}
# What only attaching needs is given up once that is done; what reading the target needs is kept.
privileges_dropped() {
	start_endless
	start_tracer -p "$target" --uprobe "$probe"
	assert has_capability "$target" 21
	for bit in 21 38 16 1; do # sys_admin perfmon sys_module dac_override
		! has_capability "$tracer" "$bit" || fail "capability $bit is still effective"
	done
	assert has_capability "$tracer" 19 # sys_ptrace
	wait_for 20 has_events tracer.out 10
	finish "$tracer" INT
	check_written
}
t_case "capabilities that only attaching needs are dropped" privileges_dropped
