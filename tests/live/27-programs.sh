#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Samples. A program whose calls are known: each stack must be one that its source allows. Other programs:
# so many stacks must be complete, and each of those must begin where programs and threads do.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/stacks.sh
. "$(dirname "$0")/stacks.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# sample OPTION... -- COMMAND...: leaves stacks.txt
sample() {
	run_tracer -m 16M -g --user-only --profile=499 -o stacks.txt "$@"
	assert_status 0
	assert_match ', 0 lost' "$T/err"
}

# ---- a program whose calls are known -----------------------------------------------------------

# Before main and after it, a program is within its loader and libc.
LOADER='ld-linux-[a-z0-9-]+\.so\.[0-9]'
AROUND='_init|_fini|__do_global_dtors_aux|(de)?register_tm_clones|frame_dummy'
LIBRARIES="((libc\.so\.6|$LOADER|$AROUND) )*"
# Where libc has called main, which may be about to read its arguments.
MAIN='(number_argument[^ ]* )?main (libc\.so\.6 )+_start'
# "?" is a stub of the program's PLT, which has no name.
COMPUTE="(fib )*compute $MAIN"
SORT="(((fib )*compare )?(libc\.so\.6 )*|\? )sort $MAIN"
TIME="((\[vdso\] )*(libc\.so\.6 )?|\? )ask_time $MAIN"
BETWEEN="((\[vdso\] )*(libc\.so\.6 )*|\? )$MAIN"
GRAMMAR="^($COMPUTE|$SORT|$TIME|$BETWEEN|$LIBRARIES(_start)?) *end$"

# Of each stack the names of functions in MODULE, of other modules the module's name only, and "end" or
# "marked".
stack_words() {
	stacks_of stacks.txt | awk -v own="$1" '{
		for (i = 1; i + 2 <= NF && $i ~ /^0x/; i += 3)
			printf "%s ", $(i + 2) == own ? $(i + 1) : $(i + 2)
		print $NF == "end" ? "end" : "marked"
	}'
}

# known NAME ENOUGH: all stacks of the program, called NAME, are in the grammar; at least ENOUGH are there.
# The loader's very first instructions have no table.
known() {
	stack_words "$1" >words
	grep -v ' marked$' words | grep -vE "$GRAMMAR" >wrong || :
	[ ! -s wrong ] || fail "$(grep -c . wrong) impossible stacks: $(head -n 1 wrong)"
	stacks_of stacks.txt | grep -F "$1" | grep -v ' end$' | grep -vE "^(0x[^ ]+ [^ ]+ $LOADER )+\[" >wrong || :
	[ ! -s wrong ] || fail "$(grep -c . wrong) incomplete stacks outside of the loader: $(head -n 1 wrong)"
	assert_between "$(grep -c '^fib .*compute' words)" "$2" 1000000 "samples in fib"
	assert_between "$(grep -c 'compare .*sort' words)" "$2" 1000000 "samples in a callback of qsort"
	assert_between "$(grep -cF '[vdso] ' words)" 1 1000000 "samples in the vDSO"
}

recursion() {
	need_workload recurses
	sample -- "$WORKLOADS/recurses" 600
	known recurses $((50 / T_SCALE))
}
t_case "samples: recursion, callbacks from libc, the vDSO: nothing but what the source allows" recursion

executes_itself() {
	need_workload recurses
	sample -- "$WORKLOADS/recurses" 200 3
	known recurses $((50 / T_SCALE))
}
t_case "samples: a program that executes itself" executes_itself

# Another program is written into the file of the first. Neither tables nor names may be those of the other.
written_anew() {
	need_workload recurses
	# shellcheck disable=SC2016 # the COMMAND expands it
	run_tracer -m 16M --user-only --profile=499 --by pid -o own.folded -- \
		sh -c 'cp "$1" own && ./own 300 && cp "$2" own && ./own 300' sh "$WORKLOADS/spin" "$WORKLOADS/recurses"
	assert_status 0
	grep '^own' own.folded >own
	awk '{ split($0, frame, ";"); root[frame[1]] }
		/;spin_/ { first[frame[1]] }
		/;(fib|compute)[; ]/ { second[frame[1]] }
		END { for (i in root) { roots++; if (i in first && i in second) both++; if (i in second) named++ }
			print roots + 0, both + 0, named + 0 }' own >verdict
	assert_eq "$(cat verdict)" "2 0 1" "processes, with names of both, with names of the second"
	assert_between "$(folded_sum own ';_start;.*;main;compute;fib')" 5 100000 "samples of the second"
	# the loader's very first instruction has no caller, which nothing says on arm64
	grep -vE 'incomplete: zero [^;]*;[^;]*ld-linux' own >others || :
	grep -E 'incomplete: (not an address|unread|zero|frame not)' others >wrong || :
	[ ! -s wrong ] || fail "$(grep -c . wrong) stacks by a wrong table: $(head -n 1 wrong)"
}
t_case "samples: a program that is written anew in its place" written_anew

