#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Breakpoints on variables that are not simply there: behind pointers, thread-local, longer than a debug
# register or askew, of libraries that are loaded later; and on how much of the target they are.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

need_breakpoints() { have_breakpoints || skip "hardware breakpoints do not fire here"; }

# start_watched LINES ARG...: the workload, when it has printed so many lines; sets $target.
start_watched() {
	watched_lines=$1
	shift
	start_waiting target "$watched_lines" "$WORKLOADS/watched" "$@"
	target=$pid
}

# end_watched [GO]: lets it run, and sees that it ends as it always does; then the tracer ends.
end_watched() {
	let_go target
	finish "$target"
	assert_eq "$status" 7 "the target's own status"
	finish "$tracer"
	assert_status 0
}

events_got() { events_of tracer.out >got; }

# stores_of NAME FUNCTION N [NUMBER]: exactly N events of that name, old -> new from 0 on, all in FUNCTION. A part of a
# variable has no type: its numbers are hexadecimal.
stores_of() {
	grep -E "  $1 +w " got | details | sed -n 's/^w \(.*\) in \([a-z_]*\)+.*/\1 \2/p' >stores
	awk -v n="$3" -v fn="$2" -v number="${4:-%d}" 'BEGIN {
		for (i = 1; i <= n; i++) printf number " -> " number " %s\n", i - 1, i, fn
	}' >want
	assert cmp want stores
}

# ---- pointers -----------------------------------------------------------------------------------

pointers() {
	need_breakpoints
	start_watched 2 50
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:head->next->value" \
		--breakpoint "$WORKLOADS/watched:*counted:w"
	end_watched
	events_got
	assert_eq "$(grep -c . got)" 100 "events"
	stores_of 'watched:head->next->value' store_value 50
	stores_of 'watched:\*counted' store_counted 50
	assert_match '^tracer: .*watched:head->next->value: watched at 0x[0-9a-f]+ of process [0-9]+' tracer.err
}
t_case "what pointers lead to, at the start" pointers

# What C takes for the same place is the same place.
spellings() {
	need_breakpoints
	start_watched 2 20
	# shellcheck disable=SC2043
	for where in '*head[0].next[0].value/8' 'head[0].next->value'; do
		case $where in
		\**) # the star is about all that follows, and value is no pointer
			status=0
			"$TRACER" -p "$target" --breakpoint "$WORKLOADS/watched:$where" 2>"$T/err" >"$T/out" || status=$?
			assert_status 1
			assert_match 'this is no pointer that could be followed' "$T/err"
			;;
		*) start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:$where" ;;
		esac
	done
	end_watched
	events_got
	assert_eq "$(grep -c ' 19 -> 20 in store_value' got)" 1 "the last store"
	assert_eq "$(grep -c . got)" 20 "events"
}
t_case "a pointer with an index, and a star" spellings

pointers_refused() {
	need_breakpoints
	start_watched 2 1
	while IFS='|' read -r part message; do
		run_tracer -p "$target" --breakpoint "$WORKLOADS/watched:$part:w"
		assert_status 1
		assert_match "$message" "$T/err"
	done <<'TABLE'
nothing->value|the pointer at 0x[0-9a-f]+ of process [0-9]+ is NULL now
*nothing|is NULL now
broken->value|holds 0x10, where no memory is to be read
*broken|holds 0x10, where no memory is to be read
head->next->next->next->value|is NULL now
head->value->key|this is no pointer that could be followed: ->key
head.next|a pointer's members are behind ->, not \.: next
head->nextt|there is no member nextt
pair->low|this is no pointer that could be followed: ->low
*pair|this is no pointer that could be followed: \*pair
**counted|this is no pointer that could be followed: \*\*counted
TABLE
	run_tracer --breakpoint "$WORKLOADS/watched:head->key" -- "$WORKLOADS/watched" 1 </dev/null
	assert_status 1
	assert_match 'is NULL now.*COMMAND has set none' "$T/err"
	assert_no_match '^pid ' "$T/out"
	let_go target
	finish "$target"
	assert_status 7
}
t_case "pointers that lead nowhere are refused with what they hold" pointers_refused

