#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Aiming probes: patterns, functions chosen at run time, where a probe is put, many at once; and what people are
# told when they miss.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# Names are found before the kernel is asked; an emulated CPU has enough to do.
on_this_machine() { [ "$T_SCALE" -eq 1 ] || skip "nothing of it depends on the kernel"; }

# Of each function the number of events in $T/out: "EVENT N" a line, sorted.
counts() { events | column 6 | sort | uniq -c | awk '{ print $2, $1 }'; }

wanted_of_aim() {
	printf 'aim:aim_first%s %d\naim:aim_second%s %d\naim:aim_third%s %d\n' "$2" "$1" "$2" $((2 * $1)) "$2" $((3 * $1))
}

globs() {
	run_tracer --uprobe "$WORKLOADS/aim:aim_[fst][eih]*" -- "$WORKLOADS/aim" 50
	assert_status 0
	assert_summary 300 1
	wanted_of_aim 50 "" >want
	counts >got
	assert cmp want got
	assert_match 'aim_\[fst\]\[eih\]\*: 3 functions$' "$T/err"
}
t_case "a glob: each of its functions, by its own name" globs

regexes() {
	on_this_machine
	run_tracer --uprobe "$WORKLOADS/aim:/^aim_(first|second|third)\$/" -- "$WORKLOADS/aim" 50
	assert_status 0
	wanted_of_aim 50 "" >want
	counts >got
	assert cmp want got
}
t_case "a regular expression" regexes

returns() {
	run_tracer --uretprobe "$WORKLOADS/aim:/^aim_(first|second|third)\$/" -- "$WORKLOADS/aim" 50
	assert_status 0
	wanted_of_aim 50 %return >want
	counts >got
	assert cmp want got
	# each returns its argument plus one
	assert_eq "$(events | grep first | details | sed 's/ <-.*//' | head -n 3 | tr '\n' ' ')" "= 1 = 2 = 3 " values
}
t_case "returns of all functions of a pattern" returns

aggregated() {
	run_tracer --uprobe "$WORKLOADS/aim:/^aim_(first|second|third)\$/" --count -o count.txt --format count -- \
		"$WORKLOADS/aim" 50
	assert_status 0
	for row in "50 .*aim_first" "100 .*aim_second" "150 .*aim_third"; do assert_match "^ *$row\$" count.txt; done
}
t_case "functions of a pattern, added up in the kernel" aggregated

chosen() {
	run_tracer -g --uprobe "$WORKLOADS/aim:aim_chosen" -- "$WORKLOADS/aim" 60
	assert_status 0
	assert_summary 60 1
	assert_eq "$(counts)" "aim:aim_chosen 60"
	assert_match 'aim_chosen is chosen at run time \(IFUNC\): all 2 ' "$T/err"
	assert_eq "$(grep -c 'chosen_positive' "$T/out")" 60 "stacks in the implementation"
}
t_case "a function chosen at run time (IFUNC): every call" chosen

# strlen, in whatever form this CPU gets; others call it too, so only the calls of ours are counted.
chosen_in_libc() {
	for form in "strlen s" "memcmp s" "strchr s" "memchr s" "strcasecmp s"; do
		# shellcheck disable=SC2086 # two words
		set -- $form
		run_tracer --uprobe "libc:$1" -- "$WORKLOADS/call" 40 libc.so.6 "$1" "$2"
		assert_status 0
		assert_eq "$(count_events ' <- call_it\+0x')" 40 "calls of $1"
	done
}
t_case "IFUNCs of libc: every call" chosen_in_libc

# The wrong place would be hit three times a call.
entry_in_loop() {
	for place in "" --exact-address; do
		# shellcheck disable=SC2086 # a word or none
		run_tracer $place --uprobe "$WORKLOADS/aim:aim_loop" -- "$WORKLOADS/aim" 30
		assert_status 0
		assert_summary 30 1
	done
}
t_case "a loop that begins behind endbr64 is not taken for calls" entry_in_loop

has_avx() { grep -q '^flags.* avx ' /proc/cpuinfo; }

vector_entry() {
	[ "$(uname -m)" = x86_64 ] || skip "AVX is x86-64's"
	# without cookies a probe cannot be told from the place that was meant, but here it must move all the same
	run_tracer --uprobe "$WORKLOADS/aim:aim_vector" -- "$WORKLOADS/aim" 30
	assert_status 0
	if has_avx; then assert_summary 30 1; fi
	run_tracer --exact-address --uprobe "$WORKLOADS/aim:aim_vector" -- "$WORKLOADS/aim" 30
	assert_status 1
	assert_match 'aim_vector begins with an AVX instruction' "$T/err"
	run_tracer --exact-address --uprobe "$WORKLOADS/aim:/^aim_(vector|first)\$/" -- "$WORKLOADS/aim" 30
	assert_status 0
	assert_match 'warning: .* left out: aim_vector at 0x[0-9a-f]+, .*not seen' "$T/err"
	assert_eq "$(counts)" "aim:aim_first 30"
}
t_case "an entry that the kernel cannot probe: the next instruction, or refused" vector_entry

