#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Where a stack cannot be walked, the walk ends, and the stack is marked. Nothing is called complete that
# is not, whatever the tables or the stack say.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"
# shellcheck source=tests/live/stacks.sh
. "$(dirname "$0")/stacks.sh"

FRAMES='recurse_leaf recurse_down recurse_down recurse_down recurse_down main'

# Names of the program's own functions, and "end" or "[...]", for the one event of recurse.
own_names() {
	stacks_of stacks.txt | awk -v module="$1" '{
		for (i = 1; i + 2 <= NF && $i ~ /^0x/; i += 3)
			if ($(i + 2) == module && $(i + 1) != "_start")
				printf "%s ", $(i + 1)
		print $NF == "end" ? "end" : "marked"
	}'
}

trace_recurse() {
	need_workload "$1"
	run_tracer -g --uprobe "$WORKLOADS/$1:recurse_leaf" -o stacks.txt -- "$WORKLOADS/$1" 3
	assert_status 0
	assert_summary 1 1
	names=$(own_names "$1")
}

intact() {
	for name in recurse-no-fp recurse-no-fp-no-header recurse-fp-no-header; do
		trace_recurse "$name"
		assert_eq "$names" "$FRAMES end" "$name"
	done
}
t_case "tables without their index, .eh_frame_hdr, are as good" intact

# What can be told from the code itself is; the rest is left out, or guessed by frame pointers where there
# are some.
without() {
	for way in removed zeros halved swapped ones; do
		for kind in fp no-fp; do
			trace_recurse "recurse-$kind-$way"
			echo "recurse-$kind-$way: $names"
			case "$kind $names" in
			*" $FRAMES end" | *" $FRAMES marked") continue ;;
			*"recurse_leaf recurse_down "*marked) ;;
			*) fail "recurse-$kind-$way: $names" ;;
			esac
			# without frame pointers, a guess may be anything
			case "$kind $FRAMES " in
			"fp ${names%marked}"* | no-fp*) ;;
			*) fail "recurse-$kind-$way: a wrong frame: $names" ;;
			esac
		done
	done
}
t_case "tables that are gone, cut or garbage: the stack is right or marked" without

# The program itself is no witness without its tables, but it does the same with them, at the same addresses.
# A guess may be wrong; what is called complete may not.
hard_without() {
	need_some backtraces-gcc-O0_removed backtraces-gcc-O3_removed backtraces-clang-O2_removed
	for variant in $built; do
		variant=${variant%_removed}
		program=$WORKLOADS/$variant
		"$program" 0 | grep -v ' timer ' >own.txt
		own_stacks own.txt >own
		run_tracer -m 16M -g --uprobe "${program}_removed:traced_here" --args none -o stacks.txt -- "${program}_removed" \
			$((250 * T_SCALE))
		assert_status 0
		stacks_by_index stacks.txt | sed "s/${variant}_removed/$variant/g" | grep ' end$' >theirs || :
		assert_between "$(grep -c . theirs)" 1 100000 "complete stacks"
		awk 'NR == FNR { own[$1] = $0; next } $1 in own && own[$1] != $0 { print; print own[$1] }' own theirs >wrong
		[ ! -s wrong ] || fail "$variant: complete, but wrong: $(head -n 1 wrong)"
	done
}
t_case "without tables, wherever stacks are hard to walk: none is complete and wrong" hard_without

# Index and what the frames are, of each event of smashed.
smashed() {
	need_workload smashed
	run_tracer -g --uprobe "$WORKLOADS/smashed:traced_here" --args none -o stacks.txt "$@" -- "$WORKLOADS/smashed"
	assert_status 0
	assert_summary 11 1
	stacks_by_index stacks.txt >theirs
	assert_lines theirs 11
	while read -r index what; do
		line=$(grep "^$index " theirs)
		case $what in
		intact) wanted='^11 0x[0-9a-f]+ smashed 0x[0-9a-f]+ smashed .*libc.* smashed end$' ;;
		return-zero) wanted='^1 0x[0-9a-f]+ smashed \[zero return address\]$' ;;
		return-to-function) wanted='^6 0x[0-9a-f]+ smashed .*\]$' ;;
		return-*) wanted='^[0-9]+ 0x[0-9a-f]+ smashed 0x[0-9a-f]+ \[unknown\] \[not an address of code\]$' ;;
		frame-*) wanted='^[0-9]+ 0x[0-9a-f]+ smashed 0x[0-9a-f]+ smashed \[.*\]$' ;;
		esac
		printf '%s\n' "$line" | grep -qE "$wanted" || fail "$what: $line"
	done <out
}
t_case "a return address or frame pointer that was overwritten ends the walk" smashed

