// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

//go:build cgo

package main

// #include <math.h>
// #include <stdlib.h>
// #include <string.h>
// extern int back(int);
// static double c_work(int n) { double s = 0; for (int i = 0; i < n * 1000; i++) s += sin(i) * sqrt(i); return s + back(n); }
import "C"

//export back
func back(n C.int) C.int { return C.int(fib(int(n))) }

func hook() { C.c_work(10) }
