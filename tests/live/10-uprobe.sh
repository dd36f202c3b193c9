#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Uprobes and uretprobes: every call is seen once, with its arguments or its value and its caller,
# however the program is linked, and whichever buffer carries the events.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# wanted_calls N: the details of N calls of traced_function, as the workload promises them.
wanted_calls() {
	awk -v n="$1" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "(a=%d, b=%d, c=3, d=4, e=5, f=6) <- caller_function\n", i, 2 * i
	}'
}

wanted_values() {
	awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf "= %d <- caller_function\n", 2 * i + 1 }'
}

# Details whose caller is given as function+offset, without that offset.
callers_without_offset() { details | sed -n 's/\(<- caller_function\)+0x[0-9a-f]*$/\1/p'; }

# sees_every_call PROGRAM [OPTION...]
sees_every_call() {
	program=$1
	shift
	run_tracer --uprobe "$WORKLOADS/$program:traced_function" "$@" -- "$WORKLOADS/$program" 300
	assert_status 0
	assert_summary 300 1
	assert_match '^#.*TIME.*COMM.*PID.*TID.*CPU.*EVENT.*DETAILS' "$T/out"
	assert_eq "$(events | column 6 | sort -u)" "$program:traced_function" "event"
	wanted_calls 300 >want
	events | callers_without_offset >got
	assert cmp want got
	# One call site, so one return address.
	assert_eq "$(events | details | sed 's/.*<- //' | sort -u | grep -c .)" 1 "call sites"
}

pie() { sees_every_call calls; }
no_pie() { sees_every_call calls-nopie; }
static() { sees_every_call calls-static; }
static_pie() { sees_every_call calls-static-pie; }
no_cet() { sees_every_call calls-nocet; }
perf_buffer() { sees_every_call calls --buffer perf; }
ring_buffer() { sees_every_call calls --buffer ringbuf; }
bpf_engine() { sees_every_call calls --engine bpf; }
without_call_graph() { sees_every_call calls --call-graph none; }

t_case "a uprobe sees every call, arguments and caller: PIE" pie
t_case "a uprobe sees every call, arguments and caller: not PIE" no_pie
t_case "a uprobe sees every call, arguments and caller: static" static
t_case "a uprobe sees every call, arguments and caller: static PIE" static_pie
t_case "a uprobe sees every call, arguments and caller: without endbr64" no_cet
t_case "a uprobe sees every call, arguments and caller: --buffer perf" perf_buffer
t_case "a uprobe sees every call, arguments and caller: --buffer ringbuf" ring_buffer
t_case "a uprobe sees every call, arguments and caller: --engine bpf" bpf_engine
t_case "a uprobe sees every call, arguments and caller: --call-graph none" without_call_graph

# Each thread's own events are in order and complete. Prints threads and events out of order.
check_threads() {
	events | awk '
		{ if ($7 != sprintf("(a=%d,", ++calls[$4])) bad++ }
		calls[$4] == 1 { threads++ }
		END { print threads + 0, bad + 0 }'
}

eight_threads() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" "$@" -- "$WORKLOADS/calls" 50 8
	assert_status 0
	assert_summary 400 1
	assert_eq "$(count_events .)" 400 "events"
	assert_eq "$(check_threads)" "8 0" "threads and events out of order"
	assert_eq "$(count_events '<- caller_function\+0x')" 400 "events with their caller"
}
eight_threads_perf_buffer() { eight_threads --buffer perf; }
t_case "8 threads: every call of each, in order" eight_threads
t_case "8 threads: every call of each, in order: --buffer perf" eight_threads_perf_buffer

