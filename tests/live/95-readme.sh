#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What README.md tells people to type does what README.md says. The commands are here word for word, as a
# VM has no README; the last cases see to it that none is missing.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# Runs the commands on stdin, in a folder that looks like the checkout after make demo.
typed() {
	mkdir -p build/tests
	ln -s "$WORKLOADS" build/tests/workloads
	ln -s "$TRACER" tracer
	cat >typed
	status=0
	# shellcheck disable=SC2086 # T_SHELL may be two words
	$T_SHELL ./typed >"$T/out" 2>"$T/err" || status=$?
}

# For the recipes that run the demo, about four seconds of computing.
need_real_cpu() {
	[ "$T_SCALE" -eq 1 ] || skip "the demo takes minutes on an emulated CPU"
}

lines_of() { grep -cE -- "$1" "$2" || :; }

check() {
	typed <<'END'
./tracer --check
END
	assert_status 0
	assert_match '^breakpoints +(yes|no) ' "$T/out"
	assert_match '^uprobes, ring buffer +yes ' "$T/out"
}
t_case "README: --check" check

profile() {
	need_real_cpu
	typed <<'END'
./tracer -o profile.svg -- build/tests/workloads/demo
END
	assert_status 0
	assert_match '<svg ' profile.svg
	assert_match 'render_scene' profile.svg
	assert_match '^tracer: wrote profile\.svg$' "$T/err"
	assert_match '^tracer: user stacks [0-9.]+ % complete' "$T/err"
}
t_case "README: where does the CPU time go" profile

waits() {
	need_real_cpu
	typed <<'END'
./tracer --off-cpu=5ms --count --user-only -o waits.txt -- build/tests/workloads/demo
END
	assert_status 0
	assert_match '^# +COUNT +TIME_MS ' waits.txt
	# The demo reads twelve chunks, and sleeps 60 ms in each.
	assert_eq "$(grep -B 1 'read_chunk' waits.txt | awk '/off-cpu/ { sum += $1 } END { print sum + 0 }')" 12 "reads"
	assert_match 'pick_job \(demo\)' waits.txt
}
t_case "README: what does it wait for" waits

wall() {
	need_real_cpu
	typed <<'END'
./tracer --wall -o wall.svg -- build/tests/workloads/demo
END
	assert_status 0
	assert_match 'render_scene' wall.svg
	assert_match 'read_chunk' wall.svg
	assert_match '\[off-CPU\]' wall.svg
}
t_case "README: where does the wall time go" wall

probes() {
	need_real_cpu
	typed <<'END'
./tracer --uprobe build/tests/workloads/demo:take_job --max-events 2 -- build/tests/workloads/demo
./tracer --uretprobe build/tests/workloads/demo:pick_job --max-events 2 -- build/tests/workloads/demo
END
	assert_status 0
	assert_eq "$(lines_of ' demo:take_job +\(scene=0x[0-9a-f]+\) <- worker\+0x' "$T/out")" 2 "calls"
	assert_eq "$(lines_of ' demo:pick_job%return +=' "$T/out")" 2 "returns"
	assert_match ' = 40 <- take_job\+0x' "$T/out"
	assert_match ' = 39 <- take_job\+0x' "$T/out"
}
t_case "README: who calls a function, with what, and what does it return" probes

bad_write() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	typed <<'END'
./tracer --breakpoint build/tests/workloads/race:config.limit --if 'new > 100' -g -- build/tests/workloads/race 50
END
	assert_status 0
	assert_eq "$(grep -c 'race:config.limit *w [0-9]* -> 4000 in set_bad_limit+0x[0-9a-f]* at race.c:[0-9]* ' "$T/out")" 1 "bad writes"
}
t_case "README: which thread writes what it should not" bad_write

