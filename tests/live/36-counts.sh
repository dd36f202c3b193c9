#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --stat: counts of what the workload is known to do.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"

# Of JSON lines on stdin, the count of an event: sums of several rows.
count_of() { sed -n "s/.*\"event\":\"$1\".*\"count\":\([0-9]*\).*/\1/p" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }

need_tracepoints() {
	"$TRACER" --list events sched:sched_process_fork >/dev/null 2>&1 || skip "tracefs is not mounted here"
}

cpu_time() {
	run_tracer --stat -e task-clock -o count.json -- "$WORKLOADS/spin" 600 3
	assert_status 0
	spun=$(awk '{ for (i = 1; i < NF; i++) if ($i == "cpu") sum += $(i + 1) } END { print sum }' "$T/out")
	counted=$(count_of task-clock <count.json)
	# the threads' own clocks begin a little later and end a little earlier
	assert_between "$((counted / 1000))" "$spun" $((spun * 110 / 100 + 100000 * T_SCALE)) "us on the CPU"
}
t_case "--stat: CPU time of a program with threads is what its threads say" cpu_time

# The shell forks twice, and each program that it starts seven times.
forks() {
	need_tracepoints
	# shellcheck disable=SC2016 # the COMMAND expands it
	set -- sh -c '"$1" 7 1; "$1" 7 1; :' sh "$WORKLOADS/forks"
	run_tracer --stat -e sched:sched_process_fork -o count.json -- "$@"
	assert_status 0
	assert_eq "$(count_of sched:sched_process_fork <count.json)" 16 "forks"
	run_tracer --stat --no-inherit -e sched:sched_process_fork --format json -- "$@"
	assert_eq "$(count_of sched:sched_process_fork <"$T/out")" 2 "forks, of the shell alone"
}
t_case "--stat: tracepoints are counted exactly, in children too" forks

breakpoint_events() {
	have_breakpoints || skip "hardware breakpoints do not fire here"
	[ -x "$WORKLOADS/calls-static" ] || skip "no program at a fixed address here"
	address=$("$TRACER" --list functions "$WORKLOADS/calls-static" traced_function | awk '$3 == "traced_function" { print $1 }')
	run_tracer --stat -e "mem:$address:x:u" --format json -- "$WORKLOADS/calls-static" 12345
	assert_status 0
	assert_eq "$(sed -n 's/.*"count":\([0-9]*\).*/\1/p' "$T/out")" 12345 "calls"
}
t_case "--stat: breakpoints by address are counted exactly" breakpoint_events

# All of a group count in the very same time.
group() {
	run_tracer --stat -e '{task-clock,page-faults,context-switches}' --format json -- "$WORKLOADS/spin" 100
	assert_status 0
	assert_lines "$T/out" 4
	grep '"type":"count"' "$T/out" >rows
	assert_lines rows 3
	assert_eq "$(sed 's/.*"enabled_ns":\([0-9]*\),"running_ns":\([0-9]*\).*/\1 \2/' rows | sort -u | wc -l)" 1 \
		"different times enabled and running in a group"
	assert_no_match '"counted":false' rows
}
t_case "--stat: a group is read at one instant" group

# Where there is a PMU. In the same time: so many a cycle is a number that means something. What calls do grows with
# their number, one by one.
pmu_group() {
	run_tracer --stat -e '{cycles:u,instructions:u}' --format json -- "$WORKLOADS/calls" 1000
	[ "$(grep -c '"counted":true' "$T/out")" -eq 2 ] || skip "no PMU here that counts cycles and instructions"
	assert_eq "$(sed -n 's/.*"enabled_ns":\([0-9]*\),"running_ns":\([0-9]*\).*/\1 \2/p' "$T/out" | sort -u | wc -l)" 1 \
		"different times enabled and running in a group"
	assert [ "$(count_of cycles:u <"$T/out")" -gt 0 ]
	few=$(count_of instructions:u <"$T/out")
	run_tracer --stat -e '{cycles:u,instructions:u}' --format json -- "$WORKLOADS/calls" 2000
	middle=$(count_of instructions:u <"$T/out")
	run_tracer --stat -e '{cycles:u,instructions:u}' --format json -- "$WORKLOADS/calls" 3000
	many=$(count_of instructions:u <"$T/out")
	assert_between $((middle - few)) 5000 200000 "instructions of 1000 calls"
	assert_between $((many - middle)) $(((middle - few) * 98 / 100)) $(((middle - few) * 102 / 100)) \
		"instructions of 1000 calls more"
}
t_case "--stat: a group on the PMU; instructions are those of the calls" pmu_group

