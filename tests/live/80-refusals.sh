#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What cannot be done is refused: the message says what, on what and why, the status is 1 (2 for usage),
# and the COMMAND does not run.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/targets.sh
. "$(dirname "$0")/targets.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# refuses ERE OPTION...: a message matches, and each line is one of the tracer's.
refuses() {
	refuses_message=$1
	shift
	run_tracer "$@" -- touch "$T/ran"
	assert_status 1
	assert_match "^tracer: .*$refuses_message" "$T/err"
	assert_eq "$(grep -vc '^tracer: ' "$T/err")" 0 "lines that are no message"
	assert_printable "$T/err"
	assert [ ! -e "$T/ran" ]
	assert [ ! -s "$T/out" ]
}

no_binary() {
	refuses "$T/none.*([Nn]o such file|no program)" --uprobe "$T/none:func"
	refuses "no-such-program" --uprobe no-such-program:func
	refuses "$T/none.*([Nn]o such file|no program)" --uretprobe "$T/none:func"
}
t_case "no such binary" no_binary

no_function() {
	refuses "no_such_function.*$WORKLOADS/calls|$WORKLOADS/calls.*no_such_function" \
		--uprobe "$WORKLOADS/calls:no_such_function"
	refuses "no_such_function" --uprobe "$WORKLOADS/calls:traced_function" \
		--uprobe "$WORKLOADS/calls:no_such_function"
}
t_case "no such function" no_function

# A pid that was there a moment ago.
no_process() {
	start short true
	finish "$pid"
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" -p "$pid"
	assert_status 1
	assert_match "^tracer: .*$pid.*[Nn]o such process" "$T/err"
	run_tracer --profile -t "$pid"
	assert_status 1
	assert_match "^tracer: .*$pid" "$T/err"
}
t_case "no such process, no such thread" no_process

no_cpu() { refuses "4095" --profile -C 4095; }
t_case "no such CPU" no_cpu

not_elf() {
	echo "not a program, only text that is long enough to be one" >text
	refuses "$T/text.*ELF" --uprobe "$T/text:func"
	: >empty
	refuses "$T/empty.*ELF" --uprobe "$T/empty:func"
	mkdir folder
	refuses "$T/folder" --uprobe "$T/folder:func"
	refuses "/dev/zero" --uprobe /dev/zero:func
}
t_case "not an ELF file" not_elf

# Cut and corrupted copies give an error, or work where the damage is elsewhere; never a crash.
broken_elf() {
	size=$(wc -c <"$WORKLOADS/calls")
	for keep in 4 16 63 64 100 1000 $((size / 2)) $((size - 100)); do
		head -c "$keep" "$WORKLOADS/calls" >cut.elf
		run_tracer --uprobe "$T/cut.elf:traced_function" -- true
		assert_status 1
		assert_match '^tracer: .*cut\.elf' "$T/err"
	done
	# e_phoff, e_shoff, e_phnum, e_shentsize, e_shnum, e_shstrndx
	for offset in 32 40 56 58 60 62; do
		cp "$WORKLOADS/calls" bent
		printf '\377\377' | dd of=bent bs=1 seek="$offset" conv=notrunc 2>/dev/null
		run_tracer --uprobe "$T/bent:traced_function" -- true
		assert_between "$status" 0 1 "exit status with byte $offset damaged"
	done
}
t_case "broken ELF files" broken_elf

# Both are named, and either can be chosen by its address.
twice() {
	refuses "same_name" --uprobe "$WORKLOADS/twice:same_name"
	tr -c '0-9a-z' '\n' <"$T/err" | grep -E '^0x[0-9a-f]+$' | sort -u >addresses
	assert_lines addresses 2
	while read -r address; do
		run_tracer --uprobe "$WORKLOADS/twice:$address" -- "$WORKLOADS/twice"
		assert_status 0
		assert_eq "$(count_events .)" 1 "calls of the one at $address"
	done <addresses
}
t_case "a function that exists twice: both addresses are named" twice

wrong_class() {
	[ -x "$WORKLOADS/target32" ] || skip "no 32-bit program could be built"
	refuses "target32.*32-bit" --uprobe "$WORKLOADS/target32:traced32"
}
t_case "a 32-bit program" wrong_class

