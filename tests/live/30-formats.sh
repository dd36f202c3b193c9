#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The same known calls in every format: exact counts, frame by frame.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# record FILE [OPTION...]: 300 calls of a static program, whose every function has a name, to FILE.
# Above main comes libc's start code, in which the chain of frame pointers may end.
record() {
	record_file=$1
	shift
	run_tracer --uprobe "$WORKLOADS/calls-static:traced_function" -o "$record_file" "$@" \
		-- "$WORKLOADS/calls-static" 300
	assert_status 0
	assert_summary 300 1
	[ ! -s "$T/out" ] || fail "something on stdout besides $record_file"
	assert_printable "$record_file"
}

# Is FILE's every line a JSON object, and what python asserts of `events` and `summary` true?
check_json() {
	python3 - "$1" "$2" >"$T/json.log" 2>&1 <<-'END' || fail "JSON: $(tail -n 1 "$T/json.log")"
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8", errors="strict")]
		assert all(isinstance(row, dict) for row in rows), "a line is no object"
		events = [row for row in rows if row["type"] == "event"]
		summary = rows[-1]
		assert summary["type"] == "summary" and len(rows) == len(events) + 1, "kinds of lines"
		exec(sys.argv[2])
	END
}

text() {
	record calls.txt
	assert_eq "$(events_of calls.txt | grep -c ' calls-static:traced_function ')" 300 "events"
	assert_match '^# .* 300 seen, 300 delivered, 0 lost$' calls.txt
	record calls.log --format text
	assert_eq "$(events_of calls.log | grep -c .)" 300 "events with --format"
}
t_case "text: one line an event, the losses below" text

folded() {
	record calls.folded
	assert_eq "$(folded_sum calls.folded)" 300 "all"
	assert_eq "$(folded_sum calls.folded \
		'^calls-static;(.*;)?__libc_start_call_main;main;caller_function;traced_function [0-9]+$')" \
		300 "through main"
	assert_no_match '_\[k\]' calls.folded
}
t_case "folded: exact counts, frame by frame" folded

folded_by() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" --by tid -o tid.folded -- "$WORKLOADS/calls" 50 4
	assert_status 0
	assert_eq "$(folded_sum tid.folded ';thread_main;caller_function;traced_function [0-9]+$')" 200 "all"
	# The root names the thread; each has its 50.
	assert_eq "$(awk '{ split($1, frame, ";"); sum[frame[1]] += $NF }
		END { for (root in sum) print sum[root] }' tid.folded | tr '\n' ' ')" "50 50 50 50 " "by thread"
	run_tracer --uprobe "$WORKLOADS/forks:traced_function" --by pid -o pid.folded -- "$WORKLOADS/forks" 2 50
	assert_status 0
	assert_eq "$(awk '{ split($1, frame, ";"); sum[frame[1]] += $NF }
		END { for (root in sum) print sum[root] }' pid.folded | tr '\n' ' ')" "50 50 50 " "by process"
	run_tracer --uprobe "$WORKLOADS/forks:traced_function" --by comm -o comm.folded -- "$WORKLOADS/forks" 2 50
	assert_status 0
	assert_eq "$(folded_sum comm.folded '^forks;')" 150 "by name"
}
t_case "folded: --by tid, pid, comm" folded_by

folded_values() {
	run_tracer --uretprobe "$WORKLOADS/calls-static:returns_value" -o values.folded \
		-- "$WORKLOADS/calls-static" 300
	assert_status 0
	assert_eq "$(folded_sum values.folded ';main;caller_function;returns_value%return 300$')" 300 "all"
}
t_case "folded: a return probe's function is its stack's leaf" folded_values

count() {
	run_tracer --count --uprobe "$WORKLOADS/calls-static:traced_function" -- "$WORKLOADS/calls-static" 300
	assert_status 0
	assert_summary 300 1
	assert_match '^ +300 +calls-static [0-9]+ calls-static:traced_function$' "$T/out"
	assert_match '^# total: 300 events in 1 stack$' "$T/out"
	# Leaf first, one a line.
	awk '/^\t/ { print $1 }' "$T/out" | head -n 3 | tr '\n' ' ' >frames
	assert_eq "$(cat frames)" "traced_function caller_function main " "frames"
	run_tracer --count -o table --uprobe "$WORKLOADS/calls:traced_function" -- "$WORKLOADS/calls" 300
	assert_status 0
	assert_match '^ +300 ' table
	[ ! -s "$T/out" ] || fail "something on stdout besides -o"
}
t_case "--count: a table of stacks" count

