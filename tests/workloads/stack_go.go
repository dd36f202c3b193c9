// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// stack_go: computes in main.fib, in the main goroutine, in others, and called back by sort.Slice.
// stack_go MS: after so long, main.starts starts 20 goroutines, each of which needs a larger stack in main.deep.
package main

import (
	"os"
	"sort"
	"strconv"
	"sync"
	"time"
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

//go:noinline
func deep(n int) int {
	var room [100]int
	if n == 0 {
		return 0
	}
	room[n] = n
	return deep(n-1) + room[n]
}

//go:noinline
func starts() {
	done := make(chan int)
	for i := 0; i < 20; i++ {
		go func() { done <- deep(20) }()
		<-done
	}
}

func main() {
	if len(os.Args) > 1 {
		ms, _ := strconv.Atoi(os.Args[1])
		time.Sleep(time.Duration(ms) * time.Millisecond)
		starts()
		return
	}
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
