#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The AUX area, of a PMU that writes words 1, 2, 3, ... there: tests/vm/pmu, a module for the kernel of a VM.
# aux_count accounts for every word and fails when it cannot; here is what each run must have met.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

pmu=/sys/bus/event_source/devices/tracer_test

# tests/vm/boot leaves the module in $T_MODULES, or the reason why there is none.
need_pmu() {
	[ -n "${T_MODULES:-}" ] || skip "the test PMU is a module for the kernel of a VM (tests/run vm)"
	[ -e "$T_MODULES/tracer_test_pmu.ko" ] || skip "no test PMU: $(cat "$T_MODULES/why")"
	[ -d "$pmu" ] || insmod "$T_MODULES/tracer_test_pmu.ko"
}

count() {
	need_pmu
	"$WORKLOADS/aux_count" "$@" >"$T/out" || fail "aux_count $*: status $?"
	cat "$T/out"
}

# A value that aux_count printed.
value() { awk -v name="$1" '$1 == name { print $2 }' "$T/out"; }

format() {
	need_pmu
	assert_eq "$(cat $pmu/format/words)" "config:0-15"
	assert_eq "$(cat $pmu/format/interval)" "config:16-47"
	assert_eq "$(cat $pmu/format/flags)" "config1:0-15"
	assert_eq "$(cat $pmu/format/every)" "config1:16-31"
	assert_eq "$(cat $pmu/format/offset)" "config1:32"
}
t_case "AUX: the test PMU has the format that its reader assumes" format

# Twice round an area that holds 2 s of it, of which the kernel leaves one: nothing needs to be lost.
full() {
	count -a 2048 -w 512 -i 4000 600000
	assert_eq "$(value lost)" 0 lost
	assert_eq "$(value gaps)" 0 gaps
	assert_eq "$(value truncated)" 0 truncated
	assert_eq "$(value bytes)" $(($(value made) * 8)) bytes
	assert_between "$(value high_water)" 1048576 2097152 "high water, as the kernel wakes at half"
}
t_case "AUX, full mode: every byte is read, in order" full 120

# 25 times round the smallest that all kernels allow.
smallest() {
	count -a 8 -w 8 -i 500 -r 1000 -d 1 25600
	assert_eq "$(value size)" 8192
	assert_between "$(value made)" 25600 30000
}
t_case "AUX, full mode: an area of two pages, read in small rounds" smallest

slow() {
	count -a 16 -d 100 100000
	assert [ "$(value truncated)" -gt 3 ]
	assert [ "$(value resumed)" -gt 3 ]
	assert [ "$(value gaps)" -gt 3 ]
	assert_between "$(value lost)" "$(value gaps)" "$(value made)" lost
	assert_between "$(value high_water)" 16320 16384 "high water"
}
t_case "AUX, full mode: what a slow reader loses is truncated and counted" slow 120

small_rounds() {
	count -a 64 -r 4096 -d 20 60000
	assert [ "$(value truncated)" -gt 0 ]
	assert [ "$(value lost)" -gt 0 ]
}
t_case "AUX, full mode: rounds too small to keep up" small_rounds 120

# PARTIAL and COLLISION, on each third record.
flags() {
	count -a 256 -f 12 -e 3 30000
	assert_between "$(value partial)" $(($(value records) / 3 - 1)) $(($(value records) / 3 + 1)) partial
	assert_eq "$(value collision)" "$(value partial)" collision
	assert [ "$(value partial)" -gt 10 ]
}
t_case "AUX, full mode: PARTIAL and COLLISION are told and counted" flags

# The kernel disables an event whose record says so, whatever the reason.
stopped() {
	count -a 256 -f 1 -e 20 20000
	assert [ "$(value truncated)" -gt 5 ]
	assert [ "$(value resumed)" -gt 5 ]
	assert_eq "$(value lost)" 0 lost
}
t_case "AUX, full mode: an event that the kernel stopped goes on" stopped

full_task() {
	count -t -a 1024 40000
	assert [ "$(value itrace_starts)" -gt 1 ] # one each time that it comes to a CPU
	assert_eq "$(value lost)" 0 lost
}
t_case "AUX, full mode: of a thread that comes and goes" full_task 120

slow_task() {
	count -t -a 16 -d 100 60000
	assert [ "$(value truncated)" -gt 3 ]
	assert [ "$(value lost)" -gt 0 ]
}
t_case "AUX, full mode: of a thread, with a slow reader" slow_task 120

snapshot() {
	count -s -n 3 -a 64 30000
	assert_eq "$(value bytes)" $((3 * 65536)) bytes
	assert_eq "$(grep -c '^snapshot ' "$T/out")" 3 snapshots
}
t_case "AUX, snapshot mode: the last words, without a gap" snapshot

snapshot_early() {
	count -s -n 1 -a 1024 5000
	assert_match '^snapshot 1 ' "$T/out"
	assert_between "$(value bytes)" 40000 1040000 bytes
}
t_case "AUX, snapshot mode: before the area is full" snapshot_early

snapshot_offset() {
	count -s -o -n 3 -a 64 30000
	assert_eq "$(value bytes)" $((3 * 65536)) bytes
	count -s -o -n 1 -a 1024 5000
	assert_match '^snapshot 1 ' "$T/out"
}
t_case "AUX, snapshot mode: of a PMU whose head starts again" snapshot_offset

