#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The machine of --if in this kernel, beside the same code in user space.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

agree() {
	assert "$WORKLOADS/machine" 1000 >"$T/out"
	assert_match '^expressions: 1000 agree, [0-9]+ true, [0-9]+ false, [0-9]+ not judged$' "$T/out"
	assert_match '^programs: 1000 agree$' "$T/out"
}
t_case "expressions come to the same in the kernel as in user space" agree