with_stacks() {
	run_tracer -g --uprobe "$WORKLOADS/calls:traced_function" -- "$WORKLOADS/calls" 20
	assert_status 0
	assert_eq "$(count_events .)" 20 "events"
	tab=$(printf '\t')
	# Below each event: itself (an endbr64 may come before the probe), its caller, main.
	awk '
		/^ *[0-9]+\.[0-9]/ { depth = 0; next }
		/^\t/ && $2 ~ /\+0x/ { split($2, name, "+"); print depth++, name[1], $3 }' "$T/out" | sort |
		uniq -c | awk '{ print $1, $2, $3, $4 }' >stacks
	assert_match '^20 0 traced_function \(calls\)$' stacks
	assert_match '^20 1 caller_function \(calls\)$' stacks
	assert_match '^20 2 main \(calls\)$' stacks
	assert_match "^$tab  0x[0-9a-f]+ traced_function\+0x[04] \(calls\)\$" "$T/out"
}
t_case "-g prints the stack below each event" with_stacks

without_events() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" -- "$WORKLOADS/middle" 1
	assert_status 0
	assert_eq "$(count_events .)" 0 "events"
	assert_match '^tracer: [0-9]+\.[0-9] s, 0 events' "$T/err"
}
t_case "a probe that is never reached: no event, status 0" without_events

values() {
	run_tracer --uretprobe "$WORKLOADS/calls:returns_value" "$@" -- "$WORKLOADS/calls" 300
	assert_status 0
	assert_summary 300 1
	wanted_values 300 >want
	events | callers_without_offset >got
	assert cmp want got
}
values_perf_buffer() { values --buffer perf; }
t_case "a uretprobe sees every value and where it returns to" values
t_case "a uretprobe sees every value and where it returns to: --buffer perf" values_perf_buffer

values_of_threads() {
	run_tracer --uretprobe "$WORKLOADS/calls:returns_value" -- "$WORKLOADS/calls" 50 8
	assert_status 0
	assert_eq "$(count_events '= [0-9]')" 400 "events"
	# Each value comes once from each thread.
	assert_eq "$(events | awk '{ print $4, $8 }' | sort | uniq | grep -c .)" 400 "different ones"
	assert_eq "$(count_events '= 101 ')" 8 "values of the last call"
}
t_case "8 threads: a uretprobe sees every value of each" values_of_threads

several_probes() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" --uprobe "$WORKLOADS/calls:caller_function" \
		--uretprobe "$WORKLOADS/calls:returns_value" -- "$WORKLOADS/calls" 100
	assert_status 0
	assert_summary 201 1
	assert_eq "$(count_events ' calls:traced_function +\(a=')" 100 "traced_function"
	assert_eq "$(count_events ' calls:caller_function +\(calls=100, pause_us=0\)')" 1 "caller_function"
	assert_eq "$(count_events ' calls:returns_value%return += [0-9]')" 100 "returns_value"
	assert_eq "$(count_events ' calls:caller_function .* <- main\+0x')" 1 "its caller"
}
t_case "several probes at once are told apart" several_probes

entry_and_return() {
	run_tracer --uprobe "$WORKLOADS/calls:returns_value" --uretprobe "$WORKLOADS/calls:returns_value" \
		-- "$WORKLOADS/calls" 100
	assert_status 0
	assert_summary 200 1
	# Call, return, call, return; each return has the value that follows from its call.
	events | details | awk '
		NR % 2 { if ($1 != sprintf("(i=%d)", ++calls)) bad++; next }
		{ if ($1 " " $2 != sprintf("= %d", 2 * calls + 1)) bad++ }
		END { print calls + 0, bad + 0 }' >order
	assert_eq "$(cat order)" "100 0" "calls, and events out of order"
}
t_case "entry and return of one function, in order" entry_and_return

inside_function() {
	case $(uname -m) in
	x86_64) offset=10 ;;
	aarch64) offset=4 ;;
	*) skip "middle_function is not known on $(uname -m)" ;;
	esac
	run_tracer --uprobe "$WORKLOADS/middle:middle_function+$offset" -- "$WORKLOADS/middle" 25
	assert_status 0
	assert_eq "$(count_events " middle:middle_function\+")" 25 "events"
	hex=$(printf '0x%x' "$offset")
	run_tracer --uprobe "$WORKLOADS/middle:middle_function+$hex" -- "$WORKLOADS/middle" 25
	assert_status 0
	assert_eq "$(count_events .)" 25 "events with a hexadecimal offset"
}
t_case "a probe behind a function's first instruction" inside_function