# What cannot be had takes its group with it; the rest is counted.
refused_group() {
	! "$TRACER" --stat -e cycles -- true | grep -q 'cycles .*100.0 %' || skip "this machine counts cycles"
	run_tracer --stat -e '{task-clock,cycles},page-faults' -- "$WORKLOADS/spin" 10
	assert_status 0
	assert_match '^ +<not counted> +(msec +)?task-clock +another event of its group cannot be had$' "$T/out"
	assert_match '^ +<not counted> +cycles +this machine has no such counter \(cpu-clock is always there; --list events\)$' "$T/out"
	assert_match '^ +[0-9,]+ +page-faults +100\.0 %  ' "$T/out"
	assert_match '^tracer: warning: cycles: this machine has no such counter ' "$T/err"
	run_tracer --stat -e cycles -- "$WORKLOADS/spin" 10
	assert_status 1
	assert_match '^tracer: none of the events can be counted here$' "$T/err"
	[ ! -s "$T/out" ] || fail "the program ran"
	# what could be had of it is not counted either
	run_tracer --stat -e '{task-clock,cycles}' -- "$WORKLOADS/spin" 10
	assert_status 1
	assert_match '^tracer: none of the events can be counted here$' "$T/err"
}
t_case "--stat: a group is counted as a whole or not at all" refused_group

# What nobody asked for by name is not worth a warning.
by_default() {
	run_tracer --stat -- "$WORKLOADS/spin" 50
	assert_status 0
	assert_match '^ +[0-9.]+  msec   task-clock +100\.0 %  [0-9.]+ CPUs used$' "$T/out"
	for event in context-switches cpu-migrations page-faults cycles instructions branches branch-misses; do
		assert_match " $event " "$T/out"
	done
	assert_no_match warning "$T/err"
}
t_case "--stat: what is counted when nothing is named" by_default

# This PMU refuses events that leave anything out, as those are that nobody said anything of.
cannot_exclude() {
	[ -e /sys/bus/event_source/devices/msr/events/tsc ] || skip "no msr PMU here"
	run_tracer --stat -C 0 -d 0.1 -e msr/tsc/ --format json
	assert_status 0
	assert_match '"event":"msr/tsc/","counted":true,"count":[1-9][0-9]{6,},' "$T/out"
	run_tracer --stat -C 0 -d 0.1 -e msr/tsc/u
	assert_status 1
}
t_case "--stat: an event of a PMU that cannot leave guests out" cannot_exclude

# As many descriptors as the hard limit allows are taken, and the COMMAND has its own limit.
descriptors() {
	events=$(printf ',page-faults%.0s' 1 2 3 4 5 6 7 8)
	status=0
	# shellcheck disable=SC3045,SC2016 # both shells have it; the inner ones expand it
	sh -c 'ulimit -S -n 9 && exec "$@"' sh "$TRACER" --stat -e "${events#,}" --format json -- \
		sh -c 'ulimit -n; "$1" 10' sh "$WORKLOADS/spin" >"$T/out" 2>"$T/err" || status=$?
	assert_status 0
	assert_eq "$(head -n 1 "$T/out")" 9 "descriptors of the COMMAND"
	assert_eq "$(grep -c '"counted":true' "$T/out")" 8 "events"
	# shellcheck disable=SC3045,SC2016
	sh -c 'ulimit -n 9 && exec "$@"' sh "$TRACER" --stat -e "${events#,}" -- "$WORKLOADS/spin" 10 >"$T/out" 2>"$T/err" || :
	assert_match '^ +<not counted> +page-faults +too many open files: fewer events, threads or CPUs, or a higher ulimit -n$' "$T/out"
}
t_case "--stat: how many files may be open" descriptors

by_cpu() {
	cpus=$(getconf _NPROCESSORS_ONLN 2>/dev/null || grep -c '^processor' /proc/cpuinfo)
	run_tracer --stat -a --by cpu -d 0.5 -e cpu-clock --format json
	assert_status 0
	assert_eq "$(grep -c '"cpu":' "$T/out")" "$cpus" "rows"
	sed -n 's/.*"count":\([0-9]*\).*/\1/p' "$T/out" >counts
	while read -r count; do
		assert_between "$count" 490000000 $((1000000000 * T_SCALE)) "ns of a CPU's clock in 0.5 s"
	done <counts
	run_tracer --stat -C 0 --by cpu -d 0.2 -e cpu-clock --format json
	assert_eq "$(sed -n 's/.*"cpu":"\([0-9]*\)".*/\1/p' "$T/out")" 0 "CPUs"
}
t_case "--stat --by cpu: a row for each CPU, of -C alone" by_cpu

