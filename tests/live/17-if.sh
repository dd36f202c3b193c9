#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --if: exactly the events for which it holds, by registers and by the program's own names, which DWARF tells; and
# probes on source lines and on inlined copies.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# Names and lines are found before the kernel is asked; an emulated CPU has enough to do.
on_this_machine() { [ "$T_SCALE" -eq 1 ] || skip "nothing of it depends on the kernel"; }

# Which of judged's ten calls are seen, by their second argument, 100 and up.
calls_seen() {
	events | details | sed -n 's/.*[(, ]count=\([0-9]*\),.*/\1/p' | while read -r count; do
		printf '%d ' $((count - 100))
	done
}

# holds PROGRAM: for each row of the table on stdin, "CALLS|EXPRESSION".
holds() {
	while IFS='|' read -r wanted expression; do
		run_tracer -v --uprobe "$WORKLOADS/$1:judged_handle" --if "$expression" -- "$WORKLOADS/$1"
		[ "$status" -eq 0 ] || fail "$expression: status $status: $(head -n 3 "$T/err" | tr '\n' ' ')"
		assert_eq "$(calls_seen)" "${wanted:+$wanted }" "calls for which $expression"
		# what does not pass is no event
		assert_eq "$(accounted seen)" "$(accounted delivered)" "$expression: seen and delivered"
	done
}

by_registers() {
	holds judged <<'TABLE'
0 1 2 3 4 5 6 7 8 9|arg2 >= 100
|arg2 < 100
8 9|arg2 > 107
0 9|arg2 == 100 || arg2 == 0x6d
3|arg2 == 103 && comm == "judged"
|arg2 == 103 && comm == "jud"
3|arg2 == 103 && comm == "jud*"
9|arg1 == NULL
0 1 2 3 4 5 6 7 8|!(arg1 == 0)
0 3 6 9|arg3 == "POST"
1 2 4 5 7 8|arg3 == "GET*"
4|arg3 == "*/?" && arg2 == 104
0 1 2 3 4 5 6 7 8 9|pid == tid && cpu < 1000 && pid != 1
0 2 4 6 8|(arg2 & 1) == 0
TABLE
}
t_case "by registers, strings, comm, pid, tid and cpu" by_registers 240

by_names() {
	holds "$1" <<'TABLE'
8 9|count > 107
0 1 2 3 4 5 6 7 8 9|count >= 100
3|request && request->conn.fd == 3
6 8|request && request->color == BLUE && count >= 105
5|request && request->conn.name == "conn5"
0 1 2 3 4 5 6 7 8|request && request->conn.name == "conn?"
7|request && request->low == 7
6 7 8|request && request->size < -5
0 8|request && request->low == 0
0 3 6 9|what == "POST"
7 8 9|byte > 206
4|judged_total == 4
0 2 4 6 8|request && request->path == "/index*" && (count & 1) == 0
1|count - judged_total == 100 && judged_total == 1
TABLE
}
optimized() { by_names judged; }
unoptimized() {
	on_this_machine
	by_names judged-plain
}
static() {
	on_this_machine
	by_names judged-static
}
t_case "by the program's names: -O1, PIE" optimized 240
t_case "by the program's names: -O0, PIE" unoptimized 240
t_case "by the program's names: static" static 240

# Memory that cannot be read is no match, and is said.
not_judged() {
	run_tracer -v --uprobe "$WORKLOADS/judged:judged_handle" --if 'request->conn.fd >= 0' -- "$WORKLOADS/judged"
	assert_status 0
	assert_eq "$(calls_seen)" "0 1 2 3 4 5 6 7 8 "
	assert_match '^tracer: warning: 1 events were left out because --if could not be judged' "$T/err"
	assert_eq "$(accounted seen) $(accounted delivered)" "9 9" "seen and delivered"
}
t_case "what cannot be read is left out, and said" not_judged

returns() {
	run_tracer --uretprobe "$WORKLOADS/judged:judged_handle" --if 'ret < -2' -- "$WORKLOADS/judged"
	assert_status 0
	assert_eq "$(count_events '= -[3-5] ')" 3 "returns of -5 to -3"
	assert_eq "$(count_events .)" 3 events
	run_tracer --uretprobe "$WORKLOADS/judged:judged_handle" --if 'ret >= 0 && ret % 2 == 0' -- "$WORKLOADS/judged"
	assert_status 2
	assert_match '%' "$T/err"
}
t_case "values returned, with their sign" returns

latencies() {
	run_tracer -g --latency "$WORKLOADS/latency:naps" --if 'latency >= 2ms && ret >= 5' -- "$WORKLOADS/latency" 12
	assert_status 0
	assert_summary 7 1
	assert_eq "$(count_events ' naps%latency|latency:naps%latency +[0-9.]+ m?s = [0-9]')" 7 "calls with their time"
	assert_eq "$(grep -c '	  0x[0-9a-f]* main+0x' "$T/out")" 7 "with their stacks"
	# the histogram is of all calls
	assert_match '^latency:naps: 12 calls, ' "$T/out"
	run_tracer --latency "$WORKLOADS/latency:naps" --if 'latency > 1000s' -- "$WORKLOADS/latency" 12
	assert_status 0
	assert_summary 0 0
	assert_match '^latency:naps: 12 calls, ' "$T/out"
}
t_case "calls that take longer, with their stacks" latencies

