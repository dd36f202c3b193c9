#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What functions are called with and what they return, by the program's types: what args passes, as its source says.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# Names and places are found before the kernel is asked; an emulated CPU has enough to do.
on_this_machine() { [ "$T_SCALE" -eq 1 ] || skip "nothing of it depends on the kernel"; }

# EVENT DETAILS of events on stdin, without the caller; addresses of data are ADDR.
calls_with_values() {
	sed -n 's/.*:args_\(.*\) <- .*/\1/p' | sed -E 's/  +/ /; s/0x[0-9a-f]{5,}/ADDR/g'
}

# What main() of args.c passes; $1 and $2 say where floating point and a struct with some of it are.
wanted_values() {
	cat <<END
numbers (a=-1, b=200, c=-5000000000, d=true, e=GREEN, f=120 'x')
numbers%return = -5000000001
numbers (a=2147483647, b=255, c=1, d=false, e=7, f=10)
numbers%return = 0
strings (first="hello", second=0x0, flags=READ|EXECUTE)
strings%return = -4
strings (first=0x0, second=<fault at 0x8>, flags=9)
strings%return = 0
strings (first="0123456789012345678901234567890123456789012345678901234567890123"..., second="0123456789012345678901234567890123456789012345678901234567890123", flags=WRITE)
strings%return = -7
strings (first="", second="\\x1b[31m\\xff", flags=READ)
strings%return = -8
by_value (point.x=3, point.y=4, pair.number=10, pair.name=ADDR)
by_value%return = (ret.x=13, ret.y=-4)
large (large.id=7, large.name="a name", large.weight=2.5, large.corner[0].x=1, large.corner[0].y=-2, large.corner[1].x=3, large.corner[1].y=-4, large.low=5, large.high=17, large.color=GREEN)
large%return = $2
floats (ratio=<in a vector register>, count=3, single=<in a vector register>, $1, last=7)
floats%return = <not in general registers>
list (node=ADDR)
list%return = "a \\"quoted\\"\\nline"
many (a=1, b=2, c=3, d=4, e=5, f=6, g=7, h.x=8, h.y=9, i=10)
many%return = void
none ()
none%return = void
swapped (limit=10, value=200)
swapped%return = 10
END
}

# sees_values PROGRAM MIXED [OPTION...]
sees_values() {
	program=$WORKLOADS/$1 mixed=$2
	shift 2
	run_tracer --uprobe "$program:args_*" --uretprobe "$program:args_*" "$@" -- "$program"
	assert_status 0
	assert_summary 26 1
	large='(ret.id=8, ret.name="a name", ret.weight=2.5, ret.corner[0].x=1, ret.corner[0].y=-2, ret.corner[1].x=3, ret.corner[1].y=-4, ret.low=5, ret.high=17, ret.color=BLUE)'
	[ "$(uname -m)" = x86_64 ] || large='<not in general registers>'
	wanted_values "$mixed" "$large" >want
	events | calls_with_values >got
	diff want got >differences || { cat differences >&2 && fail "values are not those that were passed"; }
}

no_place='mixed=<has no place yet at the entry, and is not in one general register>'
several='mixed=<in several places, or to be computed>'
# both of its members are in one general register there
[ "$(uname -m)" = x86_64 ] || no_place='mixed.weight=0.5, mixed.number=6' several='mixed.weight=0.5, mixed.number=6'
optimized() { sees_values args "$several"; }
most_optimized() { sees_values args-optimized "$several"; }
plain() { sees_values args-plain "$no_place"; }
static() { sees_values args-static "$several"; }
perf_buffer() { sees_values args "$several" --buffer perf; }
t_case "arguments and results: -O1, PIE" optimized
t_case "arguments and results: -O2, PIE" most_optimized
t_case "arguments and results: -O0, PIE" plain
t_case "arguments and results: static" static
t_case "arguments and results: --buffer perf" perf_buffer

# Lines are all that is known: neither that there are arguments nor that nothing is returned.
lines_only() {
	on_this_machine
	run_tracer --uprobe "$WORKLOADS/args-lines:args_list" --uretprobe "$WORKLOADS/args-lines:args_list" -- "$WORKLOADS/args-lines"
	assert_status 0
	assert_match ' args-lines:args_list  *\(0x[0-9a-f]*, 0x.*\) <- main' "$T/out"
	assert_match ' args-lines:args_list%return = 0x[0-9a-f]* <- main' "$T/out"
}
t_case "arguments and results: -g1 does not tell them" lines_only