# ---- values in the variable's own type ---------------------------------------------------------

# values_of NAME: what stores changed, without addresses.
values_of() {
	events | grep -E "  typed:$1 +w " | details | sed -E 's/^w (.*) in typed_set\+0x[0-9a-f]+ at typed\.c:[0-9]+ <- main\+.*/\1/; s/0x[0-9a-f]{5,} /ADDR /g' |
		tr '\n' ';'
}

types() {
	need_breakpoints
	set --
	for name in state ratio single is_on; do
		set -- "$@" --breakpoint "$WORKLOADS/typed:$name"
	done
	run_tracer "$@" -- "$WORKLOADS/typed"
	assert_status 0
	assert_summary 12 1
	assert_eq "$(values_of state)" 'IDLE -> IDLE;IDLE -> BUSY;BUSY -> BUSY;' enumeration
	case $(uname -m) in
	aarch64) # before the store is made, and of vector registers nothing is known
		assert_eq "$(values_of ratio)" '0 -> 0;0 -> ?;0.25 -> ?;' double
		assert_eq "$(values_of single)" '0 -> 0;0 -> ?;1.5 -> ?;' float
		;;
	*)
		assert_eq "$(values_of ratio)" '0 -> 0;0 -> 0.25;0.25 -> 0.5;' double
		assert_eq "$(values_of single)" '0 -> 0;0 -> 1.5;1.5 -> 3;' float
		;;
	esac
	assert_eq "$(values_of is_on)" 'false -> false;false -> true;true -> false;' bool
	# the line of the store itself, though x86-64 stands behind it then; a VM has no sources
	source=$(dirname "$0")/../workloads/typed.c
	[ -e "$source" ] || return 0
	line=$(grep -n 'is_on = i & 1' "$source" | sed 's/:.*//')
	assert_eq "$(events | grep -c " typed:is_on .* at typed\.c:$line <- ")" 3 "stores at line $line"
}
t_case "values by type: enumerations, floating point, bool" types

more_types() {
	need_breakpoints
	set --
	for name in handler small letter name.text; do
		set -- "$@" --breakpoint "$WORKLOADS/typed:$name"
	done
	run_tracer "$@" -- "$WORKLOADS/typed"
	assert_status 0
	assert_summary 12 1
	assert_eq "$(values_of handler)" '0x0 -> ADDR <typed_subtract>;ADDR <typed_subtract> -> ADDR <typed_add>;ADDR <typed_add> -> ADDR <typed_subtract>;' "pointer to code"
	assert_eq "$(values_of small)" '0 -> 0;0 -> -1;-1 -> -2;' short
	assert_eq "$(values_of letter)" "0 -> 97 'a';97 'a' -> 98 'b';98 'b' -> 99 'c';" char
	assert_eq "$(values_of name.text)" '"" -> "0";"0" -> "1";"1" -> "2";' "array of characters"
}
t_case "values by type: pointers to code, signs, characters" more_types

# ---- thread-local variables ---------------------------------------------------------------------

# Each thread's own stores to its own copy, from 0 on: stores_by_thread NAME FUNCTION N, for the tids the target printed.
stores_by_thread() {
	sed -n 's/^tid //p' target.out | sort >want
	column 4 <got | sort -u >tids
	assert cmp want tids
	grep -E "  $1 +w " got | awk -v fn="$2" '
		match($0, /w [0-9]+ -> [0-9]+ in /) && $0 ~ " in " fn { n[$4]++; print $4, n[$4], substr($0, RSTART, RLENGTH) }
	' | sort >stores
	awk -v n="$3" '{ for (i = 1; i <= n; i++) printf "%s %d w %d -> %d in \n", $1, i, i - 1, i }' want | sort >wanted
	assert cmp wanted stores
}

