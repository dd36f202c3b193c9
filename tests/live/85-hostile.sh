#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A program whose thread names and symbols are made to break what they are printed into: terminals,
# lines, folded separators, JSON, XML. In every format they are only data, and no event is missing.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

EVENTS=70 # 10 names by 7 functions
COMMS=10
SYMBOLS=7
evil='</title></svg><script>evil()</script>"'"'"';'

# record FORMAT [OPTION...]: the output in $T/data, checked for what holds of all formats. The COMMAND's
# argument gets into titles.
record() {
	record_format=$1
	shift
	run_tracer --uprobe "$WORKLOADS/hostile:hostile_leaf" --format "$record_format" -o "$T/data" "$@" \
		-- "$WORKLOADS/hostile" "$evil$(printf '\033[31m\n\377')"
	assert_status 0
	assert_eq "$(cat "$T/out")" "$EVENTS" "calls, as the program says"
	assert_match "^tracer: [0-9]+\.[0-9] s, $EVENTS events in 1 process, 0 lost" "$T/err"
	assert_printable "$T/data"
	assert_printable "$T/err"
	have python3 || return 0
	python3 -c 'import sys; open(sys.argv[1], encoding="utf-8", errors="strict").read()' "$T/data" ||
		fail "$record_format: not UTF-8"
}

text() {
	record text
	assert_eq "$(grep -vc '^#' data)" "$EVENTS" "lines"
	assert_eq "$(grep -c ' hostile:hostile_leaf  *() <-' data)" "$EVENTS" "events"
	# Every function is told from the others.
	assert_eq "$(sed -n 's/.*) <- //p' data | sed 's/+0x[0-9a-f]*$//' | sort | uniq -c |
		awk '{ print $1 }' | tr '\n' ' ')" "10 10 10 10 10 10 10 " "callers"
	assert_match '<- esc\\x1b\[31mred\+0x' data
	assert_match '<- new\\nline 1\+0x' data
	record text -g
	assert_eq "$(grep -c ' hostile:hostile_leaf  *() <-' data)" "$EVENTS" "events with stacks"
	tab=$(printf '\t')
	assert_eq "$(grep -vE "^#|^$tab|^ *[0-9]+\.[0-9]" data | grep -c .)" 0 "lines of another kind"
}
t_case "text: one line an event" text

table() {
	record count
	tab=$(printf '\t')
	assert_eq "$(grep -vE "^#|^$tab|^\$" data | awk '{ sum += $1 } END { print sum }')" "$EVENTS" "sum"
}
t_case "--count" table

# Each line: frames without a separator inside, one number at its end.
folded() {
	record folded
	assert_eq "$(grep -vcE '^[^;]+(;[^;]+)+ [0-9]+$' data)" 0 "malformed lines"
	assert_eq "$(folded_sum data)" "$EVENTS" "sum"
	assert_eq "$(awk -F';' '{ print $1 }' data | sort -u | grep -c .)" "$COMMS" "roots"
	assert_eq "$(awk -F';' '{ print $(NF - 1) }' data | sort -u | grep -c .)" "$SYMBOLS" "callers"
	assert_eq "$(grep -cE ';hostile_leaf 1$' data)" "$EVENTS" "leaves"
	# The root has no space: what comes before the number would be another field.
	assert_eq "$(awk -F';' '$1 ~ / /' data | grep -c .)" 0 "roots with a space"
}
t_case "folded: separators stay separators" folded

json() {
	record json
	assert_lines data $((EVENTS + 1))
	have python3 || return 0
	python3 - data <<-'END' >json.log 2>&1 || fail "JSON: $(tail -n 1 json.log)"
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		events = [row for row in rows if row["type"] == "event"]
		assert len(events) == 70
		# Nothing is changed but what JSON cannot hold: bytes that are no UTF-8.
		comms = [event["comm"] for event in events][::7]
		want = ["esc\33[31mred", "new\nline 1/1 [0", "semi;colon;x", "<script>a&b", "quo\"te'\\"]
		assert comms[:5] == want, comms
		assert comms[8:] == ["", " 1/1 [000] 1.0:"], comms
		names = [event["user"][1]["symbol"] for event in events[:7]]
		assert names[0] == "esc\33[31mred" and names[5] == "new\nline 1" and names[6] == "quo\"te\\", names
		assert "evil()" in rows[-1]["title"]
	END
}
t_case "json: valid, and true" json

perf_script() {
	record perf-script
	tab=$(printf '\t')
	assert_eq "$(grep -cE '[0-9]/[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: +1 hostile:hostile_leaf: *$' data)" \
		"$EVENTS" "headers"
	assert_eq "$(grep -c '^$' data)" "$EVENTS" "ends of samples"
	assert_eq "$(grep -vE "^#|^\$|^$tab" data | grep -c .)" "$EVENTS" "lines that begin a sample"
	assert_eq "$(grep -E "^$tab" data | grep -vcE "^$tab *[0-9a-f]+ .+ \(.+\)\$")" 0 "malformed frames"
	# A blank or '#' in front would make a name a frame or a comment.
	assert_eq "$(grep -cE '^[ ]' data)" 0 "names that begin with a blank"
}
t_case "perf-script: importers see as many samples" perf_script

svg() {
	record svg
	assert_no_match '<script>(alert|evil|a&)' data
	assert_no_match '</svg><script' data
	have python3 || return 0
	python3 - data <<-'END' >svg.log 2>&1 || fail "SVG: $(tail -n 1 svg.log)"
		import sys, xml.etree.ElementTree as ET
		root = ET.parse(sys.argv[1]).getroot()
		# No script but the page's own.
		scripts = [e for e in root.iter() if e.tag.endswith("script")]
		assert len(scripts) <= 1, "scripts"
		assert not any("alert(1)" in (e.text or "") for e in scripts), "a symbol is in the script"
		text = "".join(root.itertext()) + "".join(v for e in root.iter() for v in e.attrib.values())
		assert "<script>alert(1)</script>&amp;]]>" in text, "the symbol is not there as text"
	END
}
t_case "svg: no script but its own" svg

by_name() {
	run_tracer --uprobe "$WORKLOADS/hostile:semi;colon 7" -- "$WORKLOADS/hostile"
	assert_status 0
	assert_match "^tracer: [0-9]+\.[0-9] s, $COMMS events in 1 process, 0 lost" "$T/err"
	run_tracer --uprobe "$WORKLOADS/hostile:$(printf 'new\nline 1')" -- "$WORKLOADS/hostile"
	assert_status 0
	assert_printable "$T/out"
	assert_eq "$(grep -vcE '^#' "$T/out")" $((COMMS + 1)) "lines, with the program's own"
}
t_case "a hostile symbol can be probed" by_name

list() {
	"$TRACER" --list functions "$WORKLOADS/hostile" >list 2>"$T/err" || fail "status $?"
	assert_printable list
	assert_eq "$(grep -cE 'esc\\x1b\[31mred|new\\nline 1|semi;colon 7|<script>alert\(1\)|quo"te' list)" 5 "names"
}
t_case "--list prints them as data" list