# --args of args_list, whose argument is first -> second -> NULL.
listed() {
	probe=$WORKLOADS/args:args_list
	while IFS='|' read -r list wanted; do
		run_tracer --uprobe "$probe" --args "$list" -- "$WORKLOADS/args"
		assert_status 0
		assert_eq "$(events | calls_with_values)" "list ($wanted)" "$list"
	done <<'TABLE'
node->value|node->value=1
node->next->name, node->next->value + 1|node->next->name="second", node->next->value + 1=3
node->next->next->value, arg1 == 0|node->next->next->value=<fault>, arg1 == 0=false
*node->next|(*node->next).next=0x0, (*node->next).value=2, (*node->next).name=ADDR
node->name[0], -node->value, (char)97|node->name[0]=97 'a', -node->value=-1, (char)97=97
TABLE
	run_tracer --uprobe "$probe" --args none -- "$WORKLOADS/args"
	assert_status 0
	assert_match ' args:args_list  *\(0x[0-9a-f]*, 0x[0-9a-f]*, .*\) <- main' "$T/out"
	run_tracer --uprobe "$probe" --args node --max-string 3 --uretprobe "$probe" --args 'ret, pid' -- "$WORKLOADS/args"
	assert_status 0
	assert_match '%return  *= \(ret="a \\""\.\.\., pid=[0-9]*\) <- main' "$T/out"
}
t_case "--args: members, elements, sums, what cannot be read" listed 60

repeated() {
	run_tracer --uprobe "$WORKLOADS/args:args_swapped" --args 'value, limit,value ' -- "$WORKLOADS/args"
	assert_status 0
	assert_eq "$(events | calls_with_values)" "swapped (value=200, limit=10)" "values"
}
t_case "--args: what is named twice is shown once" repeated

# What is asked and what is recorded, by one probe and by several.
with_if() {
	run_tracer -g --uprobe "$WORKLOADS/args:args_strings" --if 'second' --args 'second' \
		--uprobe "$WORKLOADS/args:args_numbers" --args 'b, e' --if 'a < 0' -- "$WORKLOADS/args"
	assert_status 0
	events | calls_with_values >got
	cat >want <<'END'
numbers (b=200, e=GREEN)
strings (second=<fault at 0x8>)
strings (second="0123456789012345678901234567890123456789012345678901234567890123")
strings (second="\x1b[31m\xff")
END
	assert cmp want got
}
t_case "--args and --if of one probe" with_if

# In the middle of a function parameters are elsewhere: where DWARF says so, they are there too.
inside() {
	on_this_machine
	line=$(grep -n 'args_sink = node->value' "$(dirname "$0")/../workloads/args.c" | sed 's/:.*//')
	run_tracer --uprobe "$WORKLOADS/args:args.c:$line" --args 'node->value' -- "$WORKLOADS/args"
	assert_status 0
	assert_match ' args:args\.c:'"$line"'  *\(node->value=1\)' "$T/out"
}
t_case "--args at a source line" inside

json() {
	need python3
	on_this_machine
	run_tracer --uprobe "$WORKLOADS/args:args_*" --uretprobe "$WORKLOADS/args:args_list" -o x.json -- "$WORKLOADS/args"
	assert_status 0
	python3 - x.json >got <<'END'
import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if "values" in event:
        values = {k: "ADDR" if isinstance(v, str) and v.startswith("0x") and len(v) > 6 else v for k, v in event["values"].items()}
        print(event["source"][10:], values, event.get("missing", {}).get("second"), event.get("cut"))
END
	grep -E '^(numbers|strings|list|none)' got >some
	cat >want <<'END'
numbers {'a': -1, 'b': 200, 'c': -5000000000, 'd': True, 'e': 'GREEN', 'f': 120} None None
numbers {'a': 2147483647, 'b': 255, 'c': 1, 'd': False, 'e': 7, 'f': 10} None None
strings {'first': 'hello', 'second': '0x0', 'flags': 'READ|EXECUTE'} None None
strings {'first': '0x0', 'second': None, 'flags': 9} fault at 0x8 None
strings {'first': '0123456789012345678901234567890123456789012345678901234567890123', 'second': '0123456789012345678901234567890123456789012345678901234567890123', 'flags': 'WRITE'} None {'first': 'goes on'}
strings {'first': '', 'second': '\x1b[31m�', 'flags': 'READ'} None None
list {'node': 'ADDR'} None None
list%return {'ret': 'a "quoted"\nline'} None None
none {} None None
END
	PYTHONIOENCODING=utf-8 diff want some >differences || { cat differences >&2 && fail "values in JSON"; }
}
t_case "json: values by their kinds" json