deleted() {
	need_workload recurses
	cp "$WORKLOADS/recurses" gone
	start gone ./gone $((20000 * T_SCALE))
	target=$pid
	# it is a program of its own from its exec on
	wait_for 10 grep -q gone "/proc/$target/maps"
	rm gone
	run_tracer -m 16M -g --user-only --profile=499 -o stacks.txt -p "$target" -d 1
	assert_status 0
	stack_words gone >words
	grep -vE "$GRAMMAR" words >wrong || :
	[ ! -s wrong ] || fail "$(grep -c . wrong) impossible or incomplete stacks: $(head -n 1 wrong)"
	# in which of its parts it is by now is not known
	assert_between "$(grep -cE 'compute|sort|ask_time' words)" $((100 / T_SCALE)) 1000000 "samples"
}
t_case "samples: a program whose file was deleted" deleted

elsewhere() {
	need_workload recurses
	need unshare
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir there
	# shellcheck disable=SC2016 # the inner shell expands it
	sample -- unshare -m sh -c 'mount -t tmpfs none there && cp "$1" there/inside && exec there/inside 300' sh "$WORKLOADS/recurses"
	[ ! -e there/inside ] || fail "the file can be seen from here"
	grep -A 1000 -E '^ *[0-9.]+ +inside ' stacks.txt >inside.txt || fail "no samples"
	mv inside.txt stacks.txt
	known inside $((30 / T_SCALE))
}
t_case "samples: a program that only its own mount namespace has" elsewhere

# ---- other programs ----------------------------------------------------------------------------

entry_of() { od -An -t x8 -j 24 -N 8 "$1" | tr -d ' '; }

# thread_root: the address in libc where threads begin, as the compiler's runtime finds it.
thread_root() {
	[ ! -x "$WORKLOADS/backtraces-gcc-O0" ] || "$WORKLOADS/backtraces-gcc-O0" 0 |
		awk '$2 == "a_thread" { print $(NF - 2); exit }'
}

# roots PROGRAM...: complete stacks begin at the entry of one of these files, or where threads do. Those
# that do not are left in wrong.
roots() {
	: >entries
	for file in "$@" /lib64/ld-linux-x86-64.so.2; do
		file=$(readlink -f "$file")
		echo "$(entry_of "$file") ${file##*/}" >>entries
	done
	# A thread may also be before the call that returns there: behind the system call that made it.
	echo "$(thread_root | sed 's/^0x//') libc.so.6" >>entries
	stacks_of stacks.txt | sed -n 's/ end$//p' | awk '
	function number(hexadecimal,   i, value) {
		value = 0
		for (i = 1; i <= length(hexadecimal); i++)
			value = value * 16 + index("0123456789abcdef", substr(hexadecimal, i, 1)) - 1
		return value
	}
	FILENAME == "entries" { entry[++count] = number($1); module[count] = $2; next }
	{
		at = number(substr($(NF - 2), 3))
		for (i = 1; i <= count; i++)
			if ($NF == module[i] && at >= entry[i] - 32 && at - entry[i] < 64)
				next
		print
	}' entries - >wrong
	[ ! -s wrong ] || fail "$(grep -c . wrong) complete stacks begin nowhere: $(head -n 1 wrong)"
}

# mostly_complete PERCENT SAMPLES: so many of the stacks are, of so many at least
mostly_complete() {
	stacks_of stacks.txt >all
	whole=$(grep -c ' end$' all || :)
	total=$(grep -c . all || :)
	assert_between "$total" "$2" 10000000 "samples"
	assert_between $((whole * 100)) $((total * $1)) $((total * 100)) "complete, of $total, times 100"
}

openssl_speed() {
	need openssl
	percent=$1
	shift
	sample -- openssl speed -seconds 1 "$@"
	roots "$(command -v openssl)"
	mostly_complete "$percent" 50
}
openssl_sha() { openssl_speed 99 sha256; }
openssl_rsa() { openssl_speed 98 rsa2048; }
# Its assembly keeps the CFA in a register across a call.
openssl_aes() { openssl_speed 50 -evp aes-128-gcm; }
t_case "samples: OpenSSL, SHA" openssl_sha
t_case "samples: OpenSSL, RSA" openssl_rsa
t_case "samples: OpenSSL, AES-GCM" openssl_aes