thread_local() {
	need_breakpoints
	start_watched 5 20 4
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:local.hits"
	end_watched
	events_got
	stores_by_thread watched:local.hits store_local 20
	# The main thread has a copy, and stores nothing.
	assert_match '^tracer: watched:local.hits: 5 of 5 threads watched$' tracer.err
}
t_case "thread-local: each thread at its own copy" thread_local

thread_local_library() {
	need_breakpoints
	start_watched 5 20 4 library
	start_tracer -p "$target" --breakpoint "$WORKLOADS/libwatched.so:library_local"
	end_watched
	events_got
	stores_by_thread libwatched.so:library_local library_store 20
	# the main thread has not touched it
	assert_match '^tracer: warning: libwatched.so:library_local: 4 of 5 threads watched \(1 without a copy of it\)$' tracer.err
}
t_case "thread-local: of a library, by the threads' own vectors" thread_local_library

# In memory that is there from the thread's beginning, as of libraries that are loaded with the program.
thread_local_preloaded() {
	need_breakpoints
	LD_PRELOAD=$WORKLOADS/libwatched.so
	export LD_PRELOAD
	start_watched 5 20 4 library untouched
	unset LD_PRELOAD
	start_tracer -p "$target" --breakpoint "$WORKLOADS/libwatched.so:library_local"
	end_watched
	events_got
	stores_by_thread libwatched.so:library_local library_store 20
	assert_match '^tracer: libwatched.so:library_local: 5 of 5 threads watched$' tracer.err
}
t_case "thread-local: of a library that was there from the beginning" thread_local_preloaded

thread_local_refused() {
	need_breakpoints
	start_watched 5 1 4 library untouched
	# on arm64 the linker makes room for it in threads' own blocks, as long as there is any
	if [ "$(uname -m)" = x86_64 ]; then
		run_tracer -p "$target" --breakpoint "$WORKLOADS/libwatched.so:library_local:w"
		assert_status 1
		assert_match 'it is thread-local, and no thread has a copy of it yet' "$T/err"
	fi
	run_tracer -p "$target" --breakpoint "$WORKLOADS/watched:local.keyy:w"
	assert_status 1
	assert_match 'there is no member keyy' "$T/err"
	let_go target
	finish "$target"
	assert_status 7
	run_tracer --breakpoint "$WORKLOADS/watched:local.hits" -- "$WORKLOADS/watched" 1 </dev/null
	assert_status 1
	assert_match 'no thread has a copy of it yet' "$T/err"
	assert_no_match '^pid ' "$T/out"
}
t_case "thread-local: no thread has a copy" thread_local_refused

thread_local_later() {
	need_breakpoints
	start_watched 5 10 4 again
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:local.hits" -o events.json
	let_go target
	wait_for 20 has_lines target.out 9
	end_watched
	assert_match '^tracer: warning: watched:local.hits: 5 of 5 threads watched; 4 that began later are not covered' tracer.err
	assert_match '"breakpoints":\[{"source":"watched:local.hits","threads":5,"covered":5,.*"later":4}\]' events.json
	sed -n 's/^tid //p' target.out | sed 4q | sort >first
	sed -n 's/.*"tid":\([0-9]*\).*/\1/p' events.json | sort | uniq -c | awk '{ print $1, $2 }' >got
	sed 's/^/10 /' first >want
	assert cmp want got
}
t_case "thread-local: threads that begin later are counted as not covered" thread_local_later

# ---- variables in several parts -----------------------------------------------------------------

# QEMU reports a watch again when another is hit (see 60-breakpoints.sh), and of several that one store trips
# only the first. Reported again, the value is the same as before.
real_events_got() {
	events_of "${1:-tracer.out}" >all
	cp all got
	[ "$T_SCALE" = 1 ] || awk '{ for (i = 1; i < NF; i++) if ($i == "->" && $(i - 1) == $(i + 1)) next; print }' all >got
}

# Set in time, a breakpoint sees how the dynamic linker clears the variable.
without_loader() {
	grep -v ' <- _dl_\| in _dl_' got >all || :
	mv all got
}

