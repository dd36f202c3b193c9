#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Hardware breakpoints where they fire: every access is seen, with the values, the function and its
# caller; and what cannot be watched is refused. (Where they do not fire: 65-no-breakpoints.sh.)
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

need_breakpoints() { have_breakpoints || skip "hardware breakpoints do not fire here"; }

# wanted_stores N FUNCTION BITS: the details of N stores of 1 .. N over 0, without offsets.
wanted_stores() {
	awk -v n="$1" -v fn="$2" -v mod="$3" -v number="${stores_number:-%d}" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "w " number " -> " number " in %s <- store_caller\n", (i - 1) % mod, i % mod, fn
	}'
}

# Nor lines, nor the characters that a number may stand for.
without_offsets() {
	sed -n "s/ '.\{1,2\}'\( -> \| in \)/\1/g
		s/ in \([a-z_]*\)+0x[0-9a-f]* at stores\.c:[0-9]* <- \([a-z_]*\)+0x[0-9a-f]*\$/ in \1 <- \2/p"
}

# sees_every_store PROGRAM WHERE FUNCTION MODULUS [OPTION...]: N stores, old -> new without a gap.
sees_every_store() {
	need_breakpoints
	stores_program=$1 stores_where=$2 stores_function=$3 stores_modulus=$4
	shift 4
	run_tracer --breakpoint "$WORKLOADS/$stores_program:$stores_where" "$@" \
		-- "$WORKLOADS/$stores_program" 300
	assert_status 0
	assert_summary 300 1
	wanted_stores 300 "$stores_function" "$stores_modulus" >want
	events | details | without_offsets >got
	assert cmp want got
}

all_64bit() { sees_every_store stores counter:w store_counter 4294967296 "$@"; }
perf_buffer() { all_64bit --buffer perf; }
no_pie() { sees_every_store stores-nopie counter:w store_counter 4294967296; }
static_symbol() { sees_every_store stores hidden_counter:w store_hidden 4294967296; }
int_variable() { sees_every_store stores int_counter:w store_int 4294967296; }
short_variable() { sees_every_store stores short_counter:w store_short 65536; }
byte_variable() { sees_every_store stores byte_counter:w store_byte 256; }
default_access() { sees_every_store stores counter store_counter 4294967296; }
lower_half() { stores_number=0x%x && sees_every_store stores counter/4:w store_counter 4294967296; }
lowest_byte() { stores_number=0x%x && sees_every_store stores counter/1:w store_counter 256; }
t_case "every store, old and new value, function and caller" all_64bit
t_case "every store, old and new value, function and caller: --buffer perf" perf_buffer
t_case "every store: a program that is not PIE" no_pie
t_case "every store: a static variable" static_symbol
t_case "every store: a variable of 4 bytes" int_variable
t_case "every store: a variable of 2 bytes" short_variable
t_case "every store: a variable of 1 byte" byte_variable
t_case "every store: without ACCESS it is w" default_access
t_case "every store: /LEN, a part of the variable" lower_half
t_case "every store: /LEN, one byte" lowest_byte

# The upper half of the variable is stored to as often, and stays 0.
upper_half() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter+4/4:w" -- "$WORKLOADS/stores" 100
	assert_status 0
	assert_eq "$(count_events ' w 0x0 -> 0x0 in store_counter\+0x')" 100 "events"
}
t_case "WHERE+OFF" upper_half

by_symbol_alone() {
	need_breakpoints
	run_tracer --breakpoint int_counter:w -- "$WORKLOADS/stores" 100
	assert_status 0
	assert_eq "$(count_events ' int_counter +w [0-9]+ -> [0-9]+ in store_int\+0x')" 100 "events"
}
t_case "SYMBOL alone means the COMMAND's" by_symbol_alone

by_address() {
	need_breakpoints
	# An ordinary data symbol of a program that is not PIE is where the file says.
	"$TRACER" --list variables "$WORKLOADS/stores-nopie" >list || fail "--list: status $?"
	address=$(grep -w short_counter list | grep -oE '0x[0-9a-f]+' | head -n 1)
	[ -n "$address" ] || fail "--list gives no address of short_counter"
	run_tracer --breakpoint "$address/2:w" -- "$WORKLOADS/stores-nopie" 100
	assert_status 0
	assert_eq "$(count_events ' w 0x.* in store_short\+0x')" 100 "events"
}
t_case "0xADDR/LEN" by_address

