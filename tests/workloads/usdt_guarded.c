// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PROVIDER:guarded, which is there only for those who listen. */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include "usdt.h"

#define JOIN(a, b)   a##b
#define NAME(a, b)   JOIN(a, b)
#define SEMAPHORE    NAME(PROVIDER, _guarded_semaphore)
#define PROBE(value) STAP_PROBE1(PROVIDER, guarded, value)

/* Where whoever listens finds it, by the note. */
__attribute__((section(".probes"), visibility("hidden"))) volatile unsigned short SEMAPHORE;
static int listened;

void NAME(PROVIDER, _guarded)(int i)
{
	if (!SEMAPHORE)
		return;
	listened++;
	PROBE(i);
}

int NAME(PROVIDER, _semaphore)(void)
{
	return SEMAPHORE;
}

int NAME(PROVIDER, _listened)(void)
{
	return listened;
}
