#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --usdt: probes that programs and libraries were built with, each as often as it is hit; their arguments in --if; their
# semaphores, which are counted down again however tracer ends.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# The workload says what it does, tests/workloads/usdt.c; it is not there where <sys/sdt.h> is not.
need_workload() { [ -x "$WORKLOADS/usdt" ] || skip "no usdt workload here (systemtap-sdt-dev)"; }

# Names and notes are read before the kernel is asked; an emulated CPU has enough to do.
on_this_machine() { [ "$T_SCALE" -eq 1 ] || skip "nothing of it depends on the kernel"; }

is_x86() { [ "$(uname -m)" = x86_64 ]; }

# "10 app:text" for each of app's probes that were hit, by name; hand-written operands are x86-64's.
hits() { events | column 6 | sed 's/^usdt[-a-z]*://' | sort | uniq -c | awk '{ print $1, $2 }'; }

wanted_hits() {
	! is_x86 || echo "10 app:forms"
	cat <<'HITS'
10 app:guarded
15 app:inlined
1 app:many
10 app:memory
10 app:numbers
10 app:ratio
1 app:start
10 app:text
20 app:twice
HITS
}

every_probe() {
	need_workload
	run_tracer -v --usdt "$WORKLOADS/$1:app:*" -o hits.txt -- "$WORKLOADS/$1"
	assert_status 0
	cp hits.txt "$T/out.saved" && mv "$T/out.saved" "$T/out"
	hits >got
	wanted_hits >wanted
	diff -u wanted got >&2 || fail "hits of $1's probes"
	assert_eq "$(accounted seen) $(accounted lost)" "$(wanted_hits | awk '{ sum += $1 } END { print sum, 0 }')" "seen and lost"
}
every_probe_usdt() { every_probe usdt; }
t_case "every probe, as often as it is hit: -O1, PIE" every_probe_usdt
every_probe_usdt_plain() { every_probe usdt-plain; }
t_case "every probe, as often as it is hit: -O0" every_probe_usdt_plain
every_probe_usdt_nopie() { every_probe usdt-nopie; }
t_case "every probe, as often as it is hit: no PIE" every_probe_usdt_nopie
every_probe_usdt_static() { every_probe usdt-static; }
t_case "every probe, as often as it is hit: static" every_probe_usdt_static

# ---- --if -----------------------------------------------------------------------------------------

# holds PROGRAM: for each row of the table on stdin, "EVENTS|PROBE|EXPRESSION".
holds() {
	need_workload
	while IFS='|' read -r wanted probe expression; do
		run_tracer -v --usdt "$WORKLOADS/$1:$probe" --if "$expression" -o seen.txt -- "$WORKLOADS/$1"
		# shellcheck disable=SC2154 # run_tracer sets it
		[ "$status" -eq 0 ] || fail "$expression: status $status: $(head -n 3 "$T/err" | tr '\n' ' ')"
		assert_eq "$(accounted seen) $(accounted delivered)" "$wanted $wanted" "$probe for which $expression"
		assert_no_match 'could not be judged' "$T/err"
	done
}

judged() {
	holds "$1" <<'TABLE'
10|app:numbers|arg1 >= 0
3|app:numbers|arg1 > 6
1|app:numbers|arg1 == 3 && arg2 == -3 && arg3 == 249 && arg4 == 7 && arg5 == -3
9|app:numbers|arg2 < 0 && arg5 < 0
10|app:numbers|arg3 >= 246 && arg3 - 246 == arg1
0|app:numbers|arg4 != 7
5|app:text|arg1 == "even"
4|app:text|arg1 == "o*" && arg2
1|app:text|arg2 == NULL
9|app:text|arg2 != NULL && comm == "usdt*"
4|app:memory|arg1 > 500 && arg2 < -5
1|app:memory|arg1 == 700 && arg2 == -7
10|app:twice|arg2 == 2
6|app:twice|arg1 >= 7
3|app:twice|arg1 >= 7 && $arg2 == 1
5|app:inlined|arg1 >= 1000
2|app:inlined|arg1 == 3 || arg1 == 1003
2|app:ratio|arg2 > 7
1|app:many|arg1 == 1 && arg12 == 12 && arg7 + arg8 == 15
1|app:start|pid == tid
3|app:guarded|arg1 > 6
TABLE
}
judged_usdt() { judged usdt; }
t_case "--if by arguments: registers, -O1, PIE" judged_usdt 240
judged_usdt_plain() {
	on_this_machine
	judged usdt-plain
}
t_case "--if by arguments: the stack, -O0" judged_usdt_plain 240
judged_usdt_nopie() {
	on_this_machine
	judged usdt-nopie
}
t_case "--if by arguments: no PIE" judged_usdt_nopie 240
judged_usdt_static() {
	on_this_machine
	judged usdt-static
}
t_case "--if by arguments: static" judged_usdt_static 240