# A task that is on another CPU is not one whose counter is shared.
task_by_cpu() {
	[ "$(grep -c '^processor' /proc/cpuinfo)" -ge 2 ] || skip "one CPU here"
	need taskset
	# shellcheck disable=SC2016 # the COMMAND expands it
	set -- sh -c 'taskset -c 0 "$1" 200; taskset -c 1 "$1" 600' sh "$WORKLOADS/spin"
	run_tracer --stat --by cpu -e task-clock -o cpus.json -- "$@"
	assert_status 0
	assert_between "$(grep '"cpu":"0"' cpus.json | count_of task-clock)" 190000000 $((350000000 * T_SCALE)) "ns on CPU 0"
	assert_between "$(grep '"cpu":"1"' cpus.json | count_of task-clock)" 590000000 $((750000000 * T_SCALE)) "ns on CPU 1"
	assert_no_match '"raw":([0-9]+),"enabled_ns":[0-9]+,"running_ns":0' cpus.json
	run_tracer --stat -C 1 -e task-clock --format json -- "$@"
	assert_between "$(grep task-clock "$T/out" | count_of task-clock)" 590000000 $((750000000 * T_SCALE)) "ns on CPU 1, alone"
}
t_case "--stat --by cpu, -C, of a task: its time elsewhere is not added" task_by_cpu

by_thread() {
	need_tracepoints
	start_waiting calls 4 "$WORKLOADS/calls" 0 3 wait pace
	sed -n 's/^[pt]id //p' "$T/calls.out" | sort >tids
	target=$(sed -n 's/^pid //p' "$T/calls.out")
	run_tracer --stat -p "$target" --by tid -d 0.3 -e task-clock --format json
	assert_status 0
	sed -n 's/.*"thread":"\([0-9]*\) calls".*/\1/p' "$T/out" | sort >rows
	assert_eq "$(cat rows)" "$(cat tids)" "threads"
	# they wait still: nothing was counted of any
	assert_eq "$(count_of task-clock <"$T/out")" 0 "ns on the CPU"
}
t_case "--stat --by tid: a row for each thread" by_thread

one_thread() {
	start_waiting calls 4 "$WORKLOADS/calls" 0 3 wait pace
	chosen=$(sed -n 's/^tid //p' "$T/calls.out" | tail -n 1)
	run_tracer --stat -t "$chosen" --by tid -d 0.1 -e task-clock --format json
	assert_status 0
	assert_eq "$(sed -n 's/.*"thread":"\([0-9]*\) calls".*/\1/p' "$T/out")" "$chosen" "threads"
}
t_case "--stat -t: that thread alone" one_thread

intervals() {
	need_tracepoints
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer --stat --interval 100ms -e sched:sched_process_fork,task-clock --format json -- \
		sh -c 'for i in 1 2 3 4 5; do "$1" 3 1; sleep 0.1; done' sh "$WORKLOADS/forks"
	assert_status 0
	# of the shell 10, and 3 of each
	assert_eq "$(count_of sched:sched_process_fork <"$T/out")" 25 "forks in all intervals together"
	assert_between "$(grep -c sched_process_fork "$T/out")" 4 100 "intervals"
	run_tracer --stat --interval 100ms -d 0.35 -e task-clock -- "$WORKLOADS/spin" 1000
	assert_match '^# +time +count  unit   event +share$' "$T/out"
	assert_between "$(grep -cE '^ +[0-9.]+ +.*  msec   task-clock ' "$T/out")" 2 5 "lines"
	assert_eq "$(grep -c '^#' "$T/out")" 2 "lines of the header"
	# each covers what the others do not
	run_tracer --stat --interval 50ms -d 0.4 -e task-clock --format json -- "$WORKLOADS/spin" 1000
	sed -n 's/.*"time":\([0-9.]*\),"seconds":\([0-9.]*\),.*/\1 \2/p' "$T/out" |
		awk '{ sum += $2; if (sum - $1 > 1e-6 || $1 - sum > 1e-6) wrong++ } END { print (NR > 2), wrong + 0 }' >verdict
	assert_eq "$(cat verdict)" "1 0" "more than two intervals, and how many do not begin where the one before ends"
}
t_case "--stat --interval: what was counted since the last line" intervals

# Who reads them need not wait for the end, nor stay until then.
read_meanwhile() {
	mkfifo reader
	# shellcheck disable=SC2016 # the inner shell expands it
	start tracer sh -c '"$1" --stat -a --interval 20ms -e cpu-clock -d 60 >reader; echo "status $?" >&2' sh "$TRACER"
	head -n 4 <reader >lines
	wait_for 20 is_gone "$pid"
	assert_lines lines 4
	assert_eq "$(cat "$T/tracer.err")" "status 0" "said"
}
t_case "--stat --interval: lines come when they are made, and a reader may leave" read_meanwhile

