// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * middle N
 *
 * Calls middle_function N times (default 1). Its instructions are known: on x86-64 the first is a movabs
 * of 10 bytes, on arm64 all are of 4. So another one begins at middle_function+10 (arm64: +4), and
 * middle_function+1 is inside an instruction, where a probe would corrupt the program: then it exits
 * with 1 or dies. Prints nothing; exits with 0.
 */
#include "workload.h"

unsigned long middle_function(void);

__asm__(".text\n"
	".globl middle_function\n"
	".type middle_function, %function\n"
	"middle_function:\n"
#if defined(__x86_64__)
	"	movabs $0x1122334455667788, %rax\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	pop %rbp\n"
	"	ret\n"
#elif defined(__aarch64__)
	"	mov x0, #0x7788\n"
	"	movk x0, #0x5566, lsl #16\n"
	"	movk x0, #0x3344, lsl #32\n"
	"	movk x0, #0x1122, lsl #48\n"
	"	ret\n"
#endif
	".size middle_function, . - middle_function\n");

int main(int argc, char **argv)
{
	unsigned long calls = number_argument(argc, argv, 1, 1);

	for (unsigned long i = 0; i < calls; i++)
		if (middle_function() != 0x1122334455667788)
			return 1;
	return 0;
}