several() {
	run_tracer --uprobe "$WORKLOADS/judged:judged_handle" --if 'arg2 == 101' \
		--uprobe "$WORKLOADS/judged:judged_other" --uprobe "$WORKLOADS/calls:traced_function" --if 'arg1 == 3 || arg1 == 5' -- \
		sh -c "'$WORKLOADS/judged'; '$WORKLOADS/calls' 10"
	assert_status 0
	assert_eq "$(count_events judged_handle)" 1 judged_handle
	assert_eq "$(count_events judged_other)" 5 "judged_other, which has none"
	assert_eq "$(count_events 'traced_function +\(a=[35], ')" 2 traced_function
	assert_summary 8 2
}
t_case "each probe has its own" several

added_up() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" --if 'arg1 > 290' --count -o count.txt --format count -- \
		"$WORKLOADS/calls" 300
	assert_status 0
	assert_match '^ *10 .*traced_function$' count.txt
	assert_summary 10 1
}
t_case "--count: only those that pass are added up" added_up

breakpoints() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	run_tracer --breakpoint "$WORKLOADS/judged:judged_total:w" --if 'new > 7 && new != old' -- "$WORKLOADS/judged"
	assert_status 0
	assert_summary 3 1
	assert_eq "$(events | details | sed -n 's/^w \([0-9]* -> [0-9]*\) .*/\1/p' | tr '\n' ' ')" \
		"7 -> 8 8 -> 9 9 -> 10 "
}
t_case "breakpoints: new and old" breakpoints

# ---- lines and inlined copies -------------------------------------------------------------------

the_line() { sed -n '/the line that 17-if.sh names/=' "$T_top/tests/workloads/judged.c"; }

lines() {
	on_this_machine
	[ -e "$T_top/tests/workloads/judged.c" ] || skip "the source is not here"
	for program in judged judged-plain judged-static; do
		run_tracer -v --uprobe "$WORKLOADS/$program:judged.c:$(the_line)" -- "$WORKLOADS/$program"
		assert_status 0
		# ten calls of the copy in judged_handle, five of that in judged_other
		assert_summary 15 1
		assert_eq "$(events | column 6 | sort -u)" "$program:judged.c:$(the_line)" event
		assert_match "judged.c:$(the_line): 2 places\$" "$T/err"
	done
	run_tracer --uprobe "$WORKLOADS/judged:workloads/judged.c:$(the_line)" -- "$WORKLOADS/judged"
	assert_summary 15 1
}
t_case "a source line: each of its places" lines

inlined() {
	on_this_machine
	for program in judged judged-plain; do
		run_tracer --uprobe "$WORKLOADS/$program:judged_twice" -- "$WORKLOADS/$program"
		assert_status 0
		assert_summary 15 1
		assert_match '2 places where it is inlined are probed too; it has no code of its own' "$T/err"
	done
	run_tracer --uretprobe "$WORKLOADS/judged:judged_twice" -- "$WORKLOADS/judged"
	assert_status 1
	assert_match 'is inlined wherever it is called, and has no return' "$T/err"
}
t_case "a function that is inlined: each copy" inlined

# ---- what people are told ----------------------------------------------------------------------

# refuses STATUS MESSAGE OPTION...
refuses() {
	wanted=$1 message=$2
	shift 2
	run_tracer "$@" -- "$WORKLOADS/judged"
	assert_status "$wanted"
	assert_match "$message" "$T/err"
	assert_eq "$(count_events .)" 0 events
}

mistakes() {
	on_this_machine
	probe=$WORKLOADS/judged:judged_handle
	refuses 2 '--if: stands behind the probe' --if 'pid == 1'
	refuses 2 '--if: stands behind the probe' --uprobe "$probe" --off-cpu --if 'pid == 1'
	refuses 2 'has one already: join the two with &&' --uprobe "$probe" --if 'pid == 1' --if 'tid == 1'
	refuses 2 '^ +\^' --uprobe "$probe" --if 'pid == 1 &&& 2'
	refuses 1 'did you mean "count"' --uprobe "$probe" --if 'cuont == 1'
	refuses 1 'no member "fdd"' --uprobe "$probe" --if 'request->conn.fdd == 1'
	refuses 1 'ratio is in a vector register' --uprobe "$probe" --if 'ratio > 1'
	refuses 1 '"new"|new ' --uprobe "$probe" --if 'new == 1'
	refuses 1 'is not there any more when the function returns' --uretprobe "$probe" --if 'count == 1'
	refuses 1 'unit' --latency "$probe" --if 'latency > 5'
}
t_case "mistakes in --if: where, and what was meant" mistakes

no_such_line() {
	on_this_machine
	[ -e "$T_top/tests/workloads/judged.c" ] || skip "the source is not here"
	refuses 1 'line 3 of judged.c has no code; the nearest that have: [0-9]+$' --uprobe "$WORKLOADS/judged:judged.c:3"
	refuses 1 'was compiled from a file jduged.c' --uprobe "$WORKLOADS/judged:jduged.c:3"
	refuses 2 'a line does not return: name the function' --uretprobe "$WORKLOADS/judged:judged.c:3"
}
t_case "lines without code, files that are not there" no_such_line
