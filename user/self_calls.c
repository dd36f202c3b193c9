// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In a file of its own, so that no caller can be compiled around the call. */
#include "self_calls.h"

unsigned long __attribute__((noinline, noipa)) self_call(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}
