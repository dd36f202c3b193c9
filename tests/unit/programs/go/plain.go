// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

//go:build !cgo

package main

func hook() {}