# Without stacks and whatever else could be asked, hits are counted in a shorter way.
counted_alone() {
	run_tracer -v --count --kernel-only --uprobe "$WORKLOADS/calls:traced_function" -- "$WORKLOADS/calls" 500 8
	assert_status 0
	assert_eq "$(accounted seen) $(accounted delivered) $(accounted lost)" "4000 4000 0" "seen, delivered, lost"
	assert_match '^ *4000  calls [0-9]+ calls:traced_function$' "$T/out"
	run_tracer -v --count --kernel-only --by tid --uprobe "$WORKLOADS/calls:traced_function" \
		--uprobe "$WORKLOADS/calls:caller_function" -- "$WORKLOADS/calls" 500 8
	assert_status 0
	assert_eq "$(accounted seen) $(accounted delivered)" "4008 4008" "seen, delivered"
	assert_eq "$(grep -cE '^ *500  calls [0-9]+/[0-9]+ calls:traced_function$' "$T/out")" 8 "rows of traced_function"
	assert_eq "$(grep -cE '^ *1  calls [0-9]+/[0-9]+ calls:caller_function$' "$T/out")" 8 "rows of caller_function"
}
t_case "--count --kernel-only: calls alone, of each thread" counted_alone

# Threads of other names are rows of their own; more processes than a CPU has counters for.
counted_alone_apart() {
	run_tracer -v --count --kernel-only --uprobe "$WORKLOADS/calls:traced_function" -- "$WORKLOADS/calls" 50 6 named
	assert_status 0
	assert_eq "$(accounted seen) $(accounted delivered)" "300 300" "seen, delivered"
	assert_eq "$(grep -oE '^ *50  calls-[1-6] [0-9]+ calls:traced_function$' "$T/out" | grep -c .)" 6 "rows"
	run_tracer -v --count --kernel-only --uprobe "$WORKLOADS/forks:traced_function" -o forks.txt -- "$WORKLOADS/forks" 600 3
	assert_status 0
	assert_match ' 1803 seen, 1803 delivered, 0 lost' forks.txt
	assert_eq "$(grep -oE '^ *3  forks [0-9]+ forks:traced_function$' forks.txt | sort -u | grep -c .)" 601 "rows"
}
t_case "--count --kernel-only: by names, and of many processes" counted_alone_apart

by_address() {
	need nm
	address=$(nm "$WORKLOADS/calls" | awk '$3 == "traced_function" { print $1 }')
	run_tracer --uprobe "$WORKLOADS/calls:0x$address" -- "$WORKLOADS/calls" 25
	assert_status 0
	assert_eq "$(count_events '<- caller_function')" 25 "events"
}
t_case "a probe at 0xADDR" by_address

first_instruction() {
	run_tracer --uprobe "$WORKLOADS/calls-static:_start" -- "$WORKLOADS/calls-static" 1
	assert_status 0
	assert_eq "$(count_events .)" 1 "events"
}
t_case "a COMMAND's very first instruction is seen" first_instruction

on_path() {
	PATH=$WORKLOADS:$PATH
	run_tracer --uprobe calls:traced_function -- calls 25
	assert_status 0
	assert_eq "$(count_events ' calls:traced_function ')" 25 "events"
}
t_case "BIN may be a name on PATH" on_path

relative_path() {
	mkdir bin
	cp "$WORKLOADS/calls" bin/own
	run_tracer --uprobe bin/own:traced_function -- ./bin/own 25
	assert_status 0
	assert_eq "$(count_events ' own:traced_function ')" 25 "events"
	# A symbolic link names the same file.
	ln -s bin/own link
	run_tracer --uprobe ./link:traced_function -- bin/own 25
	assert_status 0
	assert_eq "$(count_events .)" 25 "events through a symbolic link"
}
t_case "BIN may be a relative path, or a symbolic link" relative_path
