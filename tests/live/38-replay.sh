#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --replay: recordings that perf has made, against what perf script makes of them.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# Of perf script's text on stdin one line for each sample: "COMM TID EVENT FRAME;...", the leaf first. A frame is
# a function of the program or the kernel, or else the module: how far names of libraries are known depends on
# what debug files there are.
fold() {
	awk -v own="$1" '
	function add(name, module) {
		gsub(/^\(|\)$/, "", module)
		sub(/.*\//, "", module)
		sub(/\+0x[0-9a-f]+$/, "", name)
		if (module != own && module !~ /^\[kernel/)
			name = "[" module "]"
		frames = frames name ";"
	}
	function flush() { if (head != "") print head " " frames; head = "" }
	/^$/ { flush(); next }
	/^#/ { next }
	/^[^\t]/ {
		flush()
		comm = $1
		for (i = 2; i <= NF && $i !~ /^[0-9]+\/[0-9]+$/; i++)
			;
		event = ""
		for (k = i + 1; k <= NF; k++)
			if ($k ~ /[a-z].*:$/) { event = $k; break }
		head = comm " " $i " " event
		frames = ""
		# without a stack all is in one line
		if (k + 2 < NF)
			add($(k + 2), $NF)
		next
	}
	{ add($2, $NF) }
	END { flush() }' | sort | uniq -c
}

# alike FILE PROGRAM: the samples of a recording are those that perf script shows, each with its stack
alike() {
	need perf
	perf script --no-inline -F comm,pid,tid,event,ip,sym,symoff,dso -i "$1" 2>/dev/null | fold "$2" >theirs
	run_tracer --replay "$1" --format perf-script
	assert_status 0
	fold "$2" <"$T/out" >ours
	[ -s theirs ] || fail "perf script shows nothing"
	diff theirs ours >differences || fail "$(grep -c '^[-+]' differences) lines: $(grep '^[-+] ' differences | head -n 2 | tr '\n' ' ')"
}

# record OPTION... -- COMMAND...: leaves perf.data
record() {
	need perf
	perf record -q -o perf.data "$@" >/dev/null 2>record.err || fail "perf record: $(tail -n 1 record.err)"
}

spin_samples() {
	record -e cpu-clock "$@" -- "$WORKLOADS/spin" 200
	alike perf.data spin
	assert_between "$(awk '/spin_inner/ { sum += $1 } END { print sum + 0 }' ours)" 20 1000 "samples in spin_inner"
}
plain() { spin_samples -c 1000000; }
by_frame_pointers() { spin_samples -F 499 -g; }
with_build_ids() { spin_samples -F 499 -g --buildid-mmap; }
compressed() { spin_samples -F 499 -g -z; }
per_thread() { spin_samples -F 499 -g --per-thread; }
t_case "--replay of perf's recording: by period, without stacks" plain
t_case "--replay of perf's recording: -g" by_frame_pointers
t_case "--replay of perf's recording: mappings with build ids" with_build_ids
t_case "--replay of perf's recording: compressed" compressed
t_case "--replay of perf's recording: --per-thread" per_thread

everything() {
	"$WORKLOADS/spin" 60000 &
	spins=$!
	record -e cpu-clock -F 499 -g -a -- sleep 0.3
	kill $spins
	perf script --no-inline -F comm,pid,tid,time,event,ip,sym,symoff,dso -i perf.data 2>/dev/null | fold spin | grep ' spin ' >theirs
	run_tracer --replay perf.data --format perf-script
	fold spin <"$T/out" | grep ' spin ' >ours
	diff theirs ours >differences || fail "$(grep -c '^[-+]' differences) lines: $(grep '^[-+] ' differences | head -n 2 | tr '\n' ' ')"
}
t_case "--replay of perf's recording: -a" everything

groups() {
	record -e '{cpu-clock,task-clock}' -e page-faults -F 499 -g -- "$WORKLOADS/spin" 200
	alike perf.data spin
	assert_match ' cpu-clock: ' ours
	assert_match ' task-clock: ' ours
	assert_match ' page-faults: ' ours
}
t_case "--replay of perf's recording: several events, a group" groups

# perf shows what a leader's sample counted as samples of each event.
by_leader() {
	record -e '{cpu-clock,page-faults,minor-faults}:S' -c 1000000 -g --no-inherit -- "$WORKLOADS/spin" 200
	alike perf.data spin
	assert_match ' cpu-clock: ' ours
	assert_match ' minor-faults: ' ours
}
t_case "--replay of perf's recording: a leader that samples for its group" by_leader

inherited() {
	record -e sched:sched_process_exit -c 1 -g -- "$WORKLOADS/forks" 9 1
	alike perf.data forks
	assert_eq "$(awk '{ sum += $1 } END { print sum }' ours)" 10 "exits"
}
t_case "--replay of perf's recording: a tracepoint, in children" inherited

piped() {
	need perf
	perf record -q -e cpu-clock -F 499 -g -o - -- "$WORKLOADS/spin" 200 >piped.data 2>/dev/null </dev/null
	alike piped.data spin
	"$TRACER" --replay - --format perf-script <piped.data >stdin.txt 2>"$T/err"
	fold spin <stdin.txt >from_stdin
	diff ours from_stdin >differences || fail "stdin: $(head -n 2 differences | tr '\n' ' ')"
}
t_case "--replay of perf's recording: for a pipe, and from one" piped

# perf itself walks by the same CFI; where the kernel was entered, and before main, it may give up.
by_copied_stacks() {
	record -e cpu-clock -F 499 --call-graph dwarf,65528 -- "$WORKLOADS/spin" 200
	alike perf.data spin
	assert_match '^tracer: user stacks 100\.0 % complete' "$T/err"
	run_tracer --replay perf.data -o dwarf.folded
	assert_between "$(folded_sum dwarf.folded '^spin;_start;.*;main;spin_and_rest;spin_outer;spin_inner[; ]')" 20 1000 "whole stacks"
}
t_case "--replay of perf's recording: --call-graph dwarf, walked by our tables" by_copied_stacks

formats() {
	record -e cpu-clock -F 499 -g -- "$WORKLOADS/spin" 100
	for ending in txt json folded svg; do
		run_tracer --replay perf.data -o "x.$ending"
		assert_status 0
		assert_match 'spin_inner' "x.$ending"
	done
	run_tracer --replay perf.data --count
	assert_match 'spin_inner' "$T/out"
}
t_case "--replay in every format" formats

# Another program in the place of the one that was recorded has nothing to say about it.
replaced() {
	cp "$WORKLOADS/spin" program
	record -e cpu-clock -F 499 -g -- ./program 100
	rm program
	cp "$WORKLOADS/calls" program
	run_tracer --replay perf.data -o replaced.folded
	assert_status 0
	assert_between "$(folded_sum replaced.folded '^program;')" 5 1000 "samples"
	assert_no_match 'traced_function|caller_function' replaced.folded
	assert_match '(is not here as it was|is another file than the one that was recorded): its addresses stay without names' "$T/err"
}
t_case "--replay: a file that is another by now names nothing" replaced

gone() {
	cp "$WORKLOADS/spin" program
	record -e cpu-clock -F 499 -g -- ./program 100
	rm program
	run_tracer --replay perf.data -o gone.folded
	assert_status 0
	assert_match '^tracer: .*/program is not here as it was: its addresses stay without names$' "$T/err"
	assert_between "$(folded_sum gone.folded '^program;.*\[program\]')" 5 1000 "samples"
}
t_case "--replay: a file that is gone is named" gone

damaged() {
	record -e cpu-clock -F 499 -g -- "$WORKLOADS/spin" 200
	# in the middle of its records, wherever perf's notes about the machine are
	# shellcheck disable=SC2046 # two numbers
	set -- $(od -An -t u8 -j 40 -N 16 perf.data)
	head -c $(($1 + $2 / 2)) perf.data >cut.data
	run_tracer --replay cut.data --count
	assert_status 1
	assert_match '^tracer: (error: )?cut\.data: at offset 0x[0-9a-f]+' "$T/err"
	head -c 1000 /dev/urandom >noise.data
	run_tracer --replay noise.data
	assert_status 1
	assert_match '^tracer: noise\.data: .*perf\.data' "$T/err"
	: >empty.data
	run_tracer --replay empty.data
	assert_status 1
	run_tracer --replay no-such-file.data
	assert_status 1
	assert_match '^tracer: no-such-file\.data: .*No such file or directory' "$T/err"
}
t_case "--replay of what is damaged: the offset is named" damaged
