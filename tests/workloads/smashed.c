// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * smashed
 *
 * Calls traced_here(1), traced_here(2), ... each from a function smash whose return address or saved frame
 * pointer has been overwritten meanwhile, and once, last, from an intact one. Prints what each was, as
 * "INDEX WHAT". Its caller's frame is of no fixed size, so that is found by the frame pointer alone.
 */
#include <alloca.h>

#include "backtrace.h"
#include "workload.h"

enum slot { SAVED_FRAME, SAVED_RETURN, SLOTS };

static volatile unsigned long zero;
static uint64_t data[64];

APART void traced_here(unsigned long index)
{
	__asm__ volatile("" : : "r"(index) : "memory");
}

/* value 1 stands for the frame itself. */
static APART void smash(unsigned long index, enum slot slot, uintptr_t value)
{
	volatile uintptr_t *frame = __builtin_frame_address(0);
	uintptr_t intact = frame[slot];

	frame[slot] = value == 1 ? (uintptr_t)frame : value;
	traced_here(index);
	frame[slot] = intact;
}

static APART void from_dynamic_frame(unsigned long index, enum slot slot, uintptr_t value)
{
	char *memory = alloca(100 + zero);

	memory[0] = 1;
	__asm__ volatile("" : : "r"(memory) : "memory");
	smash(index, slot, value);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

static APART void nowhere(void)
{
	zero = 0;
}

int main(void)
{
	const struct {
		const char *what;
		enum slot slot;
		uintptr_t value;
	} cases[] = {
		{ "return-zero", SAVED_RETURN, 0 },
		{ "return-garbage", SAVED_RETURN, 0x1234567812345678 },
		{ "return-to-data", SAVED_RETURN, (uintptr_t)data },
		{ "return-to-stack", SAVED_RETURN, 1 },
		{ "return-to-kernel", SAVED_RETURN, 0xffffffff81000000 },
		{ "return-to-function", SAVED_RETURN, (uintptr_t)nowhere },
		{ "frame-zero", SAVED_FRAME, 0 },
		{ "frame-garbage", SAVED_FRAME, 0x1234567812345678 },
		{ "frame-cyclic", SAVED_FRAME, 1 },
		{ "frame-in-data", SAVED_FRAME, (uintptr_t)&data[32] },
	};
	unsigned long count = sizeof(cases) / sizeof(cases[0]);

	for (unsigned long i = 0; i < count; i++) {
		printf("%lu %s\n", i + 1, cases[i].what);
		from_dynamic_frame(i + 1, cases[i].slot, cases[i].value);
	}
	printf("%lu intact\n", count + 1);
	smash(count + 1, SAVED_FRAME, (uintptr_t)__builtin_frame_address(0));
	return 0;
}
