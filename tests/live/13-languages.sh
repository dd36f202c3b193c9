#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs that a return probe of the kernel would end: C++ with exceptions, and Go, whose stacks move. Each call and
# each return is seen, and the program goes on.
# once: nothing of it depends on the kernel (make test runs it on this machine only).
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/live/events.sh
. "$(dirname "$0")/events.sh"

# middle() is called 40 times; an exception passes through it in 20 of them.
throwing_program() {
	need g++
	cat >throws.cpp <<'END'
#include <stdexcept>
__attribute__((noinline)) int thrower(int x) { if (x & 1) throw std::runtime_error("odd"); return x; }
__attribute__((noinline)) int middle(int x) { int r = thrower(x); asm volatile("" ::: "memory"); return r + 1; }
__attribute__((noinline)) int tail(int x) { asm volatile("" ::: "memory"); return middle(x); }
int main() {
	int caught = 0;
	for (int i = 0; i < 40; i++)
		try { tail(i); } catch (std::exception &) { caught++; }
	return caught == 20 ? 0 : 1;
}
END
	g++ -O2 -g throws.cpp -o throws
}

exceptions() {
	throwing_program
	run_tracer --uretprobe ./throws:middle -- ./throws
	assert_status 0
	assert_summary 20 1
	# it returns its argument plus one
	events | details | sed -n 's/^= \([0-9]*\) <- .*/\1/p' >got
	awk 'BEGIN { for (i = 0; i < 40; i += 2) printf "%d\n", i + 1 }' >want
	assert cmp want got
}
t_case "C++: returns of what exceptions pass through" exceptions

exceptions_timed() {
	throwing_program
	run_tracer --latency ./throws:middle -- ./throws
	assert_status 0
	assert_match '^throws:middle: 20 calls, ' "$T/out"
	assert_match '  20 more did not return ' "$T/out"
}
t_case "C++: how long calls take that exceptions pass through" exceptions_timed

# Its only way out is a jump to middle(): the kernel's return probe is all there is.
exceptions_tail_call() {
	throwing_program
	run_tracer --uretprobe ./throws:tail --max-events 1 -- ./throws
	assert_match 'warning: .*throws:tail: an exception that passes through it would end the program' "$T/err"
}
t_case "C++: where that cannot be done, people are told" exceptions_tail_call

# add() is called 104 times, deep() 2,004 times by four goroutines, whose stacks grow meanwhile.
go_program() {
	need go
	cat >calls.go <<'END'
package main

import "os"

//go:noinline
func add(a, b int) int {
	if a > 5 {
		return a - b
	}
	return a + b
}

//go:noinline
func deep(n int) int {
	var pad [200]int
	pad[n%200] = n
	if n == 0 {
		return add(1, 2)
	}
	return deep(n-1) + pad[n%200]
}

func main() {
	sum := 0
	done := make(chan int)
	for g := 0; g < 4; g++ {
		go func() {
			total := 0
			for i := 0; i < 25; i++ {
				total += add(i, 3)
			}
			done <- total + deep(500)
		}()
	}
	for g := 0; g < 4; g++ {
		sum += <-done
	}
	if sum == 0 {
		os.Exit(1)
	}
}
END
	GOCACHE=$T/cache HOME=$T go build -o calls-go "$@" calls.go
}

go_calls() {
	go_program
	for function in add:104 deep:2004; do
		for kind in --uprobe --uretprobe; do
			run_tracer "$kind" "./calls-go:main.${function%:*}" -o events.txt -- ./calls-go
			assert_status 0
			assert_summary "${function#*:}" 1
		done
	done
}
t_case "Go: calls and returns, while stacks move" go_calls 120

go_stripped() {
	go_program -ldflags=-s
	run_tracer --uretprobe ./calls-go:main.deep -o events.txt -- ./calls-go
	assert_status 0
	assert_summary 2004 1
}
t_case "Go, stripped: returns" go_stripped 120

go_latency() {
	go_program
	run_tracer --latency ./calls-go:main.add -- ./calls-go
	assert_status 1
	assert_match 'calls of Go begin and end on different threads' "$T/err"
}
t_case "Go: --latency is refused, with the reason" go_latency 120