# Where operands are that compilers seldom choose.
forms() {
	is_x86 || skip "of x86-64"
	on_this_machine
	for program in usdt usdt-nopie usdt-static; do
		holds "$program" <<'TABLE'
3|app:forms|arg1 > 6
1|app:forms|arg1 == 4 && arg2 == 400 && arg3 == -4
TABLE
	done
}
t_case "--if by %ah, by an index and by a name" forms 240

# The function that the probe is in has names, too.
names() {
	need_workload
	run_tracer --usdt "$WORKLOADS/usdt:app:memory" --if '@usdt_request.size < -5 && arg1 > 0' -o seen.txt -- "$WORKLOADS/usdt"
	assert_status 0
	assert_summary 4 1
}
t_case "--if by the program's own names" names

# ---- libraries and semaphores --------------------------------------------------------------------

library() {
	need_workload
	run_tracer --usdt "$WORKLOADS/libusdt.so:lib:guarded" --usdt "$WORKLOADS/usdt:guarded" --if 'arg1 < 2' -g -- "$WORKLOADS/usdt"
	assert_status 0
	assert_eq "$(count_events 'libusdt.so:lib:guarded +\(arg1=[0-9]+\) in lib_guarded\+0x[0-9a-f]+ <- main')" 10 "of the library"
	assert_eq "$(count_events 'usdt:app:guarded +\(arg1=[0-9]+\) in app_guarded\+0x[0-9a-f]+ <- main')" 2 "of the program"
	# the program has told what it does only because somebody listens
	assert_match '^guarded 10, library 10$' "$T/out"
	run_tracer --usdt "$WORKLOADS/libusdt.so:guarded" -o seen.txt -- "$WORKLOADS/usdt"
	assert_match '^guarded 0, library 10$' "$T/out"
	assert_summary 10 1
	"$WORKLOADS/usdt" >none
	assert_match '^guarded 0, library 0$' none
}
t_case "semaphores: of programs and libraries, for those that are listened to" library

last_semaphores() { [ "$(tail -n 1 "$T/watch.out")" = "semaphores $1" ]; }

# A process that runs before, through and after tracer, and a child that it forks meanwhile does not matter.
semaphores() {
	need_workload
	mkfifo input
	# the pipe must have a writer until the end
	exec 9<>input
	"$WORKLOADS/usdt" watch <input >"$T/watch.out" 2>"$T/watch.err" &
	watched=$!
	wait_for 10 last_semaphores "0 0"
	# shellcheck disable=SC2153 # this is no other one
	start tracer "$TRACER" -a --usdt "$WORKLOADS/usdt:app:guarded" --usdt "$WORKLOADS/libusdt.so:guarded" -o seen.txt
	tracer=$pid
	wait_for 20 last_semaphores "1 1"
	# the kernel counts a place once, however many have probes there
	start second "$TRACER" -v -a --usdt "$WORKLOADS/usdt:app:guarded" -o second.txt
	second=$pid
	wait_for 20 grep -q recording "$T/second.err"
	last_semaphores "1 1"
	"$WORKLOADS/usdt" >later
	assert_match '^guarded 10, library 10$' later
	finish "$tracer" "$1"
	wait_for 20 last_semaphores "1 0"
	finish "$second" "$1"
	wait_for 20 last_semaphores "0 0"
	echo >&9
	finish "$watched"
	assert_status 0
	"$WORKLOADS/usdt" >none
	assert_match '^guarded 0, library 0$' none
}
semaphores_term() { semaphores TERM; }
t_case "semaphores are counted down when tracer ends" semaphores_term
semaphores_kill() { semaphores KILL; }
t_case "semaphores are counted down when tracer is killed" semaphores_kill