inside_instruction() {
	refuses "middle_function\+(0x)?1.*instruction" --uprobe "$WORKLOADS/middle:middle_function+1"
	[ "$(uname -m)" != x86_64 ] ||
		refuses "middle_function\+.*instruction" --uprobe "$WORKLOADS/middle:middle_function+0x9"
}
t_case "a probe inside an instruction" inside_instruction

outside_function() {
	refuses "traced_function\+" --uprobe "$WORKLOADS/calls:traced_function+0x10000000"
	refuses "0x123456789" --uprobe "$WORKLOADS/calls:0x123456789"
	# A variable is no function.
	refuses "counter" --uprobe "$WORKLOADS/stores:counter"
}
t_case "a probe outside of the code" outside_function

# The tracer as somebody who may do nothing. The message names what is missing.
no_privilege() {
	status=0
	"$WORKLOADS/unprivileged" "$TRACER" "$@" -- echo ran >"$T/out" 2>"$T/err" || status=$?
	assert_status 1
	assert_match '^tracer: .*cap_' "$T/err"
	assert [ ! -s "$T/out" ]
}
no_privilege_wall() { no_privilege --wall; }
no_privilege_bpf() {
	no_privilege --profile --engine bpf
	assert_match 'cap_(bpf|sys_admin)' "$T/err"
	assert_match 'cap_(perfmon|sys_admin)' "$T/err"
}
no_privilege_uprobe() {
	no_privilege --uprobe "$WORKLOADS/calls:traced_function"
}
t_case "no privilege: the capabilities are named, --engine bpf" no_privilege_bpf
t_case "no privilege: the capabilities are named, --wall" no_privilege_wall
t_case "no privilege: the capabilities are named, --uprobe" no_privilege_uprobe

# Names from the command line are data too.
hostile_names() {
	name=$(printf 'a\033[31mb\302\23331m\nc')
	refuses 'x1b' --uprobe "/$name:f"
	refuses 'x1b' --uprobe "$WORKLOADS/calls:$name"
}
t_case "hostile names in messages" hostile_names

# usage ERE OPTION...
usage() {
	usage_message=$1
	shift
	run_tracer "$@"
	assert_status 2
	assert_match "^tracer: .*$usage_message" "$T/err"
	assert [ ! -s "$T/out" ]
	assert [ ! -e ran ]
}

usage_errors() {
	usage 'no-such-option' --no-such-option -- touch ran
	usage 'latency' --latency nocolon -- touch ran
	usage 'if.*stands behind' --if 'arg1 > 3' -- touch ran
	usage 'a line does not return' --uretprobe "$WORKLOADS/calls:calls.c:3" -- touch ran
	usage 'off-cpu.*abc' --off-cpu=abc -- touch ran
	usage 'profile.*0' --profile=0 -- touch ran
	usage 'format.*xyz.*folded' --format xyz -- touch ran
	usage 'user-only' --user-only --kernel-only -- touch ran
	usage '-p' -p 1 -- touch ran
	usage 'abc' -p abc
	usage 'max-stack' --max-stack 513 -- touch ran
	usage '3-1' -C 3-1 -- touch ran
	usage 'engine.*xyz' --engine xyz -- touch ran
	usage 'uprobe' --uprobe nocolon -- touch ran
	usage '-d|duration' -d -1 -- touch ran
}
t_case "usage errors: status 2, the option is named" usage_errors

given_twice() {
	run_tracer --uprobe "$WORKLOADS/calls:traced_function" --uprobe "$WORKLOADS/calls:traced_function" \
		-- touch ran
	assert_status 1
	assert_match '^tracer: .*calls:traced_function: is given twice' "$T/err"
	assert [ ! -e ran ]
}
t_case "the same probe twice" given_twice

no_command() {
	run_tracer --profile --
	assert_status 2
	assert_match '^tracer: --: no command follows it' "$T/err"
}
t_case "a COMMAND that is not there" no_command

table_into_graph() {
	run_tracer --count -o x.svg -- touch ran
	assert_status 2
	assert_match '^tracer: --count: writes a table' "$T/err"
	assert [ ! -e ran ]
	assert [ ! -e x.svg ]
}
t_case "--count into a file of another format" table_into_graph