# A cgroup of v1's own hierarchy, or of the unified one.
cgroup() {
	root=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,perf_event,/ { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || skip "no cgroup hierarchy is mounted"
	grep -q '^perf_event.*1$' /proc/cgroups || skip "this kernel counts no cgroups"
	# v2 gives a cgroup perf_event only where some controller has been enabled above it, as systemd does
	[ ! -e "$root/cgroup.subtree_control" ] || echo +pids >"$root/cgroup.subtree_control" 2>/dev/null || :
	mkdir "$root/tracer-test-$$" 2>/dev/null || skip "no cgroup can be made here"
	trap 'rmdir "$root/tracer-test-$$"' EXIT
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer --stat -G "tracer-test-$$" -e cpu-clock,task-clock --format json -- \
		sh -c 'echo $$ >"$1/cgroup.procs" && "$2" 500 && echo $$ >"$3/cgroup.procs"' sh "$root/tracer-test-$$" "$WORKLOADS/spin" "$root"
	assert_status 0
	spun=$(awk '/^tid/ { for (i = 1; i < NF; i++) if ($i == "cpu") print $(i + 1) }' "$T/out")
	counted=$(count_of task-clock <"$T/out")
	assert_between "$((counted / 1000))" "$spun" $((spun * 110 / 100 + 50000 * T_SCALE)) "us of the cgroup"
	mkdir "$root/tracer-test-$$/idle"
	trap 'rmdir "$root/tracer-test-$$/idle" "$root/tracer-test-$$"' EXIT
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer --stat -G "tracer-test-$$/idle" -G "tracer-test-$$" -e task-clock --format json -- \
		sh -c 'echo $$ >"$1/cgroup.procs" && "$2" 100 && echo $$ >"$3/cgroup.procs"' sh "$root/tracer-test-$$" "$WORKLOADS/spin" "$root"
	assert_status 0
	sed -n 's/.*"cgroup":"\([^"]*\)".*/\1/p' "$T/out" >rows
	assert_eq "$(cat rows)" "$(printf 'tracer-test-%s/idle\ntracer-test-%s' $$ $$)" "cgroups"
	assert_eq "$(grep '/idle"' "$T/out" | count_of task-clock)" 0 "ns in the cgroup that nobody is in"
	assert_between "$(grep -v '/idle"' "$T/out" | count_of task-clock)" 100000000 60000000000 "ns in the other"
	run_tracer --stat -G no-such-group -e cpu-clock -d 1
	assert_status 1
	assert_match '^tracer: -G no-such-group: .*/no-such-group: No such file or directory \(a path below /' "$T/err"
}
t_case "-G: what runs in a cgroup is counted" cgroup

unprivileged() {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] || skip "this kernel lets everybody count in the kernel"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "this kernel lets nobody count (kernel.perf_event_paranoid above 2)"
	status=0
	"$WORKLOADS/unprivileged" "$TRACER" --stat -e task-clock,page-faults,context-switches -- "$WORKLOADS/spin" 50 >"$T/out" 2>"$T/err" || status=$?
	assert_status 0
	assert_match '^ +[0-9.]+  msec   task-clock:u +100\.0 %  ' "$T/out"
	assert_match '^ +[0-9,]+ +page-faults:u +100\.0 %  ' "$T/out"
	# counted in user space alone it would be 0, which is no measurement
	status=0
	"$WORKLOADS/unprivileged" "$TRACER" --stat -e page-faults:k -- "$WORKLOADS/spin" 10 >k.out 2>&1 || status=$?
	assert_status 1
	assert_match 'page-faults:k: not permitted' k.out
	assert_match '^ +<not counted> +context-switches +not permitted: it needs cap_perfmon, or a lower kernel\.perf_event_paranoid$' "$T/out"
}
t_case "--stat without privileges: user space is said, and nothing is counted as 0" unprivileged

labels() {
	run_tracer --stat -e '{page-faults,page-faults}:u,page-faults:k,page-faults' -- "$WORKLOADS/spin" 10
	assert_status 0
	assert_eq "$(grep -cE ' page-faults:u +100' "$T/out") $(grep -cE ' page-faults:k +100' "$T/out") $(grep -cE ' page-faults +100' "$T/out")" "2 1 1" "rows"
}
t_case "--stat: a name says what is left out" labels

mistakes() {
	run_tracer --stat -e no-such-event -- true
	assert_status 2
	assert_match '^tracer: -e .*no-such-event' "$T/err"
	run_tracer --stat -e 'cpu-clock,software/nonsense=1/' -- true
	assert_status 2
	assert_match '^tracer: -e .*nonsense' "$T/err"
	run_tracer --stat -e cpu-clock -C 4000 -- true
	assert_status 1
	assert_match '^tracer: -C: CPU 4000 is not online' "$T/err"
	run_tracer --stat -- ./no-such-program
	assert_status 1
	run_tracer --stat -e cpu-clock -o no-such-folder/x.txt -- true
	assert_status 1
	assert_match '^tracer: -o no-such-folder/x.txt: No such file or directory$' "$T/err"
	run_tracer --stat -e cpu-clock -- sh -c 'exit 7'
	assert_status 7
}
t_case "--stat: mistakes, and the COMMAND's own status" mistakes
