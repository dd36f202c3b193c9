#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --overwrite: only the newest samples are kept, and written when somebody asks, when something happens, or at the
# end.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

calls=$WORKLOADS/calls

# Two programs one after the other on one CPU, the second with more samples than the ring has room for: nothing of
# the first is left, and what there is, is the newest without a gap.
newest() {
	need taskset
	run_tracer --overwrite -e cpu-clock:u -c 1000000 -m 4K --call-graph none -C 0 -o x.txt -- \
		taskset 1 sh -c "'$WORKLOADS/spin' $((300 * T_SCALE)); exec '$WORKLOADS/spin-static' $((300 * T_SCALE))"
	assert_status 0
	assert_match '^tracer: only the newest samples were kept, as --overwrite says; written 1 time$' "$T/err"
	events_of x.txt >got
	assert_between "$(grep -c . got)" 20 100 "samples in 4 KiB"
	assert_eq "$(column 2 <got | sort -u)" spin-static "whose"
	assert_match ', 0 lost' "$T/err"
}
t_case "--overwrite: the newest samples, no others" newest

# Each is written once, by the first signal after it.
on_signal() {
	"$WORKLOADS/spin" 60000 >/dev/null &
	spins=$!
	start_tracer --overwrite -e cpu-clock -c 1000000 -m 64K --call-graph none -p "$spins" -o x.txt
	[ "$(events_of x.txt | grep -c .)" -eq 0 ] || fail "written before anybody asked"
	for _ in 1 2 3; do
		before=$(events_of x.txt | grep -c . || :)
		wait_for 20 asked_and_grown "$before"
	done
	finish "$tracer" INT
	assert_status 0
	kill "$spins"
	events_of x.txt | awk '{ print $1 }' >moments
	assert_between "$(grep -c . moments)" 4 100000 samples
	assert_eq "$(sort -u moments | grep -c .)" "$(grep -c . moments)" "samples, each once"
	sort -n moments >sorted
	assert cmp moments sorted
}
asked_and_grown() {
	kill -USR2 "$tracer"
	[ "$(events_of x.txt | grep -c .)" -gt "$1" ]
}
t_case "--overwrite: written on SIGUSR2, each sample once" on_signal

# dumped_on SOURCE COMMAND...: samples of all, written because the COMMAND did what SOURCE says
dumped_on() {
	source=$1
	shift
	"$WORKLOADS/spin" 60000 >/dev/null &
	spins=$!
	start_tracer --overwrite -a -e cpu-clock -c 1000000 -m 64K --call-graph none --dump-on "$source" -o x.txt
	"$@" >/dev/null
	wait_for 20 has_samples_of spin
	kill "$spins"
	finish "$tracer" INT
	assert_status 0
	assert_match '^tracer: dump 1: [0-9]+ records' tracer.err
}
has_samples_of() { events_of x.txt | column 2 | grep -qx "$1"; }

on_call() { dumped_on "$calls:traced_function" "$calls" 1; }
on_tracepoint() { dumped_on sched:sched_process_exec "$calls" 1; }
on_store() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	need nm
	address=$(nm "$WORKLOADS/stores-nopie" | awk '$3 == "counter" { print $1 }')
	run_tracer --overwrite -v -e cpu-clock -c 1000000 --dump-on "mem:0x$address/8:w" -o x.txt -- "$WORKLOADS/stores-nopie" 3
	assert_status 0
	assert_match '^tracer: dump 1: ' "$T/err"
	assert_match '^tracer: what --dump-on names happened 3 times$' "$T/err"
}
not_on_others() {
	start_tracer --overwrite -a -e cpu-clock -c 1000000 -m 64K --call-graph none --dump-on "$calls:traced_function" -o x.txt
	"$WORKLOADS/spin" 100 >/dev/null
	"$WORKLOADS/stores" 3
	assert_no_match '^tracer: dump' tracer.err
	finish "$tracer" INT
	assert_match '^tracer: dump 1: ' tracer.err
	assert_match '^tracer: warning: what --dump-on names did not happen: what is written is from the end$' tracer.err
	assert has_samples_of spin
}
t_case "--dump-on a call of a function" on_call
t_case "--dump-on a tracepoint" on_tracepoint
t_case "--dump-on a store to a variable" on_store
t_case "--dump-on: nothing else writes" not_on_others

