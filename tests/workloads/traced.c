// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The functions that the tests probe; linked into several workloads. See traced.h. */
#include "traced.h"

#include "workload.h"

KEEP void traced_function(unsigned long a, unsigned long b, unsigned long c, unsigned long d,
			  unsigned long e, unsigned long f)
{
	KEEP_FRAME();
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f) : "memory");
}

KEEP unsigned long returns_value(unsigned long i)
{
	KEEP_FRAME();
	return 2 * i + 1;
}

KEEP unsigned long caller_function(unsigned long calls, unsigned long pause_us)
{
	unsigned long sum = 0;

	for (unsigned long i = 1; calls == 0 || i <= calls; i++) {
		traced_function(i, 2 * i, 3, 4, 5, 6);
		sum += returns_value(i);
		if (pause_us)
			sys_sleep_us(pause_us);
	}
	return sum;
}