# Each store and each read; the watched instruction is told apart by its function.
reads_and_writes() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter:rw" -- "$WORKLOADS/stores" 100
	assert_status 0
	assert_summary 200 1
	assert_eq "$(count_events ' rw .* in store_counter\+0x[0-9a-f]+ at stores.c:[0-9]+ <- store_caller\+')" 100 "stores"
	assert_eq "$(count_events ' rw .* in read_counter\+0x[0-9a-f]+ at stores.c:[0-9]+ <- read_caller\+')" 100 "reads"
	assert_eq "$(count_events ' rw 99 -> 100 in store_counter')" 1 "the last store"
	assert_eq "$(count_events ' rw 100 in read_counter')" 100 "reads of the last value"
}
t_case "rw: stores and reads" reads_and_writes

# x86-64 cannot watch reads without writes: then this is said, and what to do.
reads_alone() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter:r" -- "$WORKLOADS/stores" 100
	if [ "$(uname -m)" = x86_64 ]; then
		assert_status 1
		assert_match '^tracer: .*counter.*rw' "$T/err"
		return
	fi
	assert_status 0
	assert_eq "$(count_events ' in read_counter\+0x')" 100 "reads"
	assert_summary 100 1
}
t_case "r: reads, or why not" reads_alone

execution() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:store_byte:x" -- "$WORKLOADS/stores" 100
	assert_status 0
	assert_summary 100 1
	assert_eq "$(count_events ' stores:store_byte.* x in store_byte\+0x0 at stores.c:[0-9]+ <- store_caller\+0x')" 100 "events"
}
t_case "x: every execution" execution

threads() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" -- "$WORKLOADS/stores" 50 4
	assert_status 0
	assert_summary 200 1
	# Every store of every thread. The value is read after the store: when two threads store at the
	# same moment it may be the other one's, but never a value that nobody stored.
	events | awk '
		BEGIN {
			for (t = 1; t <= 4; t++)
				for (i = 1; i <= 50; i++) stored[t * 1000000 + i] = 1
		}
		{ new = $10; tid = $4; if (++stores[tid] == 1) threads++ }
		!(new in stored) { bad++ }
		END {
			for (t in stores) if (stores[t] != 50) bad++
			print threads + 0, bad + 0
		}' >got
	assert_eq "$(cat got)" "4 0" "threads, wrong ones"
}
t_case "threads that start later" threads

# Several watches under QEMU: when one is hit, it may report a later one again that was hit before (its
# hit flag is only cleared when the search comes by it). So there, hits of a variable are counted where
# the variable is stored to, and what else is reported is not.
running_threads() {
	need_breakpoints
	start_waiting target 5 "$WORKLOADS/stores" 50 4 wait
	target=$pid
	start_tracer -p "$target" --breakpoint "$WORKLOADS/stores:counter:w" --breakpoint byte_counter:w
	let_go target
	finish "$target"
	finish "$tracer" INT
	assert_status 0
	[ "$T_SCALE" != 1 ] || assert_match "400 events in 1 process, 0 lost" tracer.err
	events_of tracer.out >got
	assert_eq "$(grep -c ' stores:counter .* in store_counter+0x' got)" 200 "stores to counter"
	assert_eq "$(grep -c ' byte_counter .* in store_byte+0x' got)" 200 "stores to byte_counter"
	sed -n 's/^tid //p' target.out | sort >want
	column 4 <got | sort -u >tids
	assert cmp want tids
}
t_case "-p: threads that were there before; two watches" running_threads

child() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" -- "$WORKLOADS/stores" 100 1 fork
	assert_status 0
	assert_summary 100 1
	# The child's own copy of the variable begins as the parent's.
	assert_eq "$(events | details | head -n 1 | grep -c '^w 0 -> 1 in store_counter')" 1 "first store"
	assert_eq "$(count_events ' w 99 -> 100 in store_counter')" 1 "last stores"
}
t_case "a child's stores" child

stacks() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" -o stores.folded -- "$WORKLOADS/stores" 100
	assert_status 0
	assert_eq "$(folded_sum stores.folded ';main;store_and_read;store_caller;store_counter [0-9]+$')" 100 \
		"stores"
	assert_eq "$(folded_sum stores.folded)" 100 "all"
}
t_case "folded: who writes, by stack" stacks

json() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:short_counter:w" --format json -- "$WORKLOADS/stores" 100
	assert_status 0
	assert_eq "$(grep -c '"kind":"breakpoint","access":"w","length":2,' "$T/out")" 100 "events"
	assert_eq "$(grep -c '"old":"0x63","new":"0x64"' "$T/out")" 1 "last stores"
}
t_case "json: access, length, values" json

# The target of such a pair has been seen to die of SIGTRAP.
with_uprobe() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter:rw" --uprobe "$WORKLOADS/stores:store_counter" \
		--uretprobe "$WORKLOADS/stores:read_counter" -- "$WORKLOADS/stores" 100
	assert_status 0
	assert_summary 400 1
	assert_eq "$(count_events ' rw ')" 200 "accesses"
	assert_eq "$(count_events ' stores:store_counter +\(value=[0-9]+\)')" 100 "calls"
	assert_eq "$(count_events ' stores:read_counter%return += 100 ')" 100 "returns"
}
t_case "a watch together with probes in the functions that trip it" with_uprobe

# The function store_X stores to X_counter, store_counter to counter.
without_suffix() { [ "$1" = counter ] && echo counter || echo "${1%_counter}"; }

four() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" --breakpoint "$WORKLOADS/stores:hidden_counter:w" \
		--breakpoint "$WORKLOADS/stores:int_counter:w" --breakpoint "$WORKLOADS/stores:byte_counter:w" \
		-- "$WORKLOADS/stores" 50
	assert_status 0
	[ "$T_SCALE" != 1 ] || assert_summary 200 1
	for variable in counter hidden_counter int_counter byte_counter; do
		assert_eq "$(count_events " stores:$variable +w .* in store_$(without_suffix $variable)[+]")" 50 \
			"$variable"
	done
}
t_case "four watches at once" four

five() {
	need_breakpoints
	[ "$(uname -m)" = x86_64 ] || skip "the number of debug registers is known on x86-64 only"
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" --breakpoint "$WORKLOADS/stores:hidden_counter:w" \
		--breakpoint "$WORKLOADS/stores:int_counter:w" --breakpoint "$WORKLOADS/stores:byte_counter:w" \
		--breakpoint "$WORKLOADS/stores:short_counter:w" -- "$WORKLOADS/stores" 50 1 wait </dev/null
	assert_status 1
	assert_match '^tracer: .*short_counter.*debug registers' "$T/err"
	assert_no_match '^pid ' "$T/out"
	# Nothing stays behind of the four that did attach.
	run_tracer --breakpoint "$WORKLOADS/stores:counter:w" -- "$WORKLOADS/stores" 10
	assert_status 0
	assert_eq "$(count_events .)" 10 "events"
}
t_case "a fifth watch is refused, and nothing runs" five

misaligned() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:counter+1/8:w" -- "$WORKLOADS/stores" 50 1 wait </dev/null
	assert_status 1
	assert_match '^tracer: .*counter\+(0x)?1.*(multiple|align)' "$T/err"
	assert_no_match '^pid ' "$T/out"
}
t_case "a watch across its own size is refused" misaligned

no_symbol() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/stores:no_such_variable:w" -- touch ran
	assert_status 1
	assert_match '^tracer: .*no_such_variable' "$T/err"
	assert [ ! -e ran ]
}
t_case "a variable that is not there is refused" no_symbol

# arm64 steps over an access in the kernel, and systems have hung of it.
kernel_memory() {
	run_tracer --breakpoint jiffies:w -a -d 1
	assert_status 1
	assert_match "^tracer: jiffies:w: the kernel's own memory cannot be watched on arm64" "$T/err"
}
[ "$(uname -m)" != aarch64 ] || t_case "arm64: the kernel's own memory is refused" kernel_memory

no_access() {
	run_tracer --breakpoint "$WORKLOADS/stores:counter:wx" -- touch ran
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ] || fail "exit status $status"
	assert_match '^tracer: ' "$T/err"
	assert [ ! -e ran ]
}
t_case "ACCESS that is none is refused" no_access

# ---- members, and the one bad write -------------------------------------------------------------