by_type() {
	typed <<'END'
./tracer --uprobe build/tests/workloads/args:args_strings --uprobe build/tests/workloads/args:args_by_value -- build/tests/workloads/args
./tracer --uprobe build/tests/workloads/args:args_list --args 'node->next->name, node->value + 1, *node' -- build/tests/workloads/args
./tracer --uretprobe build/tests/workloads/args:args_large --args 'ret, tid' -- build/tests/workloads/args
END
	assert_status 0
	assert_match ' args:args_strings +\(first="hello", second=0x0, flags=READ\|EXECUTE\) <- main\+0x' "$T/out"
	assert_match ' args:args_strings +\(first=0x0, second=<fault at 0x8>, flags=9\) <- main\+0x' "$T/out"
	assert_match ' args:args_by_value +\(point.x=3, point.y=4, pair.number=10, pair.name=0x[0-9a-f]+\) <- main\+0x' "$T/out"
	assert_match ' args:args_list +\(node->next->name="second", node->value \+ 1=2, \(\*node\).next=0x[0-9a-f]+, ' "$T/out"
	assert_match ' args:args_large%return = \(.*tid=[0-9]+\) <- main' "$T/out"
}
t_case "README: arguments by name and type" by_type

some_calls() {
	typed <<'END'
./tracer --uprobe build/tests/workloads/judged:judged_handle --if 'count > 107 && byte == 208' -- build/tests/workloads/judged
./tracer --uprobe build/tests/workloads/judged:judged_handle --if 'request && request->conn.name == "conn5"' -- build/tests/workloads/judged
./tracer --uretprobe build/tests/workloads/judged:judged_handle --if 'ret < -3' -- build/tests/workloads/judged
END
	assert_status 0
	assert_eq "$(grep -c 'judged:judged_handle  *(request=0x[0-9a-f]*, count=108, ' "$T/out")" 1 "call with count 108"
	assert_eq "$(grep -c 'judged:judged_handle  *(request=0x[0-9a-f]*, count=105, ' "$T/out")" 1 "call with conn5"
	assert_eq "$(grep -c 'judged_handle%return = -[45] ' "$T/out")" 2 "returns of -5 and -4"
}
t_case "README: only some of the calls" some_calls

meant_to_be_seen() {
	[ -x "$WORKLOADS/usdt" ] || skip "no usdt workload here (systemtap-sdt-dev)"
	typed <<'END'
./tracer --list usdt build/tests/workloads/usdt 'app:t*'
./tracer --usdt build/tests/workloads/usdt:app:text --if 'arg1 == "odd"' --max-events 2 -- build/tests/workloads/usdt
END
	assert_status 0
	assert_match '^app:text +1  no +u64 u64$' "$T/out"
	assert_match '^app:twice +2  no +s32 s32$' "$T/out"
	assert_eq "$(lines_of ' usdt:app:text +\(arg1=0x[0-9a-f]+.*\) in usdt_text\+0x[0-9a-f]+ <- main\+0x' "$T/out")" 2 "odd ones"
}
t_case "README: what did the authors mean to be seen" meant_to_be_seen

mistake() {
	run_tracer --uprobe "$WORKLOADS/judged:judged_handle" --if 'cuont > 107' -- "$WORKLOADS/judged"
	assert_status 1
	cat >want <<'END'
tracer: --if: "cuont" is no name that is known here (did you mean "count"?)
  cuont > 107
  ^~~~~
END
	head -n 3 "$T/err" >got
	assert cmp want got
}
t_case "README: a mistake in --if" mistake

how_long() {
	need_real_cpu
	typed <<'END'
./tracer --latency build/tests/workloads/demo:read_chunk -- build/tests/workloads/demo
./tracer --latency build/tests/workloads/latency:naps --if 'latency >= 2ms' -g -- build/tests/workloads/latency 3
END
	assert_status 0
	assert_match '^demo:read_chunk: 12 calls, mean [0-9.]+ ms, ' "$T/out"
	assert_match '^latency:naps: 3 calls, ' "$T/out"
	assert_eq "$(grep -c 'latency:naps%latency [0-9.]* m*s = [0-9]' "$T/out")" 3 "calls of 2 ms or more"
}
t_case "README: how long does it take" how_long

