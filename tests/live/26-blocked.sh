#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Threads that block in known places: the stack at the moment when one left the CPU for the last time,
# against what the program says of itself, and against eu-stack, which looks at it from outside.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/stacks.sh
. "$(dirname "$0")/stacks.sh"

# block_traced [OPTION]...: starts blocked, and lets its threads block while the tracer looks.
block_traced() {
	need_workload blocked
	start_waiting blocked 1 "$WORKLOADS/blocked"
	blocked=$pid
	start_tracer --off-cpu --user-only -g -p "$blocked" "$@"
	let_go blocked
	wait_for 20 has_lines blocked.out 11
	sleep "$T_SCALE"
	finish "$tracer" INT
	assert_status 0
}

# same_lines: of own and theirs
same_lines() {
	diff own theirs >differences || {
		cat differences
		fail "stacks differ: $(sed -n 2p differences)"
	}
}

by_name() {
	block_traced
	stacks_of_threads tracer.out blocked | sed 's/ _start$//' >theirs
	sed -n 's/^tid \([0-9]*\) [^ ]* /\1 /p' blocked.out | sort -n >own
	same_lines
	assert_eq "$(last_stacks tracer.out | grep -vc ' end$')" 0 "incomplete stacks"
}
t_case "threads that block: the functions that they say they are in" by_name

# The kernel's own functions are not in it: what eu-stack sees is the same.
by_eu_stack() {
	need eu-stack
	block_traced
	last_stacks tracer.out >theirs
	eu_stacks "$blocked" >own
	assert_lines own 10
	same_lines
}
t_case "threads that block: the stacks that eu-stack finds" by_eu_stack

json() {
	need eu-stack jq
	block_traced --format json
	jq -r 'select(.type == "event") | select(.flags | index("still-blocked")) |
		[.tid, (.user[] | .address, .module), if .stack_end == "complete" then "end" else .stack_end end] |
		join(" ")' tracer.out | sort -n >theirs
	eu_stacks "$blocked" >own
	same_lines
}
t_case "threads that block: the same in JSON" json

# program COMMAND...: traced from its exec on, until it has nothing left to do but wait.
may_be_marked=
program() {
	need eu-stack
	need "$1"
	name=${1##*/}
	mkfifo begin never
	# shellcheck disable=SC2016 # the inner shell expands it
	start "$name" sh -c 'read -r _ <begin; exec "$@" <>never' sh "$@"
	target=$pid
	start_tracer -m 16M --off-cpu --user-only -g -p "$target"
	echo >begin
	wait_for 20 is_asleep "$target"
	sleep "$T_SCALE"
	finish "$tracer" INT
	assert_status 0
	eu_stacks "$target" >own
	[ -s own ] || fail "eu-stack: $(head -n 1 eu-stack.err)"
	last_stacks tracer.out >theirs
	compare_stacks own theirs "$may_be_marked" || differ
}

# gdb is asked too: a person will want to know what it says.
differ() {
	gdb -q -batch -p "$target" -ex 'thread apply all bt' 2>&1 | grep -E '^(Thread|#)' | cut -c 1-80 || :
	fail "$name: stacks differ: $(head -n 1 differences)"
}

# Asleep for a second: it has got to where it will stay.
is_asleep() {
	# shellcheck disable=SC2034 # it only counts
	for is_asleep_try in 1 2 3 4 5 6 7 8 9 10; do
		read -r is_asleep_stat <"/proc/$1/stat"
		case ${is_asleep_stat##*) } in
		S*) ;;
		*) return 1 ;;
		esac
		[ "$(cut -d ' ' -f 1 <"/proc/$1/comm")" != sh ] || return 1
		sleep 0.1
	done
}

sleep_command() { program /bin/sleep 1000; }
cat_command() { program /bin/cat; }
bash_reads() { program /bin/bash -c 'read -r line; exit 3'; }
bash_waits() { program /bin/bash -c '/bin/sleep 1000 & wait; exit 3'; }
python_waits() { program /usr/bin/python3 -c 'import time; time.sleep(1000)'; }
python_reads() { program /usr/bin/python3 -c 'import sys, re, json; sorted([1], key=lambda x: sys.stdin.read())'; }
# Node's threads block before its large table is there, in frames that are too large for a copy.
node_waits() {
	may_be_marked=marked
	program node -e 'setTimeout(() => {}, 1e6)'
}
t_case "programs that wait, against eu-stack: sleep" sleep_command
t_case "programs that wait, against eu-stack: cat" cat_command
t_case "programs that wait, against eu-stack: bash, reading" bash_reads
t_case "programs that wait, against eu-stack: bash, for a child" bash_waits
t_case "programs that wait, against eu-stack: python3, sleeping" python_waits
t_case "programs that wait, against eu-stack: python3, called back" python_reads
t_case "programs that wait, against eu-stack: node" node_waits
