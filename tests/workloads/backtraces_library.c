// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A library that calls back, from a frame of FRAME_BYTES. */
#include "backtrace.h"

void library_entry(void (*callback)(void));

static APART void library_inner(void (*callback)(void))
{
	volatile char locals[FRAME_BYTES];

	locals[0] = 1;
	callback();
	locals[1] = locals[0];
}

#ifdef WITH_RESOLVER
typedef void (*implementation)(void (*callback)(void));

/* Runs while the loader binds the call. A resolver must not need the loader, so it has its own copy. */
static void (*resolver_callback)(void);

static APART implementation resolve(void)
{
	if (resolver_callback)
		resolver_callback();
	return library_inner;
}

void library_chosen(void (*callback)(void)) __attribute__((ifunc("resolve")));

APART void library_entry(void (*callback)(void))
{
	resolver_callback = callback;
	library_chosen(callback);
	__asm__ volatile("" ::: "memory");
}
#else
APART void library_entry(void (*callback)(void))
{
	library_inner(callback);
	__asm__ volatile("" ::: "memory");
}
#endif
