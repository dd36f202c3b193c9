// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * aim N
 *
 * Calls aim_first N times, aim_second 2 N and aim_third 3 N times, aim_chosen (an IFUNC) N times, aim_loop N
 * times, whose first instruction behind endbr64 runs three times a call, and on x86-64 with AVX aim_vector N
 * times, which begins with an AVX instruction. Functions return their argument plus one. Exits with 0.
 */
#include "workload.h"

#include <stdbool.h>

long aim_first(long value);

/* Not static, so that it begins with endbr64 as functions do that others may call. */
KEEP long aim_first(long value)
{
	KEEP_FRAME();
	return value + 1;
}

static KEEP long aim_second(long value)
{
	KEEP_FRAME();
	return value + 1;
}

static KEEP long aim_third(long value)
{
	KEEP_FRAME();
	return value + 1;
}

static KEEP long chosen_positive(long value)
{
	return value + 1;
}

static KEEP long chosen_other(long value)
{
	return value + 1;
}

/* Known only where it runs; the environment does not matter, but the compiler does not know that. */
static volatile int never;

static long (*choose(void))(long)
{
	return never ? chosen_other : chosen_positive;
}

long aim_chosen(long value) __attribute__((ifunc("choose")));

long aim_loop(long value, int from);
long aim_vector(long value);

__asm__(".text\n"
	".globl aim_loop\n"
	".type aim_loop, %function\n"
	"aim_loop:\n"
#if defined(__x86_64__)
	"	endbr64\n"
	"1:	push %rdi\n"
	"	pop %rax\n"
	"	inc %esi\n"
	"	cmp $3, %esi\n"
	"	jb 1b\n"
	"	inc %rax\n"
	"	ret\n"
#elif defined(__aarch64__)
	"	bti c\n"
	"1:	add x2, x0, #1\n"
	"	add w1, w1, #1\n"
	"	cmp w1, #3\n"
	"	b.lo 1b\n"
	"	mov x0, x2\n"
	"	ret\n"
#endif
	".size aim_loop, . - aim_loop\n"
	".globl aim_vector\n"
	".type aim_vector, %function\n"
	"aim_vector:\n"
#if defined(__x86_64__)
	"	vpxor %xmm1, %xmm1, %xmm1\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
#elif defined(__aarch64__)
	"	add x0, x0, #1\n"
	"	ret\n"
#endif
	".size aim_vector, . - aim_vector\n");

static bool has_vectors(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx");
#else
	return true;
#endif
}

int main(int argc, char **argv)
{
	long times = (long)number_argument(argc, argv, 1, 1), sum = 0;

	for (long i = 0; i < times; i++)
		sum += aim_first(i) + aim_chosen(i) + aim_loop(i, 0);
	for (long i = 0; i < 2 * times; i++)
		sum += aim_second(i);
	for (long i = 0; i < 3 * times; i++)
		sum += aim_third(i);
	for (long i = 0; has_vectors() && i < times; i++)
		sum += aim_vector(i);
	return sum == 0;
}
