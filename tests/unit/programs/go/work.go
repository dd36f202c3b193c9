// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"time"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
func deep(n int) int {
	var x [100]int
	if n == 0 {
		return 0
	}
	x[n%100] = n
	return deep(n-1) + x[n%100]
}
func work(c chan int) {
	re := regexp.MustCompile(`a(\d+)b`)
	for {
		m := map[string][]int{}
		for i := 0; i < 100; i++ {
			k := fmt.Sprint(i * 7 % 13)
			m[k] = append(m[k], fib(i%10))
		}
		b, _ := json.Marshal(m)
		json.Unmarshal(b, &m)
		var k []string
		for s := range m {
			k = append(k, s)
		}
		sort.Strings(k)
		re.FindAll(b, -1)
		sha256.Sum256(b)
		select {
		case c <- deep(500):
		default:
		}
		func() { defer func() { recover() }(); var p *int; *p = 1 }()
		os.Getpid()
		hook()
	}
}
func main() {
	c := make(chan int)
	for i := 0; i < 3; i++ {
		go work(c)
	}
	go func() {
		for range c {
			time.Sleep(time.Millisecond)
		}
	}()
	work(c)
}
