#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks from wherever they are hard to walk, against those that the compiler's own runtime finds at the
# very same call: _Unwind_Backtrace.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/stacks.sh
. "$(dirname "$0")/stacks.sh"

# Until a program that has just begun has been described to the BPF side; a slow machine needs longer.
SETTLED=$((250 * T_SCALE))

# trace PROGRAM OPTIONS [ARG]...: leaves stacks.txt and, of the program itself, out.
trace() {
	need_workload "$1"
	path=$WORKLOADS/$1
	options=$2
	shift 2
	# shellcheck disable=SC2086 # a list of words
	run_tracer -v -g --uprobe "$path:traced_here" --args none $options -o stacks.txt -- "$path" "$@"
	assert_status 0
}

# The one stack that cannot be walked, as there was a call to where no code is, is in programs in C.
all_alike() {
	need_some "$@"
	for program in $built; do
		echo "$program"
		trace "$program" "" "$SETTLED"
		assert_match ', 0 lost' "$T/err"
		same_stacks stacks.txt out
		case $program in
		backtraces-*) assert_match '^# user stacks 9.* complete \(1 not an address of code' stacks.txt ;;
		*) assert_match '^# user stacks 100\.0 % complete$' stacks.txt ;;
		esac
	done
}

gcc() { all_alike backtraces-gcc-O0 backtraces-gcc-O1 backtraces-gcc-O2 backtraces-gcc-O3 backtraces-gcc-Os; }
clang() { all_alike backtraces-clang-O0 backtraces-clang-O1 backtraces-clang-O2 backtraces-clang-O3; }
static() { all_alike backtraces-gcc-static backtraces-gcc-static-pie backtraces-clang-static; }
cpp() { all_alike backtraces_cpp-gcc-O0 backtraces_cpp-gcc-O2 backtraces_cpp-gcc-static backtraces_cpp-clang-O2; }
t_case "stacks are those that the program finds itself: gcc" gcc
t_case "stacks are those that the program finds itself: clang" clang
t_case "stacks are those that the program finds itself: static" static
t_case "stacks are those that the program finds itself: C++" cpp

# A stack that came as a copy may be cut, and says so then. None may be wrong. The tracer stands still while the
# program runs, so that nobody has described it.
copies() {
	need_some backtraces-gcc-O2 backtraces-clang-O3 backtraces_cpp-gcc-O0
	for program in $built; do
		# shellcheck disable=SC2016 # the COMMAND expands it
		run_tracer -v -m 16M -g --uprobe "$WORKLOADS/$program:traced_here" --args none -o stacks.txt -- \
			sh -c 'kill -STOP $PPID; "$1" 0; kill -CONT $PPID' sh "$WORKLOADS/$program"
		assert_status 0
		same_stacks stacks.txt out marked
		assert_match '^tracer: unwind tables: .* [1-9][0-9]* stacks came as copies' "$T/err"
	done
}
t_case "stacks are those that the program finds itself: before its tables are there" copies

# The runtime's own walk ends at the lazy resolver of arm64, whose CFI leaves something out. It was called from
# where the next call finds the function resolved: so that stack goes on as this one should have.
complete_lazy() {
	[ "$(uname -m)" = aarch64 ] || return 0
	awk '
	$2 == "lazy_library" && $NF != "end" && cut == "" { cut = $0; place = $(NF - 1) " " $NF; next }
	cut != "" {
		at = index($0, place)
		print cut substr($0, at + length(place))
		cut = ""
	}
	{ print }' out >completed
	assert_eq "$(grep -c . completed)" "$(grep -c . out)" "stacks, one of them completed"
	mv completed out
}

libraries() {
	need_some backtraces-gcc-O2 backtraces-clang-O0
	for program in $built; do
		trace "$program" "" "$SETTLED" "$WORKLOADS"
		assert_no_match 'not at the same address' "$T/err"
		complete_lazy
		same_stacks stacks.txt out
	done
}
t_case "libraries that are loaded, unloaded and replaced at the same address" libraries

# The runtime cannot see through return probes, so it is asked in a run of its own. Where a timer
# interrupts, no two runs agree. With before_main the kernel's page for probes is there from the beginning.
through_returns() {
	program=$1
	shift
	"$WORKLOADS/$program" 0 | grep -v ' timer ' >own.txt
	options=
	for function in before_main "$@"; do
		options="$options --uretprobe=${WORKLOADS}/$program:$function"
	done
	trace "$program" "$options" "$SETTLED"
	same_stacks stacks.txt own.txt
	assert_no_match 'uprobes' stacks.txt
}
returns() {
	need_some backtraces-gcc-O0 backtraces-gcc-O2 backtraces-clang-O2
	for variant in $built; do
		through_returns "$variant" sort_and_search compare a_thread thread_main dynamic use \
			aligned_locals aligned_arguments on_signal on_nested on_jump signals by_vfork by_fork \
			ends_with_call at_exit main
	done
	through_returns backtraces-gcc-O3 recurse dynamic_stacks
	through_returns backtraces-gcc-static recurse compare on_nested
}
t_case "stacks go through functions whose return is probed, each and all" returns