# What ran before: it has the probes too, and -p finds its library.
attach() {
	need_workload
	mkfifo input
	exec 9<>input
	"$WORKLOADS/usdt" "wait" <input >"$T/waits.out" 2>"$T/waits.err" &
	waits=$!
	wait_for 10 test -s "$T/waits.out"
	start tracer "$TRACER" -v -p "$waits" --usdt "libusdt:guarded" --usdt "$WORKLOADS/usdt:twice" -o seen.txt
	wait_for 20 grep -q recording "$T/tracer.err"
	echo >&9
	finish "$waits"
	assert_status 0
	assert_match '^guarded 0, library 10$' "$T/waits.out"
	wait "$pid" # tracer, which ends with its target
	cp "$T/tracer.err" "$T/err"
	assert_eq "$(accounted seen) $(accounted delivered)" "30 30"
}
t_case "a process that runs already, and its library by name" attach

# ---- outputs --------------------------------------------------------------------------------------

outputs() {
	need_workload
	run_tracer --usdt "$WORKLOADS/usdt:app:twice" --count -o twice.txt -- "$WORKLOADS/usdt"
	assert_status 0
	assert_match '^ *20  usdt [0-9]+ usdt:app:twice$' twice.txt
	assert_match 'usdt_twice \(usdt\)$' twice.txt
	run_tracer --usdt "$WORKLOADS/usdt:app:twice" -o twice.folded -- "$WORKLOADS/usdt"
	assert_eq "$(folded_sum twice.folded 'main;usdt_twice')" 20
	run_tracer --usdt "$WORKLOADS/usdt:app:twice" -o twice.svg -- "$WORKLOADS/usdt"
	assert_match 'usdt_twice' twice.svg
	run_tracer --usdt "$WORKLOADS/usdt:app:twice" -o twice.json -- "$WORKLOADS/usdt"
	assert_eq "$(grep -c '"source":"usdt:app:twice","kind":"usdt"' twice.json)" 20
	assert_no_match '"args"' twice.json
	run_tracer --usdt "$WORKLOADS/usdt:app:twice" -o twice.data -- "$WORKLOADS/usdt"
	run_tracer --replay twice.data
	assert_eq "$(count_events 'usdt:app:twice +\(arg1=[0-9]+, arg2=[12]\) in usdt_twice\+0x[0-9a-f]+ <- main')" 20 replayed
}
t_case "as counts, folded, svg, JSON, and perf.data replayed" outputs

list() {
	need_workload
	on_this_machine
	run_tracer --list usdt "$WORKLOADS/usdt"
	assert_status 0
	assert_match '^# PROVIDER:NAME +SITES +SEMAPHORE ARGUMENTS$' "$T/out"
	assert_match '^app:twice +2  no +s32 s32$' "$T/out"
	assert_match '^app:guarded +1  yes +s32$' "$T/out"
	assert_match '^app:start +1  no +none$' "$T/out"
	assert_match '^app:numbers +1  no +s32 s64 u8 s32 s16$' "$T/out"
	! is_x86 || assert_match '^app:ratio +1  no +\(f64\) s32$' "$T/out"
	run_tracer --list usdt "$WORKLOADS/usdt" 'app:t*'
	assert_lines "$T/out" 3
	run_tracer --list usdt "$WORKLOADS/usdt" start
	assert_lines "$T/out" 3
	if have bpftrace; then
		run_tracer --list usdt "$WORKLOADS/usdt"
		sed -n '2,$s/^\([^ ]*\) .*/\1/p' "$T/out" | sort >ours
		bpftrace -l "usdt:$WORKLOADS/usdt:*" | sed 's/^usdt:[^:]*://' | sort -u >theirs
		diff -u theirs ours >&2 || fail "not what bpftrace lists"
	fi
}
t_case "--list usdt" list

# ---- what distributions ship ------------------------------------------------------------------------

cat_thrower() {
	cat <<'CC'
#include <cstdio>
int main() { int caught = 0; for (int i = 0; i < 7; i++) { try { if (i % 2) throw i; throw "text"; } catch (int) { caught++; }
	catch (...) { caught++; } } std::printf("%d caught\n", caught); }
CC
}

