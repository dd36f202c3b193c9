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

# stores_of NAME FUNCTION N: exactly N events of that name, old -> new from 0 on, all in FUNCTION.
stores_of() {
	grep -E "  $1 +w " got | details | sed -n 's/^w \(.*\) in \([a-z_]*\)+.*/\1 \2/p' >stores
	awk -v n="$3" -v fn="$2" 'BEGIN {
		for (i = 1; i <= n; i++) printf "0x%x -> 0x%x %s\n", i - 1, i, fn
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
	assert_eq "$(grep -c ' 0x13 -> 0x14 in store_value' got)" 1 "the last store"
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
