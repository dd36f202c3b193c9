// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// stack_go: computes in main.fib, in the main goroutine, in others, and called back by sort.Slice.
package main

import (
	"sort"
	"sync"
)

var sink int

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func sorted() {
	numbers := make([]int, 200)
	for i := range numbers {
		numbers[i] = i * 37 % 199
	}
	sort.Slice(numbers, func(a, b int) bool {
		sink += fib(12)
		return numbers[a] < numbers[b]
	})
}

func main() {
	var group sync.WaitGroup
	for i := 0; i < 2; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			fib(33)
		}()
	}
	for i := 0; i < 20; i++ {
		sorted()
	}
	fib(32)
	group.Wait()
}