standard_library() {
	need g++
	"$TRACER" --list usdt libstdc++ throw >/dev/null 2>&1 || skip "libstdc++ has no probes here"
	cat_thrower >thrower.cc
	g++ -O1 -o thrower thrower.cc
	run_tracer --usdt 'libstdc++:throw' --usdt 'libstdc++:libstdcxx:catch' -- ./thrower
	assert_status 0
	assert_match '^7 caught$' "$T/out"
	assert_eq "$(count_events ':libstdcxx:throw +\(.*\) in __cxa_throw')" 7 thrown
	assert_eq "$(count_events ':libstdcxx:catch +\(.*\) in __cxa_begin_catch|:libstdcxx:catch ')" 7 caught
}
t_case "libstdc++: throw and catch" standard_library

c_library() {
	need gcc
	"$TRACER" --list usdt libc setjmp >/dev/null 2>&1 || skip "libc has no probes here"
	printf '#include <setjmp.h>\nint main(void) { jmp_buf b; volatile int n = 0; if (setjmp(b) < 5) longjmp(b, ++n); return 0; }\n' >jumper.c
	gcc -O1 -o jumper jumper.c
	run_tracer --usdt 'libc:setjmp' --usdt 'libc:longjmp' -- ./jumper
	assert_status 0
	assert_eq "$(count_events ':libc:longjmp ')" 5 longjmp
	assert_between "$(count_events ':libc:setjmp ')" 1 2 setjmp
}
t_case "libc: setjmp and longjmp" c_library

# python has a semaphore for each of its probes, and tells this one the module's name.
interpreter() {
	python=/usr/bin/python3
	[ -x "$python" ] || skip "no $python here"
	"$TRACER" --list usdt "$python" import__find__load__start >/dev/null 2>&1 || skip "python3 has no probes here"
	run_tracer --usdt "$python:import__find__load__start" --if 'arg1 == "wave"' \
		--usdt "$python:import__find__load__done" --if 'arg1 == "wa?e" && arg2 == 1' -- "$python" -c 'import wave'
	assert_status 0
	assert_summary 2 1
	assert_eq "$(events | column 6 | sed 's/.*:python:import__find__load__//' | tr '\n' ' ')" "start done "
}
t_case "python: what it imports, by name" interpreter

# ---- what people are told ----------------------------------------------------------------------

# refuses STATUS MESSAGE OPTION...
refuses() {
	wanted=$1 message=$2
	shift 2
	run_tracer "$@" -- true
	assert_status "$wanted"
	assert_match "$message" "$T/err"
	assert_eq "$(count_events .)" 0 events
}

mistakes() {
	need_workload
	on_this_machine
	refuses 2 "there is no ':' between file and probe" --usdt app
	refuses 1 'there is no program or library nosuch$' --usdt nosuch:a:b
	refuses 1 ': no USDT probes in .*/calls: it was built without <sys/sdt.h> probes' --usdt "$WORKLOADS/calls:a:b"
	refuses 1 'has no USDT probe app:nubmers \(did you mean app:numbers' --usdt "$WORKLOADS/usdt:app:nubmers"
	refuses 1 'has no USDT probe nubmers \(did you mean numbers' --usdt "$WORKLOADS/usdt:nubmers"
	refuses 1 'has no USDT probe app:zzzzzzzzzzz \(tracer --list usdt BIN shows them\)' --usdt "$WORKLOADS/usdt:app:zzzzzzzzzzz"
	refuses 1 'no USDT probe of .* matches app:z\* \(tracer --list' --usdt "$WORKLOADS/usdt:app:z*"
	refuses 1 'app and other both have such a probe: say which' --usdt "$WORKLOADS/usdt:start"
	refuses 1 'arg6 is not there: this probe has 5 arguments' --usdt "$WORKLOADS/usdt:numbers" --if 'arg6 > 1'
	refuses 1 'arg1 is not there: this probe has no arguments' --usdt "$WORKLOADS/usdt:app:start" --if 'arg1 > 1'
	refuses 1 'this is never true: what is compared is from 0 to 255' --usdt "$WORKLOADS/usdt:numbers" --if 'arg3 > 255'
	refuses 1 'that is so at app:[a-z]+, 0x' --usdt "$WORKLOADS/usdt:app:*" --if 'arg1 == "x"'
	! is_x86 || refuses 1 'arg1 is in a vector register' --usdt "$WORKLOADS/usdt:ratio" --if 'arg1 > 1'
	refuses 1 'ret is known to' --usdt "$WORKLOADS/usdt:ratio" --if 'ret > 1'
	refuses 1 'arg7 is known to --usdt only' --uprobe "$WORKLOADS/calls:traced_function" --if 'arg7 > 1'
	run_tracer --list usdt "$WORKLOADS/calls"
	assert_status 1
	assert_match ': it was built without <sys/sdt.h> probes' "$T/err"
	run_tracer --list usdt "$WORKLOADS/usdt" zzz
	assert_status 1
	assert_match 'has no USDT probes that match zzz' "$T/err"
}
t_case "mistakes: what was meant, and what to do" mistakes 120

