#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tools/lint-stages finds each kind of violation, and nothing in a tree that keeps the rules.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../live/lib.sh"

# A small tree that keeps the rules.
make_tree() {
	mkdir -p user/base user/record user/output user/event bpf
	: >bpf/tracer.h
	: >user/base/log.h
	: >user/options.h
	printf '#include "../base/log.h"\n#include "../../bpf/tracer.h"\n' >user/record/record.h
	printf '#include <stdio.h>\n#include "text.h"\n#include "../record/record.h"\n' >user/output/text.c
	printf '#include "base/log.h"\n' >user/output/text.h
	printf '#include "output/text.h"\n#include "tracer.skel.h"\n' >user/session.c
}

lint() {
	status=0
	"$T_top/tools/lint-stages" "$T" >out 2>err || status=$?
}

keeps_rules() {
	make_tree
	lint
	assert_status 0
	assert_lines out 0
}

# $1: file, $2: the include put at its third line, $3: what must be said.
breaks_rule() {
	make_tree
	printf '/* one */\n/* two */\n#include %s\n' "$2" >"$1"
	lint
	assert_status 1
	assert_lines out 1
	assert_match "^$1:3: .*$3" out
}

backwards() { breaks_rule user/record/late.c '"../output/text.h"' 'record/ may not depend on output/'; }
from_include_path() { breaks_rule user/base/late.h '<record/record.h>' 'base/ may not depend on record/'; }
top_level() { breaks_rule user/output/all.c '"../options.h"' 'nothing of the top level'; }
wire_contract() { breaks_rule user/output/wire.c '"../../bpf/tracer.h"' 'bpf/tracer.h'; }
kernel_side() { breaks_rule bpf/x.bpf.c '"../user/base/log.h"' 'nothing of user/'; }
beside() { breaks_rule user/event/x.c '"../record/record.h"' 'event/ may not depend on record/'; }
recordings() {
	mkdir -p user/perf_data user/process
	: >user/process/tasks.h
	make_tree
	printf '#include "../record/record.h"\n#include "../base/log.h"\n' >user/perf_data/reader.c
	lint
	assert_status 0
	breaks_rule user/perf_data/late.c '"../process/tasks.h"' 'perf_data/ may not depend on process/'
	rm user/perf_data/late.c
	breaks_rule user/record/early.c '"../perf_data/reader.h"' 'record/ may not depend on perf_data/'
}
missing_file() { breaks_rule user/base/x.c '"../output/new.h"' 'base/ may not depend on output/'; }

unknown_stage() {
	make_tree
	mkdir user/utils
	: >user/utils/drawer.c
	lint
	assert_status 1
	assert_match '^user/utils/drawer.c:1: .*no stage' out
}

t_case "lint-stages: a tree that keeps the rules" keeps_rules
t_case "lint-stages: a stage includes a later one" backwards
t_case "lint-stages: an include through the search path" from_include_path
t_case "lint-stages: a stage includes the top level" top_level
t_case "lint-stages: a stage that may not see the wire contract" wire_contract
t_case "lint-stages: the BPF side includes user space" kernel_side
t_case "lint-stages: a stage that stands beside the way of the data" beside
t_case "lint-stages: recordings come after records" recordings
t_case "lint-stages: a file that is not there yet" missing_file
t_case "lint-stages: a folder that is no stage" unknown_stage

this_tree() { assert "$T_top/tools/lint-stages"; }
t_case "lint-stages: this tree keeps the rules" this_tree