# A recording keeps them.
replayed() {
	run_tracer --uprobe "$WORKLOADS/args:args_*" -o x.data -- "$WORKLOADS/args"
	assert_status 0
	run_tracer --replay x.data
	assert_status 0
	wanted_values "$several" "" | grep -v '%return' >want
	events | calls_with_values >got
	diff want got >differences || { cat differences >&2 && fail "values are not those that were recorded"; }
}
t_case "perf.data and --replay: the same values" replayed

# Many at once, each whole.
many_threads() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" --args 'a, b, a + b, b - a, f' -- "$WORKLOADS/calls" 50 8
	assert_status 0
	assert_summary 400 1
	assert_eq "$(events | details | awk '
		{ gsub(/[^0-9 ]/, ""); if ($2 != 2 * $1 || $3 != 3 * $1 || $4 != $1 || $5 != 6) bad++ } END { print NR, bad + 0 }')" \
		"400 0" "calls, and those whose values do not belong together"
}
t_case "8 threads: each call's values belong together" many_threads

# ---- what people are told ----------------------------------------------------------------------

# refuses STATUS MESSAGE OPTION...
refuses() {
	wanted=$1 message=$2
	shift 2
	run_tracer "$@" -- "$WORKLOADS/args"
	assert_status "$wanted"
	assert_match "$message" "$T/err"
	assert_eq "$(count_events .)" 0 events
}

mistakes() {
	on_this_machine
	probe=$WORKLOADS/args:args_list
	refuses 2 '--args: stands behind the probe' --args node
	refuses 2 '--args: .* has a list already: say it in one, with commas' --uprobe "$probe" --args node --args arg1
	refuses 2 '--args: .* has a list already' --uprobe "$probe" --args none --args arg1
	refuses 2 '--args: .*is a breakpoint, which records' --breakpoint "$WORKLOADS/args:args_sink:w" --args new
	refuses 2 'the name of a member is missing' --uprobe "$probe" --args 'node->'
	refuses 2 'a value is missing at the end' --uprobe "$probe" --args 'node,'
	refuses 2 '--max-string: "0": not a number of characters from 1 to 255' --uprobe "$probe" --max-string 0
	refuses 2 '--max-string: "256": not a number' --uprobe "$probe" --max-string 256
	refuses 1 'there is no member "valu" in const struct args_node \(did you mean "value"\?\)' --uprobe "$probe" --args 'node->valu'
	refuses 1 '"nod" is no name that is known here \(did you mean "node"\?\)' --uprobe "$probe" --args 'nod'
	refuses 1 'comm is recorded with every event' --uprobe "$probe" --args 'comm'
	refuses 1 'this is nothing to record' --uprobe "$probe" --args '"text"'
	refuses 1 'ret is of type double, which is no number that one register has' --uretprobe "$WORKLOADS/args:args_floats" --args 'ret > 1'
	refuses 1 'node is not there any more when the function returns' --uretprobe "$probe" --args 'node'
	refuses 1 'more than one event has room for: 32 values, or 4096 bytes' --uprobe "$probe" \
		--args "$(awk 'BEGIN { for (i = 0; i < 33; i++) printf "%sarg1 + %d", i ? ", " : "", i }')"
}
t_case "mistakes in --args: where, and what was meant" mistakes

counted() {
	on_this_machine
	refuses 2 '--args: what is only counted has no place for values' --count --uprobe "$WORKLOADS/args:args_list" --args node
	refuses 2 '--args: what is only counted has no place for values' -o x.folded --uprobe "$WORKLOADS/args:args_list" --args node
}
t_case "--args of what is only counted is refused" counted