around() {
	need_real_cpu
	typed <<'END'
./tracer --uprobe build/tests/workloads/demo:take_job --uretprobe build/tests/workloads/demo:pick_job --off-cpu=5ms --max-events 18 -- build/tests/workloads/demo
END
	assert_status 0
	assert_match ' off-cpu +6[0-9]\.[0-9]+ ms blocked in read_chunk\+0x' "$T/out"
	assert_match '^# .* 18 delivered, ' "$T/out"
}
t_case "README: several sources at once" around

breakpoint() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	typed <<'END'
./tracer --breakpoint build/tests/workloads/stores:counter:w -- build/tests/workloads/stores 3
END
	assert_status 0
	for values in '0 -> 1' '1 -> 2' '2 -> 3'; do
		assert_match " stores:counter +w $values in store_counter\+0x[0-9a-f]+ at stores.c:[0-9]+ <- store_caller\+0x" "$T/out"
	done
}
t_case "README: who writes this variable" breakpoint

list() {
	typed <<'END'
./tracer --list variables build/tests/workloads/stores '*counter'
./tracer --list functions build/tests/workloads/demo job
END
	assert_status 0
	assert_match ' 4  int_counter$' "$T/out"
	assert_match '  take_job$' "$T/out"
}
t_case "README: what can be probed or watched" list

running() {
	typed <<'END'
build/tests/workloads/calls 0 2 pace & pid=$!; sleep 0.5
./tracer -p $pid -d 1 --uprobe build/tests/workloads/calls:traced_function --count --by tid --call-graph none
./tracer -t $pid -d 1 --off-cpu
./tracer -a -C 0 -d 1 --by pid -o cpu0.folded
kill $pid
END
	assert_status 0
	assert_eq "$(lines_of '^ +[0-9]+  calls [0-9]+/[0-9]+ calls:traced_function' "$T/out")" 2 "threads"
	assert_match '  off-cpu .* ms blocked .*still blocked' "$T/out"
	assert [ -e cpu0.folded ]
}
t_case "README: something that runs already" running

json() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	need jq
	typed <<'END'
./tracer --breakpoint build/tests/workloads/stores:counter:w -o writes.json -- build/tests/workloads/stores 3
jq -r 'select(.type == "event") | "\(.old) -> \(.new) in \(.user[0].symbol)"' writes.json
END
	assert_status 0
	assert_lines "$T/out" 3
	assert_match '^0x2 -> 0x3 in store_counter$' "$T/out"
}
t_case "README: JSON into another tool" json

perf_script() {
	need_real_cpu
	typed <<'END'
./tracer -o demo.perf -- build/tests/workloads/demo
END
	assert_status 0
	assert_match '^demo +[0-9]+/[0-9]+ +\[[0-9]{3}\] +[0-9]+\.[0-9]{6}: +[0-9]+ (cpu-clock|cycles): ?$' demo.perf
	assert_match '^	 *[0-9a-f]+ trace_ray\+0x[0-9a-f]+ \(.*demo\)$' demo.perf
}
t_case "README: perf script's text" perf_script

small_buffer() {
	typed <<'END'
./tracer -m 4K --uprobe build/tests/workloads/calls:traced_function -o calls.txt -- build/tests/workloads/calls 20000
END
	assert_status 0
	# "# 0.7 s, 20000 seen, 13443 delivered, 6557 lost (6557 ring full)"
	assert_eq "$(awk '/^# .* seen, / { print $4, $6 + $8 }' calls.txt)" "20000 20000" "seen, delivered + lost"
}
t_case "README: a buffer that is too small" small_buffer

exit_status() {
	typed <<'END'
./tracer --off-cpu=10ms -o job.json -- sh -c 'sleep 0.1; exit 3'
END
	assert_status 3
	assert_match '"type":"summary".*"lost":0,' job.json
	assert_match '"kind":"off-cpu"' job.json
	if have jq; then
		assert_eq "$(jq -e 'select(.type == "summary") | .lost == 0' job.json)" true
	fi
}
t_case "README: the exit status in CI" exit_status