two_parts() {
	need_breakpoints
	start_watched 2 30
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:pair"
	end_watched
	real_events_got
	stores_of watched:pair store_pair 30 0x%x
	stores_of 'watched:pair\+8' store_pair 30 0x%x
	assert_eq "$(grep -c . got)" 60 "events"
	assert_match '^tracer: watched:pair: 1 of 1 thread watched$' tracer.err
}
t_case "16 bytes take two debug registers" two_parts

# 8 bytes from 3 on: 1 + 4 + 2 + 1. One store of 1 .. 200 changes only the lowest byte, but trips all four, or,
# as the CPU may report them, at least the first.
askew() {
	need_breakpoints
	start_watched 2 200
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:packed.value"
	end_watched
	events_got
	assert_eq "$(grep -cE '  watched:packed.value +w .* in store_packed\+' got)" 200 "stores to the lowest byte"
	stores_of watched:packed.value store_packed 200 0x%x
	[ "$T_SCALE" = 1 ] || return 0
	for part in 1 5 7; do
		assert_eq "$(grep -cE "  watched:packed.value\\+$part +w 0x0 -> 0x0 in store_packed\\+" got)" 200 "part $part"
	done
	assert_eq "$(grep -c . got)" 800 "events"
}
t_case "8 bytes at an odd address take four debug registers" askew

too_long() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/race:table:w" -- "$WORKLOADS/race" 1
	assert_status 1
	assert_match 'this is 40 bytes long, and where it lies 4 slots hold (28|32); watch a part of it' "$T/err"
	assert [ ! -s "$T/out" ]
}
t_case "what is too long is refused with what would fit" too_long

# A condition is about the part that was hit.
part_condition() {
	need_breakpoints
	start_watched 2 30
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:pair" --if 'new == 29'
	end_watched
	real_events_got
	assert_eq "$(grep -c . got)" 2 "events"
	assert_eq "$(grep -cE '  watched:pair(\+8)? +w 0x1c -> 0x1d in store_pair\+' got)" 2 "events"
}
t_case "--if on a variable in parts" part_condition

# ---- coverage -----------------------------------------------------------------------------------

# Another tracer has all four registers of one of five threads.
partly() {
	need_breakpoints
	[ "$(uname -m)" = x86_64 ] || skip "the number of debug registers is known on x86-64 only"
	start_watched 5 20 4
	taken=$(sed -n 's/^tid //p' target.out | head -n 1)
	start other "$TRACER" -v -t "$taken" --breakpoint "$WORKLOADS/watched:pair" --breakpoint "$WORKLOADS/watched:packed.tag"
	other=$pid
	wait_for 30 grep -q '^tracer: recording' other.err
	start_tracer -p "$target" --breakpoint "$WORKLOADS/watched:head->next->value"
	end_watched
	finish "$other"
	events_got
	assert_eq "$(grep -c . got)" 60 "events"
	assert_eq "$(column 4 <got | grep -cx "$taken" || :)" 0 "of the thread without"
	assert_match "warning: .*value: 1 of 5 threads are NOT watched; the first: too few debug registers are free on thread $taken, " tracer.err
	assert_match 'no debugger is attached, so perf events of other programs have them, which the kernel does not show' tracer.err
	assert_match '^tracer: warning: watched:head->next->value: 4 of 5 threads watched \(1 without a free debug register\)$' tracer.err
	# the other's, of one thread and its two variables
	assert_match '^tracer: watched:pair: 1 of 1 thread watched$' other.err
	[ "$T_SCALE" != 1 ] || assert_eq "$(events_of other.out | grep -c .)" 40 "events of the other"
}
t_case "a thread without a free debug register is a gap that is told, not a failure" partly

json_coverage() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter" --format json -- "$WORKLOADS/stores" 5 2
	assert_status 0
	assert_match '"type":"summary".*"breakpoints":\[{"source":"stores:counter","threads":1,"covered":1,"ended":0,"no_slot":0,"denied":0,"without":0,"failed":0,"uncertain":0,"later":0}\]' "$T/out"
	run_tracer --uprobe "$WORKLOADS/stores:store_counter" --format json -- "$WORKLOADS/stores" 5
	assert_no_match '"breakpoints"' "$T/out"
}
t_case "json: coverage, where there are breakpoints" json_coverage