snapshot_rounds() {
	count -s -n 2 -a 64 -r 1000 20000
	assert_eq "$(value bytes)" $((2 * 65536)) bytes
}
t_case "AUX, snapshot mode: read in rounds" snapshot_rounds

snapshot_task() {
	count -s -t -n 3 -a 64 20000
	assert_eq "$(value bytes)" $((3 * 65536)) bytes
}
t_case "AUX, snapshot mode: of a thread that comes and goes" snapshot_task 120

# ---- the tracer itself: what it writes into a perf.data ------------------------------------------------

# traced ARG...: records into x.data, and accounts for its words
traced() {
	need_pmu
	run_tracer -o x.data "$@"
	assert_status 0
	words_of x.data
}
words_of() {
	"$WORKLOADS/aux_words" "$1" >"$T/out" || fail "aux_words: $(tail -n 1 "$T/err")"
	cat "$T/out"
	assert_eq "$(value unsaid)" 0 "gaps that no record speaks of"
}

written() {
	traced -e tracer_test/words=512,interval=4000/ -a --aux-size 1M -d 3
	assert_eq "$(value gaps)" 0 gaps
	assert_eq "$(value bytes)" "$(value record_bytes)" bytes
	assert_eq "$(value areas)" "$(nproc)" areas
	assert [ "$(value words)" -gt 10000 ]
	assert_match "^tracer: AUX areas: $(value bytes) bytes of $(nproc) areas of 1024 KiB" "$T/err"
	assert_no_match 'truncated' "$T/err"
}
t_case "AUX by tracer, full mode: every byte is in the file" written 120

# An area of two pages, which a tick fills: most is lost, and every gap is where a record says so.
written_truncated() {
	lost=$(cat $pmu/words_lost 2>/dev/null || echo 0)
	traced -e tracer_test/words=1000,interval=1000/ -C 0 -a --aux-size 8K -d 3
	assert [ "$(value truncated)" -gt 3 ]
	assert [ "$(value gaps)" -gt 3 ]
	assert_eq "$(value bytes)" "$(value record_bytes)" bytes
	assert_eq $(($(value words) + $(value missing))) "$(value last)" "words, read and missing"
	lost=$(($(cat $pmu/words_lost) - lost))
	assert_between "$(value missing)" 1 "$lost" "missing words, of those that the PMU lost"
	assert_match "^tracer: warning: AUX areas: truncated $(value truncated) times" "$T/err"
}
t_case "AUX by tracer, full mode: what had no room is truncated, and said" written_truncated 120

written_command() {
	traced -e tracer_test/words=64,interval=500/ -e cpu-clock --aux-size 1M -- "$WORKLOADS/spin" 1000
	assert_eq "$(value gaps)" 0 gaps
	assert_eq "$(value bytes)" "$(value record_bytes)" bytes
	assert [ "$(value words)" -gt 500 ]
	run_tracer --replay x.data --count
	assert_status 0
	assert_match 'spin_inner' "$T/out"
}
t_case "AUX by tracer, full mode: of a COMMAND, beside samples" written_command 120

# By SIGUSR2, and one at the end: each is the last words, without a gap.
written_snapshots() {
	need_pmu
	start tracer "$TRACER" -v -e tracer_test/words=64,interval=500/ -C 0 -a --snapshot --aux-size 64K -o x.data
	tracer=$pid
	wait_for 20 grep -q '^tracer: recording' tracer.err
	for wanted in 1 2; do
		wait_for 20 asked_and_grown $((wanted * 4000))
	done
	finish "$tracer" INT
	assert_status 0
	words_of x.data
	assert_between "$(value bytes)" 4000 100000000 bytes
	assert_eq "$(value gaps)" 0 gaps
	assert [ "$(value overwrite)" -ge 2 ]
	assert_match "^tracer: AUX areas: $(value bytes) bytes of 1 areas of 64 KiB, .*, in snapshots" tracer.err
}
asked_and_grown() {
	kill -USR2 "$tracer"
	[ "$(wc -c <x.data)" -ge "$1" ]
}
t_case "AUX by tracer, snapshot mode: on SIGUSR2, and at the end" written_snapshots 120

written_refusals() {
	need_pmu
	run_tracer -e tracer_test/words=64,interval=500/ -a -d 1
	assert_status 1
	assert_match '^tracer: tracer_test/words=64,interval=500/: traces into an AUX area, .* -o FILE\.data' "$T/err"
	run_tracer -e tracer_test/words=64,interval=500/ -m auto -a -d 1 -o x.data
	assert_status 1
	assert_match 'a ring beside an AUX area cannot grow' "$T/err"
}
t_case "AUX by tracer: what cannot hold it is refused" written_refusals

refusals() {
	run_tracer -e cpu-clock --snapshot -o x.data -- true
	assert_status 1
	assert_match '^tracer: --snapshot: no event of -e is of a PMU that has AUX areas' "$T/err"
	run_tracer --aux-size 1M -o x.data -- true
	assert_status 2
	run_tracer -e cpu-clock --aux-size 1K -o x.data -- true
	assert_status 2
}
t_case "AUX by tracer: without a PMU that traces" refusals

unloads() {
	need_pmu
	rmmod tracer_test_pmu
}
t_case "AUX: nothing keeps the PMU when all is closed" unloads