# However often it happens: what is read, and what comes meanwhile, is all that there was.
all_accounted() {
	"$WORKLOADS/spin" 10 >/dev/null # what it maps is in memory from now on: hardly any fault is a major one
	run_tracer --overwrite -e page-faults -c 1 -m 4M --call-graph none --dump-on minor-faults -o x.txt -- "$WORKLOADS/spin" 300
	assert_status 0
	written=$(events_of x.txt | grep -c .)
	all=$(sed -n 's/^tracer: what --dump-on names happened \([0-9]*\) time.*/\1/p' "$T/err")
	lost=$(sed -n 's/^tracer: .* events in .*, \([0-9]*\) lost$/\1/p' "$T/err")
	assert_between $((written + lost)) "$all" $((all + 5)) "faults, written and lost" # some are major
	assert_between "$(sed -n 's/.*; written \([0-9]*\) time.*/\1/p' "$T/err")" 1 $((6 * T_SCALE + 2)) "dumps"
}
t_case "--dump-on: what happens all the time" all_accounted

# Whole stacks, also of processes that have ended by then.
stacks() {
	run_tracer --overwrite -e cpu-clock -c 1000000 -m 8M -o x.folded -- sh -c "'$WORKLOADS/spin' 200; '$WORKLOADS/spin-static' 100"
	assert_status 0
	# a shell that takes long to start is not what this is about
	[ "$T_SCALE" -gt 1 ] || assert_match '^tracer: user stacks (100\.0|9[0-9]\.[0-9]) % complete' "$T/err"
	assert_match '^spin;_start;.*;main;spin_and_rest;spin_outer;spin_inner ' x.folded
	assert_match '^spin-static;_start;.*;main;spin_and_rest;spin_outer;spin_inner ' x.folded
}
t_case "--overwrite: whole stacks, of what has ended too" stacks

perf_reads_it() {
	need perf
	run_tracer --overwrite -e cpu-clock -c 1000000 -o x.data -- "$WORKLOADS/spin" 200
	assert_status 0
	perf script -F comm,event,ip,sym -i x.data 2>perf.err >shown
	assert_match 'spin_inner' shown
	assert_no_match 'out of order|unordered' perf.err
}
t_case "--overwrite: into a perf.data" perf_reads_it

refusals() {
	run_tracer --overwrite --off-cpu -- true
	assert_status 2
	assert_match '^tracer: --off-cpu: needs the bpf engine, and --overwrite the perf engine' "$T/err"
	run_tracer --overwrite -m auto -- true
	assert_status 2
	run_tracer --dump-on "$calls:traced_function" -- true
	assert_status 2
	assert_match '^tracer: --dump-on: dumps what --overwrite or --snapshot keeps' "$T/err"
	run_tracer --overwrite --dump-on "$calls:no_such_function" -- touch ran
	assert_status 1
	assert_match 'no_such_function' "$T/err"
	run_tracer --overwrite --dump-on "$WORKLOADS/stores:counter:w" -- touch ran
	assert_status 1
	assert_match '^tracer: --dump-on .*stores:counter:w: variables are named by their address here: mem:0xADDR:w' "$T/err"
	run_tracer --overwrite -e page-faults --dump-on page-faults -- touch ran
	assert_status 1
	assert_match '^tracer: --dump-on page-faults: is sampled itself' "$T/err"
	run_tracer --overwrite --dump-on no-such-event -- touch ran
	assert_status 1
	assert_match '^tracer: --dump-on .*no-such-event' "$T/err"
	assert [ ! -e ran ]
}
t_case "--overwrite: what it cannot do is refused" refusals