smashed_frame_pointers() {
	need_workload smashed
	run_tracer -g --call-graph fp --uprobe "$WORKLOADS/smashed:traced_here" --args none -o stacks.txt -- "$WORKLOADS/smashed"
	assert_status 0
	assert_summary 11 1
	assert_match '^tracer: user stacks 0\.0 % complete ' "$T/err"
}
t_case "the same by frame pointers: none is called complete" smashed_frame_pointers

# ---- tables that are late, or too many ---------------------------------------------------------

# A ring that has no room for a copy of a stack: what is not known yet is said, and nothing is lost or wrong.
# The stack is larger than the whole ring; the tracer stands still while the program has its only event, so that
# nobody has described it.
no_room_for_copies() {
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer -v -m 4K -g --uprobe "$WORKLOADS/recurse:recurse_leaf" -o stacks.txt -- \
		sh -c 'kill -STOP $PPID; "$1" 200; kill -CONT $PPID' sh "$WORKLOADS/recurse"
	assert_status 0
	assert_match '^tracer: unwind tables: .* 0 stacks came as copies' "$T/err"
	assert_summary 1 1
	stacks_of stacks.txt >words
	assert_lines words 1
	assert_match '^0x[0-9a-f]+ recurse_leaf recurse .* \[unwind table not ready\]$' words
	run_tracer -v -g --uprobe "$WORKLOADS/recurse:recurse_leaf" -o stacks.txt -- "$WORKLOADS/recurse" 200
	stacks_of stacks.txt >words
	assert_match '^0x[0-9a-f]+ recurse_leaf .* main recurse .* _start recurse end$' words
	assert_eq "$(tr ' ' '\n' <words | grep -c '^recurse_down$')" 201 "frames of the recursion"
}
t_case "no room for copies of stacks: said, and nothing lost" no_room_for_copies

# A child has what its parent has: only those of the first moments may have been too early.
children() {
	run_tracer -v --uprobe "$WORKLOADS/forks:traced_function" --count -o counts.txt -- "$WORKLOADS/forks" 40 5
	assert_status 0
	assert_summary 205 41
	assert_match '^tracer: user stacks 100\.0 % complete$' "$T/err"
	copies=$(sed -n 's/^tracer: unwind tables: .*; \([0-9]*\) stacks came as copies$/\1/p' "$T/err")
	assert_between "$copies" 0 $((10 * T_SCALE)) "stacks of 41 processes that came as copies"
}
t_case "forked children are walked with their parents' tables" children

# Tables beyond --unwind-mem: which, is said, and no stack through them is called complete.
memory_limit() {
	need clang
	run_tracer -v --unwind-mem 1M --uprobe libc:malloc --count -o counts.txt -- clang --version
	assert_status 0
	assert_match '^tracer: warning: [0-9]+ objects without an unwind table: no room \(a larger --unwind-mem helps\)$' "$T/err"
	assert_match '^tracer: unwind tables: [0-9]+ of (0|1024) KiB' "$T/err"
	assert_match '^tracer: user stacks .* no unwind table: .*libLLVM' "$T/err"
	assert_eq "$(awk '/^ +[0-9]+ / { through = 0 } /\(libLLVM[^)]*\)$/ { through = 1 }
		/_start \(clang/ && through { n++ } END { print n + 0 }' counts.txt)" 0 "stacks that came through it"
	run_tracer --uprobe libc:malloc --count -o counts.txt -- clang --version
	assert_no_match 'no room' "$T/err"
}
t_case "--unwind-mem: what has no room is named" memory_limit