# Frames of our own program (others lie elsewhere in the next run), and the callers.
frames_and_callers() { sed -n 's/.*<- //p; /(aim)$/p' "$T/out" | sort -u; }

# Where the kernel can tell, a probe goes behind endbr64; what is reported is the same.
placed() {
	[ "$(uname -m)" = x86_64 ] || skip "endbr64 is x86-64's"
	run_tracer -v -g --uprobe "$WORKLOADS/aim:aim_first" -- "$WORKLOADS/aim" 20
	assert_status 0
	assert_summary 20 1
	if kernel_at_least 5 15; then
		assert_match 'aim_first at 0x[0-9a-f]+, .* \(moved on, to see the same\)' "$T/err"
	else
		assert_no_match 'moved on' "$T/err"
	fi
	frames_and_callers >moved
	run_tracer -v -g --exact-address --uprobe "$WORKLOADS/aim:aim_first" -- "$WORKLOADS/aim" 20
	assert_status 0
	assert_summary 20 1
	assert_no_match 'moved on' "$T/err"
	assert_match '	  0x[0-9a-f]+ aim_first\+0x0 \(aim\)' "$T/out"
	frames_and_callers >exact
	assert cmp moved exact
}
t_case "a probe behind endbr64 reports what one on it does; --exact-address" placed

# Each of 1,000 functions by its name, however the kernel attaches them.
thousand() {
	run_tracer --uprobe "$WORKLOADS/many:many_*" -- "$WORKLOADS/many" 3
	assert_status 0
	assert_summary 3000 1
	awk 'BEGIN { for (i = 0; i < 1000; i++) printf "many:many_%03d 3\n", i }' >want
	counts >got
	assert cmp want got
}
t_case "1,000 functions at once, each by its own name" thousand 300

# ---- what people are told ---------------------------------------------------------------------

refuses() {
	message=$1
	shift
	run_tracer "$@" -- "$WORKLOADS/aim"
	assert_status 1
	assert_match "^tracer: .*$message" "$T/err"
	assert_eq "$(count_events .)" 0 events
}

near_misses() {
	on_this_machine
	refuses 'there is no function aim_frist .*near it: aim_first' --uprobe "$WORKLOADS/aim:aim_frist"
	refuses 'there is no function AIM_THIRD .*near it: aim_third' --uprobe "$WORKLOADS/aim:AIM_THIRD"
}
t_case "a mistyped name: what is near it" near_misses

no_match() {
	on_this_machine
	refuses 'no function matches nothing\*' --uprobe "$WORKLOADS/aim:nothing*"
	refuses 'no function matches /\^nothing/' --uprobe "$WORKLOADS/aim:/^nothing/"
	refuses 'is not a regular expression: ' --uprobe "$WORKLOADS/aim:/(/"
	refuses 'an offset needs one function, not a pattern' --uprobe "$WORKLOADS/aim:aim_*+4"
}
t_case "patterns that match nothing, or are none" no_match

ambiguous() {
	on_this_machine
	refuses 'there are 2 functions named same_name, at 0x[0-9a-f]+, 0x[0-9a-f]+; .*by a pattern' \
		--uprobe "$WORKLOADS/twice:same_name"
	run_tracer --uprobe "$WORKLOADS/twice:/^same_name\$/" --count -o count.txt --format count -- "$WORKLOADS/twice"
	assert_status 0
}
t_case "a name of several functions" ambiguous

# What nobody maps the kernel does not look at by itself: the probe would be there, and never fire.
refused_unmapped() {
	[ "$(uname -m)" = x86_64 ] || skip "the instruction is x86-64's"
	need gcc
	cat >refused.c <<'END'
__asm__(".globl refused\n.type refused, %function\nrefused: lock decl (%rsp)\n ret\n.size refused, . - refused\n");
END
	gcc -shared -o refused.so refused.c
	run_tracer --uprobe ./refused.so:refused -- true
	assert_status 1
	assert_match 'the kernel cannot put a probe on the instruction at file offset 0x' "$T/err"
}
t_case "a place that the kernel would refuse later, in a file that nobody maps" refused_unmapped

# A function that begins with a lock prefix: the kernel refuses it, alone and among others.
refused_by_kernel() {
	[ "$(uname -m)" = x86_64 ] || skip "the instruction is x86-64's"
	run_tracer --uprobe "libc:pthread_spin_lock" -- true
	assert_status 1
	assert_match 'the kernel cannot put a probe on the instruction at file offset 0x' "$T/err"
	run_tracer --uprobe "libc:/^pthread_spin_(lock|unlock)\$/" -- "$WORKLOADS/call" 30 libc.so.6 pthread_spin_unlock s
	assert_status 0
	assert_match 'warning: .* left out: pthread_spin_lock at 0x.* not seen$' "$T/err"
	assert_eq "$(count_events 'pthread_spin_unlock .* <- call_it\+')" 30 "calls of the other"
}
t_case "a place that the kernel refuses: said, and left out of many" refused_by_kernel