counting() {
	typed <<'END'
./tracer --stat -e task-clock,page-faults,context-switches -- build/tests/workloads/spin 300
END
	assert_status 0
	assert_match '^ +[0-9]+\.[0-9]+  msec   task-clock +100\.0 %  [0-9.]+ CPUs used$' "$T/out"
	assert_match '^ +[0-9,]+ +page-faults +100\.0 %  [0-9.]+ /s$' "$T/out"
}
t_case "README: counts" counting

perf_engine() {
	typed <<'END'
./tracer --engine perf --profile -o spin.svg -- build/tests/workloads/spin 1000
./tracer -e page-faults -c 1 -g -o faults.txt -- build/tests/workloads/spin 100
END
	assert_status 0
	assert_match '>spin_inner' spin.svg
	assert_match '^ *[0-9.]+ +spin +[0-9]+ +[0-9]+ +[0-9]+ +page-faults ' faults.txt
	assert_match '^tracer: user stacks .* complete' "$T/err"
}
t_case "README: without BPF" perf_engine

replay() {
	need perf
	typed <<'END'
perf record -q -e cpu-clock -F 499 --call-graph dwarf,32768 -o perf.data build/tests/workloads/spin 300
./tracer --replay perf.data -o spin.folded
END
	assert_status 0
	assert_match '^spin;_start;.*;main;spin_and_rest;spin_outer;spin_inner ' spin.folded
}
t_case "README: what perf recorded" replay

flight_recorder() {
	typed <<'END'
./tracer --overwrite --dump-on build/tests/workloads/calls:traced_function -o before.folded -- sh -c 'build/tests/workloads/spin 500; build/tests/workloads/calls 1'
END
	assert_status 0
	assert_match '^tracer: only the newest samples were kept, as --overwrite says; written 1 time$' "$T/err"
	assert_match '^spin;_start;.*;main;spin_and_rest;spin_outer;spin_inner ' before.folded
}
t_case "README: what happened just before" flight_recorder

recorded() {
	need perf
	typed <<'END'
./tracer --uprobe build/tests/workloads/calls:traced_function -o calls.data -- build/tests/workloads/calls 100
perf report --stdio --no-children -g caller -i calls.data
./tracer --replay calls.data -o calls.folded
END
	assert_status 0
	assert_match "event '(calls:traced_function)'" "$T/out"
	assert_match '^calls;_start;.*;main;caller_function;traced_function 100$' calls.folded
}
t_case "README: for perf's own tools" recorded

readme=$T_top/README.md

commands_are_here() {
	[ -e "$readme" ] || skip "no README here"
	awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$readme" >commands
	assert [ -s commands ]
	while IFS= read -r line; do
		grep -qxF -- "$line" "$T_top/tests/live/95-readme.sh" || fail "not tested: $line"
	done <commands
}
t_case "README: every command in it is tested" commands_are_here

# Only of ours: other tools' options are in lines that name them.
options_exist() {
	[ -e "$readme" ] || skip "no README here"
	"$TRACER" --help >help
	grep -vE 'tools/setup|^perf ' "$readme" | grep -oE -- '(^|[ `(])--[a-z][a-z-]+' | sed 's/^[^-]*//' | sort -u >options
	assert [ -s options ]
	while IFS= read -r option; do
		grep -qE -- "(^|[ ,])$option([ =[]|\$)" help || fail "no such option: $option"
	done <options
}
t_case "README: every option in it exists" options_exist

paths_exist() {
	[ -e "$readme" ] || skip "no README here"
	# shellcheck disable=SC2016 # backquotes of Markdown
	grep -oE '`(bpf|user|vmlinux|tests|tools)/[A-Za-z0-9_./-]*`' "$readme" | tr -d '`' | sort -u >paths
	while IFS= read -r path; do
		assert [ -e "$T_top/$path" ]
	done <paths
}
t_case "README: every path in it exists" paths_exist