# gdb takes three of four registers of one thread; two more are wanted.
debugger() {
	need_breakpoints
	need gdb
	[ "$(uname -m)" = x86_64 ] || skip "the number of debug registers is known on x86-64 only"
	start_watched 2 5
	mkfifo gdb.in
	# shellcheck disable=SC2016 # the inner shell expands it
	start gdb sh -c 'exec gdb -q -p "$1" <gdb.in' sh "$target"
	gdb=$pid
	exec 9>gdb.in
	printf '%s\n' 'set confirm off' 'watch -l pair.low' 'watch -l pair.high' 'watch -l count_of_all' \
		'handle SIGINT nostop' 'continue &' 'echo continues\n' >&9
	wait_for 30 grep -q continues gdb.out
	run_tracer -p "$target" --breakpoint "$WORKLOADS/watched:packed.tag" -d 1
	echo "kill" >&9
	exec 9>&-
	finish "$gdb"
	finish "$target"
	assert_eq "$(tail -n 1 "$T/err")" "tracer: nothing is recorded"
	assert_match 'too few debug registers are free on thread [0-9]+.*process [0-9]+ \(gdb\) debugs it and may have them' "$T/err"
}
t_case "no free debug register: the debugger is named" debugger

# ---- files that are mapped later ----------------------------------------------------------------

late_library() {
	need_breakpoints
	start_watched 5 20 4 late
	start_tracer -p "$target" --breakpoint "$WORKLOADS/libwatched.so:library_counter"
	assert_match 'libwatched.so:library_counter: process [0-9]+ does not map .*libwatched.so yet: the breakpoint is set when' tracer.err
	let_go target
	wait_for 20 grep -q '^loaded' target.out
	wait_for 20 grep -q 'set in process' tracer.err
	end_watched
	events_got
	without_loader
	assert_eq "$(grep -cE '  libwatched.so:library_counter +w .* in library_store\+' got)" 80 "stores"
	assert_eq "$(grep -c . got)" 80 "events"
	assert_match '^tracer: warning: libwatched.so:library_counter: 5 of 5 threads watched; 1 process mapped its file later, and what was done to it before it was set is not seen \([0-9.]+ ms\)$' tracer.err
}
t_case "a library that is loaded later" late_library

# The program itself is one that a child runs; the library one that it loads. Both belong to the COMMAND.
late_program() {
	need_breakpoints
	# shellcheck disable=SC2016 # the inner shell expands it
	start_waiting tracer 2 "$TRACER" -v -o events.txt --breakpoint "$WORKLOADS/watched:pair.high" \
		--breakpoint "$WORKLOADS/libwatched.so:library_counter" -- sh -c '"$1" 20 1 library; exit 9' sh "$WORKLOADS/watched"
	tracer=$pid
	wait_for 20 grep -q 'watched:pair.high: set in process' tracer.err
	wait_for 20 grep -q 'library_counter: set in process' tracer.err
	let_go tracer
	finish "$tracer"
	assert_status 9
	real_events_got events.txt
	without_loader
	stores_of watched:pair.high store_pair 20
	stores_of libwatched.so:library_counter library_store 20
}
t_case "a program that a child runs, and its library" late_program

never_mapped() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/libwatched.so:library_counter" --format json -- "$WORKLOADS/watched" 1 </dev/null
	assert_status 7
	assert_match '^tracer: warning: libwatched.so:library_counter: 0 of 0 threads watched: its file was never mapped by the target, so that it could not fire$' "$T/err"
	assert_match '"source":"libwatched.so:library_counter","threads":0,.*"late":0,"late_us":0}' "$T/out"
}
t_case "a file that is never mapped: the breakpoint could not fire" never_mapped