# 16 threads write the same member; one of them once what it should not.
race() {
	need_breakpoints
	run_tracer -g -o events.txt --breakpoint "$WORKLOADS/race:config.limit" --if 'new > 100' -- "$WORKLOADS/race" 50
	assert_status 0
	assert_eq "$(events_of events.txt | grep -c .)" 1 "bad writes"
	assert_eq "$(events_of events.txt | column 4)" "$(cat "$T/out")" "the thread that did it"
	assert_eq "$(events_of events.txt | details | sed -n 's/.* -> \([0-9]*\) in \([a-z_]*\).*/\1 \2/p')" "4000 set_bad_limit"
	assert_match '	  0x[0-9a-f]+ run\+0x[0-9a-f]+ \(race\)' events.txt
}
t_case "16 threads, one bad write: who, what and where" race

# names_the_writer MEMBER PREDICATE VALUE FUNCTION: nothing orders the threads' stores. What one is shown to have written
# is what it has, not what another one has since.
names_the_writer() {
	need_breakpoints
	for round in 1 2 3; do
		run_tracer --breakpoint "$WORKLOADS/race:$1" --if "$2" -o bad.txt -- "$WORKLOADS/race" $((5000 / T_SCALE)) unlocked
		assert_status 0
		events_of bad.txt >got
		assert_lines got 1
		assert_match " -> $3 in $4\\+0x[0-9a-f]+ at race.c:" got
		assert_eq "$(column 4 <got)" "$(cat "$T/out")" "the thread that has written it, round $round"
	done
}
unlocked_race() { names_the_writer config.limit 'new > 100' 4000 set_bad_limit; }
t_case "16 threads without a lock, one bad write" unlocked_race

# On x86-64 an instruction of which a part could be another one.
unlocked_race_wide() {
	names_the_writer config.wide 'new > 1000000000000' 34359738368000 set_bad_wide
	run_tracer --breakpoint "$WORKLOADS/race:config.wide" -m 8M -o all.txt -- "$WORKLOADS/race" 1000
	assert_status 0
	assert_eq "$(events_of all.txt | grep -c ' -> 34359738368000 in set_bad_wide')" 1 "bad writes with a lock"
	assert_no_match ' -> \?' all.txt
}
t_case "16 threads without a lock: 8 bytes" unlocked_race_wide

# What is stored is taken from the instruction's register: each of them, all of it and its parts; and constants.
every_register() {
	need_breakpoints
	[ "$(uname -m)" = x86_64 ] || skip "of x86-64"
	run_tracer --breakpoint "$WORKLOADS/registers:watched" -- "$WORKLOADS/registers"
	assert_status 0
	events | details | sed -n 's/^w .* -> \([0-9?]*\) in .*/\1/p' >got
	number=1
	while [ "$number" -le 15 ]; do
		value=$((0x1122334455667700 + number))
		printf '%d\n0\n%d\n0\n%d\n0\n%d\n0\n' "$value" $((value & 0xffffffff)) $((value & 0xffff)) $((value & 0xff))
		number=$((number + 1))
	done >want
	assert cmp want got
}
t_case "stores of each register and its parts" every_register

members() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/race:table[3].state:w" --if 'new == BUSY || new == BROKEN' -o events.txt -- "$WORKLOADS/race" 1
	assert_status 0
	assert_eq "$(events_of events.txt | details | sed 's/^w \(.*\) in set_state.*/\1/' | tr '\n' ' ')" "IDLE -> BUSY BUSY -> BROKEN "
	run_tracer --breakpoint "$WORKLOADS/race:table[3].state:w" --if 'new < 0' -o events.txt -- "$WORKLOADS/race" 1
	assert_eq "$(events_of events.txt | grep -c .)" 1 "values below 0, as the enum's type has them"
}
t_case "members of variables, and enumerators in --if" members

no_member() {
	need_breakpoints
	while IFS='|' read -r part message; do
		run_tracer --breakpoint "$WORKLOADS/race:$part:w" -- "$WORKLOADS/race" 1
		assert_status 1
		assert_match "$message" "$T/err"
	done <<'TABLE'
config.limitt|there is no member limitt
config.bits|only whole bytes can be watched, and this is a bit-field: bits
table[9].key|the array is not that long: \[9\]
config[1]|this is no array: \[1\]
configg.limit|there is no variable of that name
TABLE
}
t_case "members that are not there" no_member

# All hits of all threads, exactly.
every_hit() {
	need_breakpoints
	run_tracer --breakpoint "$WORKLOADS/race:config.limit" --count -o count.txt --format count -- "$WORKLOADS/race" 500
	assert_status 0
	assert_summary 8001 1
}
t_case "16 threads: every store" every_hit