python_program() {
	[ -x /usr/bin/python3 ] || skip "no python3 here"
	cat >callbacks.py <<-'END'
		import ctypes
		libc = ctypes.CDLL(None)
		def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
		Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
		def compare(a, b):
		    fib(10)
		    return a[0] - b[0]
		numbers = (ctypes.c_int * 200)(*[i * 37 % 199 for i in range(200)])
		for _ in range(20):
		    libc.qsort(numbers, 200, 4, Compare(compare))
	END
	sample -- /usr/bin/python3 callbacks.py
	roots /usr/bin/python3
	mostly_complete 95 20
	assert_match 'qsort_r' stacks.txt
}
t_case "samples: Python, called back by libc" python_program

# Processes that come and go, each with libraries of its own.
fork_storm() {
	[ -x /usr/bin/python3 ] || skip "no python3 here"
	cat >storm.py <<-'END'
		import os
		def child():
		    import zlib, json, ctypes, decimal
		    data = bytes(range(256)) * 400
		    for _ in range(10):
		        zlib.compress(data, 9)
		    os._exit(0)
		for _ in range(10):
		    children = [os.fork() for _ in range(1)]
		    if 0 in children:
		        child()
		    for pid in children:
		        os.waitpid(pid, 0)
	END
	sample -- /bin/sh -c 'for i in 1 2 3; do /usr/bin/python3 storm.py & done; wait'
	roots /usr/bin/python3 /bin/sh
	mostly_complete 80 50
}
t_case "samples: processes that fork, and load libraries" fork_storm

rust_program() {
	[ -x "$WORKLOADS/stack_rust" ] || skip "no rustc where the tests were built"
	sample -- "$WORKLOADS/stack_rust"
	roots "$WORKLOADS/stack_rust"
	mostly_complete 98 20
	assert_match 'sorted' stacks.txt
}
t_case "samples: Rust, with threads and panics" rust_program

# Where the Go runtime itself takes a stack to be at its end: a goroutine begins in goexit, a thread in mstart
# or mcall.
go_program() {
	[ -x "$WORKLOADS/stack_go" ] || skip "no go where the tests were built"
	sample -- "$WORKLOADS/stack_go"
	stacks_of stacks.txt | sed -n 's/ end$//p' |
		grep -vE ' (runtime\.(goexit|mstart|mcall|rt0_go|clone)|_rt0_amd64)[^ ]* stack_go$' |
		grep -vE ' runtime\.(goschedImpl|preemptPark) .* runtime\.morestack[^ ]* stack_go$' >wrong || :
	[ ! -s wrong ] || fail "$(grep -c . wrong) complete stacks begin nowhere: $(head -n 1 wrong)"
	mostly_complete 97 20
	stacks_of stacks.txt | grep main.fib >goroutines || fail "no samples in main.fib"
	grep -vE ' runtime\.(goexit|main)[^ ]* stack_go (end|\[.*\])$' goroutines >wrong || :
	[ ! -s wrong ] || fail "$(grep -c . wrong) stacks do not lead to goexit: $(head -n 1 wrong)"
	assert_match 'sort\.' stacks.txt
}
t_case "samples: Go" go_program

# What Go's runtime does on a thread's own stack has its caller on a goroutine's.
go_stacks() {
	[ -x "$WORKLOADS/stack_go" ] || skip "no go where the tests were built"
	run_tracer -g --uprobe "$WORKLOADS/stack_go:runtime.newproc1" --uprobe "$WORKLOADS/stack_go:runtime.copystack" \
		-o stacks.txt -- "$WORKLOADS/stack_go" $((500 * T_SCALE))
	assert_status 0
	stacks_of stacks.txt | sed 's/0x[^ ]* \([^ ]*\) stack_go/\1/g; s/\.abi0//g' >all
	grep -F ' main.starts ' all | sort | uniq -c | sed 's/^ *//' >starts
	assert_eq "$(cat starts)" "20 runtime.newproc1 runtime.newproc.func1 runtime.systemstack runtime.newproc main.starts main.main runtime.main runtime.goexit end" "goroutines that were started"
	grep -F ' main.deep ' all >grown || fail "no stack has grown"
	grep -vE '^runtime\.copystack runtime\.newstack runtime\.morestack (main\.deep )+main\.starts\.func1 runtime\.goexit end$' grown >wrong || :
	[ ! -s wrong ] || fail "$(grep -c . wrong) impossible stacks: $(head -n 1 wrong)"
	assert_between "$(grep -c . grown)" 20 1000000 "stacks that have grown"
}
t_case "probes: Go's runtime, on a thread's own stack" go_stacks

# Code that was made at run time has no table: a stack that it is in can only be guessed.
java_script() {
	need node
	sample -- node -e 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(32)'
	roots "$(command -v node)"
	stacks_of stacks.txt | grep -E ' \[anon\] ' >made || skip "no samples in code made at run time"
	assert_no_match ' end$' made
}
t_case "samples: JavaScript, made at run time, is never called complete" java_script
