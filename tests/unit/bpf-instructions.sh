#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The BPF object holds no instruction that a 5.10 kernel does not know: before 5.12 the only atomic one is
# an addition whose result is not used. Compilers make others of innocent source.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../live/lib.sh"

object=$(dirname "$0")/../../build/tracer.bpf.o

disassemble() {
	tool=$(command -v llvm-objdump || command -v llvm-objdump-14) || skip "no llvm-objdump here"
	"$tool" -d "$1" | sed 's/^ *[0-9]*:[ \t]*[0-9a-f ]*\t//'
}

additions_only() {
	object=$(cd "$(dirname "$object")" && pwd)/${object##*/}
	disassemble "$object" >code
	assert grep -q 'lock .* += r' code
	assert_no_match '(atomic_fetch|xchg|lock .* (\||&|\^)= )' code
}
t_case "BPF: no atomic instruction newer than the oldest kernel" additions_only
