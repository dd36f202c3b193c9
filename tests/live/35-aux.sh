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

unloads() {
	need_pmu
	rmmod tracer_test_pmu
}
t_case "AUX: nothing keeps the PMU when all is closed" unloads
