#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -o FILE.data: perf's own tools read it and show what we show; --replay says as much as the recording would have.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# Lines of perf script on stdin so that only what they say is left: blanks are one. Libraries' frames have no names,
# as perf may know more of those (separate debug files, symbol versions), and neither have functions of libc, which
# have several. Code that is in no file perf calls by a file that could name it, and code of the kernel that is in no
# function (what BPF attaches by) is not the kernel's for it.
plain_script() {
	awk '
	/^#/ { next }
	# a program in a memfd, of which a recording does not tell that it is no JIT code
	!/^\t/ { is_memfd = $1 ~ /^memfd:/ }
	is_memfd { next }
	/^[ \t]+ffff[0-9a-f]+ \[unknown\]/ { print $1, "([unknown])"; next }
	/^[ \t]+[0-9a-f]+ / && ($NF !~ /^\(\[kernel|workloads\// || $2 ~ /^__/) {
		sub(/^\((\/tmp\/perf-[0-9]+\.map|\/\/anon|\[JIT\])\)$/, "([anon])", $NF)
		print $1, $NF
		next
	}
	{ $1 = $1; print }'
}

# agree FILE [FIELDS]: perf script's lines of it are ours
agree() {
	need perf
	perf script --no-inline -F "${2:-comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso}" -i "$1" 2>perf.err |
		plain_script >theirs
	run_tracer --replay "$1" --format perf-script
	assert_status 0
	plain_script <"$T/out" >ours
	[ -s theirs ] || fail "perf script shows nothing: $(tail -n 1 perf.err)"
	diff theirs ours >differences ||
		fail "$(grep -c '^[-+<>]' differences) lines: $(grep '^[-+<>][^-+]' differences | head -n 2 | tr '\n' ' ')"
}

# record OPTION... -- COMMAND...: leaves x.data
record() {
	run_tracer -o x.data "$@"
	assert_status 0
	assert_match '^tracer: wrote x\.data' "$T/err"
}

samples() { grep -c "$1" ours || :; }

calls=$WORKLOADS/calls
profiled() {
	record --profile=499 -- "$WORKLOADS/spin" 300
	agree x.data
	assert_between "$(samples ' cpu-clock:$\| cycles:$')" 50 1000 "samples"
	assert_match '^[0-9a-f]+ spin_inner\+0x[0-9a-f]+ \(.*/spin\)$' ours
	assert_match '^[0-9a-f]+ _start\+0x[0-9a-f]+ \(.*/spin\)$' ours
}
probed() {
	record --uprobe "$calls:traced_function" --uretprobe "$calls:traced_function" -- "$calls" 300 3
	agree x.data
	assert_eq "$(samples ' calls:traced_function:$')" 900 "calls"
	assert_eq "$(samples ' calls:traced_function%return:$')" 900 "returns"
}
waited() {
	record --off-cpu -- "$WORKLOADS/sleeps" 5 10
	agree x.data
	assert_between "$(samples ' offcpu-time:$')" 5 10000 "waits"
}
together() {
	record --wall --uprobe "$calls:traced_function" -- "$calls" 100
	agree x.data
	assert_eq "$(samples ' calls:traced_function:$')" 100 "calls"
}
by_perf() {
	record --engine perf -e page-faults -e cpu-clock -c 1000000 -- "$WORKLOADS/spin" 100
	agree x.data
	assert_between "$(samples ' cpu-clock:$')" 20 1000 "samples"
	assert_between "$(samples ' page-faults:$')" 0 100000 "faults"
}
forked() {
	record --uprobe "$WORKLOADS/forks:traced_function" --off-cpu -- "$WORKLOADS/forks" 5 10
	agree x.data
	assert_eq "$(samples ' forks:traced_function:$')" 60 "calls"
	record --uprobe "$calls:traced_function" -- "$WORKLOADS/forks" 5 10 exec "$calls"
	agree x.data
	assert_eq "$(samples ' calls:traced_function:$')" 50 "calls of what children execute"
}
executed() {
	record --uprobe "$calls:traced_function" -- sh -c "'$calls' 10; '$calls-nopie' 10; exec '$calls' 20"
	agree x.data
	assert_eq "$(samples ' calls:traced_function:$')" 30 "calls"
}
static() {
	record --profile=499 -- "$WORKLOADS/spin-static" 200
	agree x.data
	record --uprobe "$calls-nopie:traced_function" -- "$calls-nopie" 30
	agree x.data
	assert_eq "$(samples ' calls-nopie:traced_function:$')" 30 "calls"
}
t_case "perf.data: perf script shows what we show: --profile" profiled
t_case "perf.data: perf script shows what we show: calls and returns" probed
t_case "perf.data: perf script shows what we show: --off-cpu" waited
t_case "perf.data: perf script shows what we show: --wall and a probe" together
t_case "perf.data: perf script shows what we show: --engine perf" by_perf
t_case "perf.data: perf script shows what we show: children" forked
t_case "perf.data: perf script shows what we show: across exec" executed
t_case "perf.data: perf script shows what we show: other kinds of programs" static

# Of processes that were there before, and of all. Addresses of no kernel symbol are told apart by perf alone.
attached() {
	start_waiting target 4 "$calls" 50 3 wait
	start_tracer -p "$pid" --uprobe "$calls:traced_function" -o x.data
	let_go target
	finish "$tracer"
	assert_status 0
	agree x.data
	assert_eq "$(samples ' calls:traced_function:$')" 150 "calls"
}
t_case "perf.data: perf script shows what we show: -p" attached

everything() {
	record -a --profile=499 --user-only -- "$WORKLOADS/spin" 200
	agree x.data
	assert_match '^spin ' ours
}
t_case "perf.data: perf script shows what we show: -a" everything

# What perf says of the file as a whole.
header() {
	need perf readelf
	record --profile --uprobe "$calls:traced_function" -- "$calls" 10
	perf report --header-only -i x.data >header 2>/dev/null
	assert_match "^# cmdline : .*tracer.* --uprobe .*calls:traced_function" header
	assert_match "^# os release : $(uname -r | sed 's/[.+]/\\&/g')$" header
	assert_match '^# event : name = calls:traced_function,' header
	assert_match '^# clockid: monotonic' header
	perf buildid-list -i x.data >ids 2>/dev/null
	id=$(readelf -n "$calls" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || fail "the workload has no build id"
	assert_match "^$id $calls$" ids
	perf report --stdio --no-children -g none -F sample,symbol -i x.data >listing 2>/dev/null
	assert_match "event '(calls:traced_function)'" listing
	assert_match '^ +10 +\[\.\] traced_function' listing
}
t_case "perf.data: perf report, its header, perf buildid-list" header

# ---- --replay of what we recorded: no perf is needed ------------------------------------------------

replay() {
	run_tracer --replay x.data "$@"
	assert_status 0
}

# What each call had is in the file.
arguments() {
	record --uprobe "$calls:traced_function" --uretprobe "$calls:returns_value" -- "$calls" 200
	replay
	assert_match '^tracer: [0-9.]+ s, 400 events in 1 process, 0 lost' "$T/err"
	awk 'BEGIN {
		for (i = 1; i <= 200; i++) {
			printf "(a=%d, b=%d, c=3, d=4, e=5, f=6) <- caller_function\n", i, 2 * i
			printf "= %d <- caller_function\n", 2 * i + 1
		}
	}' >want
	events | details | sed 's/\(<- caller_function\)+0x[0-9a-f]*$/\1/' >got
	assert cmp want got
}
t_case "--replay of ours: arguments and values of calls" arguments

stores() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	record --breakpoint "$WORKLOADS/stores:counter:w" -- "$WORKLOADS/stores" 100
	replay
	awk 'BEGIN { for (i = 1; i <= 100; i++) printf "w %d -> %d in store_counter <- store_caller\n", i - 1, i }' >want
	events | details | sed 's/+0x[0-9a-f]*//g; s/ at stores\.c:[0-9]*//' >got
	assert cmp want got
}
t_case "--replay of ours: values of stores" stores

# Two recordings of one program that does the same each time.
same_as_live() {
	run_tracer --uprobe "$calls:traced_function" -o live.json -- "$calls" 100 1
	record --uprobe "$calls:traced_function" -- "$calls" 100 1
	replay -o replayed.json
	for name in live replayed; do
		sed -n 's/"\(time_ns\|pid\|tid\|cpu\)":[0-9]*//g; /"type":"event"/p' "$name.json" >"$name"
	done
	assert_lines live 100
	assert cmp live replayed
}
t_case "--replay of ours: JSON as if recorded" same_as_live

# How a stack ended is not forgotten.
ends() {
	record --profile=499 --call-graph fp -- "$WORKLOADS/spin" 200
	replay -o x.folded
	assert_match '^tracer: user stacks [0-9.]+ % complete \([0-9]+ (last frame pointer|frame pointers broken)' "$T/err"
	record --profile=499 --max-stack 2 -- "$WORKLOADS/spin" 200
	replay -o cut.folded
	assert_match 'max depth' "$T/err"
	assert_match '^spin;\[incomplete: max depth\];' cut.folded
	record --profile=499 -- "$WORKLOADS/spin" 200
	replay -o whole.folded
	assert_match '^tracer: user stacks 100\.0 % complete' "$T/err"
	assert_match '^spin;_start;.*;main;.*spin_inner' whole.folded
}
t_case "--replay of ours: how stacks ended" ends

# A recording read and written again is the same recording.
again() {
	record --wall --uprobe "$calls:traced_function" -- "$calls" 50
	replay --format perf-script
	cp "$T/out" first
	run_tracer --replay x.data -o again.data
	assert_status 0
	run_tracer --replay again.data --format perf-script
	assert cmp first "$T/out"
}
t_case "--replay of ours into another perf.data" again

# What time weighs live, it weighs then.
weights() {
	record --wall -- "$WORKLOADS/spin" $((300 * T_SCALE)) 1 300
	replay -o x.folded
	assert_between "$(folded_sum x.folded 'spin_sleep.*;\[off-CPU\]')" 295000 $((400000 * T_SCALE)) "us asleep"
	# as many samples as an emulated CPU has time for, each of a 99th of a second
	grep -vF '[off-CPU]' x.folded >on.folded
	computing=$(folded_sum on.folded 'spin_inner')
	replay --format perf-script -o x.perf
	samples=$(awk 'BEGIN { RS = "" } /spin_inner/ && /cpu-clock|cycles/ { count++ } END { print count + 0 }' x.perf)
	assert_between "$samples" 3 100000 "samples that compute"
	assert_between "$computing" $((samples * 10101)) $((samples * 10102)) "us computing"
	record --off-cpu -- "$WORKLOADS/spin" 1 1 300
	replay -o x.folded
	assert_between "$(folded_sum x.folded 'spin_sleep')" 295000 $((400000 * T_SCALE)) "us asleep"
	replay --count
	assert_match 'spin_sleep' "$T/out"
}
t_case "--replay of ours: waits weigh their time" weights

itself() {
	record --profile -- "$WORKLOADS/spin" 100
	cp x.data before
	ln -s x.data link
	for name in x.data ./x.data link; do
		run_tracer --replay x.data --format json -o "$name"
		assert_status 1
		assert_match "^tracer: -o $name: is the recording itself: name another file" "$T/err"
	done
	assert cmp x.data before
	assert_eq "$(stat -c %a x.data)" 600 "mode of a recording"
	run_tracer --replay x.data -d 1
	assert_status 2
}
t_case "--replay: the recording is not written over" itself

# perf's own recording with copied stacks becomes one with call chains, which every tool reads fast.
converted() {
	need perf
	perf record -q -e cpu-clock -F 499 --call-graph dwarf,65528 -o perf.data -- "$WORKLOADS/spin" 200 \
		>/dev/null 2>record.err || fail "perf record: $(tail -n 1 record.err)"
	run_tracer --replay perf.data -o x.data
	assert_status 0
	agree x.data comm,pid,tid,time,period,event,ip,sym,symoff,dso
	assert_between "$(samples '^[0-9a-f]* _start+')" 20 1000 "whole stacks"
	[ "$(wc -c <x.data)" -lt $(($(wc -c <perf.data) / 10)) ] || fail "as large as before"
}
t_case "--replay of perf's copied stacks into a perf.data of call chains" converted

# ---- what goes wrong ------------------------------------------------------------------------------------

# Killed in the middle, what was written until then can be read.
killed() {
	start_waiting target 1 "$calls" 0 1 wait pace
	target=$pid
	start_tracer -p "$target" --uprobe "$calls:traced_function" -o x.data
	let_go target
	wait_for 20 has_calls x.data
	finish "$tracer" KILL
	run_tracer --replay x.data
	assert_match 'not ended properly' "$T/err"
	has_calls x.data || fail "nothing of it can be read"
}
has_calls() {
	cp "$1" copy.data
	"$TRACER" --replay copy.data 2>/dev/null | grep -q 'caller_function'
}
t_case "perf.data: a tracer that is killed leaves what it had" killed

refused() {
	run_tracer --format perf.data -- true
	assert_status 2
	assert_match '^tracer: --format perf\.data: .*-o' "$T/err"
	status=0
	"$TRACER" --format perf.data -o /proc/self/fd/1 -- touch ran 2>"$T/err" | cat >/dev/null
	assert_match '^tracer: perf\.data: is written to a file' "$T/err"
	assert [ ! -e ran ]
	run_tracer --format perf.data -o /dev/full --uprobe "$calls:traced_function" -- "$calls" 300
	assert_status 1
}
t_case "perf.data: a pipe, a terminal, a full disk" refused

unprivileged() {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2 here"
	chmod 777 .
	nobody --profile=499 -o x.data -- "$WORKLOADS/spin" 200
	assert_status 0
	chown 0:0 x.data
	agree x.data
	assert_match '^[0-9a-f]+ spin_inner' ours
}
t_case "perf.data: without privileges" unprivileged