# bad_notes NAME PC SEMAPHORE: a program with one probe, bad:probe, whose note says that.
bad_notes() {
	cat >bad.S <<S
.globl _start
.type _start, @function
_start: movabs \$0x9090909090909090, %rax
after: mov \$60, %eax
xor %edi, %edi
syscall
.size _start, . - _start
.section .stapsdt.base, "a"
base: .byte 0
.section .note.stapsdt, "", "note"
.4byte 8, 994f - 993f, 3
.asciz "stapsdt"
993: .8byte $2, base, $3
.asciz "bad"
.asciz "probe"
.asciz "4@%eax"
994: .balign 4
S
	gcc -nostdlib -static -o "$1" bad.S
}

bad() {
	need gcc objcopy
	is_x86 || skip "of x86-64"
	on_this_machine
	bad_notes right after 0
	run_tracer --usdt "$PWD/right:probe" -- ./right
	assert_status 0
	assert_summary 1 1
	bad_notes inside _start+4 0
	refuses 1 'left out: 0x[0-9a-f]+, where a note says that bad:probe is, is inside the instruction at 0x' --usdt "$PWD/inside:probe"
	assert_match 'inside:probe: nothing of it can be probed' "$T/err"
	bad_notes outside 0x123456 0
	refuses 1 '0x123456 is not in code that the file holds' --usdt "$PWD/outside:probe"
	bad_notes counted after 0x123456
	refuses 1 'the semaphore of bad:probe, 0x123456, is not in data that the file holds' --usdt "$PWD/counted:probe"
	objcopy --dump-section .note.stapsdt=note right
	head -c 60 note >cut.note
	objcopy --update-section .note.stapsdt=cut.note right damaged 2>/dev/null
	refuses 1 'the notes about USDT probes in .*/damaged are damaged' --usdt "$PWD/damaged:probe"
	{ cat note && printf 'rubbish rubbish rubbish'; } >more.note
	objcopy --update-section .note.stapsdt=more.note right rest 2>/dev/null
	run_tracer --usdt "$PWD/rest:probe" -- ./rest
	assert_status 0
	assert_match 'some notes about USDT probes in .*/rest are damaged, and left out' "$T/err"
	assert_summary 1 1
}
t_case "notes that say what is not so" bad

# The kernel has one semaphore for a place, and none if somebody was there before.
taken() {
	need_workload
	run_tracer -v --usdt "$WORKLOADS/usdt:app:guarded" -o seen.txt -- true
	place=$(sed -n 's/.*app:guarded at \(0x[0-9a-f]*\),.*/\1/p' "$T/err")
	refuses 1 'a place has one semaphore, and somebody has a probe there that gave none' \
		--uprobe "$WORKLOADS/usdt:$place" --usdt "$WORKLOADS/usdt:app:guarded"
}
t_case "a place that somebody else has a probe on, without the semaphore" taken

# Both providers, if that is said.
both() {
	need_workload
	run_tracer --usdt "$WORKLOADS/usdt:*:start" -o seen.txt -- "$WORKLOADS/usdt"
	assert_status 0
	assert_summary 2 1
	assert_match '2 probes, 2 places' "$T/err"
}
t_case "one name of several providers" both
