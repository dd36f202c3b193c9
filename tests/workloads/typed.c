// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * typed: typed_set(i) stores to variables of several types, for i 0, 1 and 2: state IDLE, BUSY, BUSY; ratio i / 4.0;
 * single i * 1.5; is_on i & 1; handler subtract, add, subtract; small -i; letter 'a' + i; name "i". Each once a call.
 * Exits with 0.
 */
#include "workload.h"

#include <stdbool.h>

enum typed_state { IDLE, BUSY = 3 };

static volatile enum typed_state state;
static volatile double ratio;
static volatile float single;
static volatile bool is_on;
static int (*volatile handler)(int);
static volatile short small;
static volatile char letter;
static volatile union {
	char text[8];
	uint64_t word;
} name;

static KEEP int typed_add(int value)
{
	return value + 1;
}

static KEEP int typed_subtract(int value)
{
	return value - 1;
}

static KEEP void typed_set(int i)
{
	state = i ? BUSY : IDLE;
	ratio = i / 4.0;
	single = (float)i * 1.5f;
	is_on = i & 1;
	handler = i & 1 ? typed_add : typed_subtract;
	small = (short)-i;
	letter = (char)('a' + i);
	name.word = (uint64_t)('0' + i);
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		typed_set(i);
	return handler(1) != 0;
}