json() {
	record calls.json
	assert_eq "$(grep -c '^{"type":"event",.*"source":"calls-static:traced_function".*}$' calls.json)" 300 \
		"events"
	assert_eq "$(grep -c '"args":\["0x12c","0x258","0x3","0x4","0x5","0x6"\]' calls.json)" 1 \
		"events of the last call"
	assert_eq "$(tail -n 1 calls.json |
		grep -c '^{"type":"summary",.*"seen":300,"delivered":300,"lost":0,.*}$')" 1 "summaries"
	have python3 || return 0
	check_json calls.json '
assert len(events) == 300
assert [int(e["args"][0], 16) for e in events] == list(range(1, 301))
assert all(e["kind"] == "uprobe" and e["comm"] == "calls-static" for e in events)
assert all(e["pid"] == e["tid"] == events[0]["pid"] for e in events)
names = [[f.get("symbol") for f in e["user"]][:4] for e in events]
want = ["traced_function", "caller_function", "main", "__libc_start_call_main"]
assert all(n == want for n in names), names[0]
times = [e["time_ns"] for e in events]
assert times == sorted(times) and times[0] >= 0
assert summary["processes"] == 1'
}
t_case "json: one object a line" json

json_values() {
	run_tracer --uretprobe "$WORKLOADS/calls:returns_value" --format json -- "$WORKLOADS/calls" 100
	assert_status 0
	assert_eq "$(grep -c '"kind":"uretprobe","ret":"0x[0-9a-f]*"' "$T/out")" 100 "events"
	assert_eq "$(grep -c '"ret":"0xc9"' "$T/out")" 1 "events of the last call"
}
t_case "json: a return probe's value" json_values

# A sample is a header line, frames leaf first, and an empty line.
perf_script() {
	record calls.perf
	awk '
		/^#/ { next }
		/^[^\t ]/ {
			if (state != "") bad++
			# COMM PID/TID [CPU] TIME: PERIOD EVENT:
			if ($2 !~ /^[0-9]+\/[0-9]+$/ || $3 !~ /^\[[0-9]+\]$/ || $4 !~ /^[0-9]+\.[0-9]+:$/) bad++
			if ($1 != "calls-static" || $5 != 1 || $6 != "calls-static:traced_function:" || NF != 6) bad++
			samples++; depth = 0; state = "frames"; next
		}
		/^\t/ {
			split($2, name, "+")
			if ($1 !~ /^[0-9a-f]+$/ || $0 !~ / \(.*\)$/) bad++
			if (depth < 3 && $2 !~ /\+0x[0-9a-f]+$/) bad++
			if (depth == 0 && name[1] != "traced_function") bad++
			if (depth == 1 && name[1] != "caller_function") bad++
			if (depth == 2 && name[1] != "main") bad++
			depth++; next
		}
		/^$/ { if (depth < 3) bad++; state = ""; next }
		{ bad++ }
		END { print samples + 0, bad + 0, state }' calls.perf >got
	assert_eq "$(cat got)" "300 0 " "samples, bad lines"
	assert_match '/calls-static\)$' calls.perf
}
t_case "perf-script: a sample for each call, leaf first" perf_script

svg() {
	record calls.svg
	assert_match '<svg[ >]' calls.svg
	for name in calls-static main caller_function traced_function; do
		assert_match "$name" calls.svg
	done
	assert_match '300' calls.svg
	# Nothing is fetched from anywhere: no address but those that name XML's vocabularies.
	assert_eq "$(sed 's/xmlns\(:[a-z]*\)\{0,1\}="[^"]*"//g; s/http:..www.w3.org.[a-z0-9/]*//g' calls.svg |
		grep -cE '(https?:)?//[a-z0-9]+\.|@import|url\(.?http')" 0 "lines with an address"
	have python3 || return 0
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' calls.svg ||
		fail "not well-formed"
}
t_case "svg: well-formed, self-contained, every frame in it" svg

# Which file is written in which format.
format_by_option() {
	record calls.svg --format folded
	assert_eq "$(folded_sum calls.svg)" 300 "folded in spite of .svg"
	record calls.jsonl
	assert_match '^\{"type":"event"' calls.jsonl
}
t_case "--format overrides the ending of -o" format_by_option

unknown_ending() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" -o calls.xyz -- touch ran
	assert_status 2
	assert_match '^tracer: .*calls\.xyz.*(text|json|folded|svg)' "$T/err"
	assert [ ! -e ran ]
	assert [ ! -e calls.xyz ]
}
t_case "an ending of no format is a usage error" unknown_ending

replaced_file() {
	echo "old contents, longer than nothing" >calls.folded
	record calls.folded
	assert_no_match 'old contents' calls.folded
}
t_case "-o replaces what was in the file" replaced_file
