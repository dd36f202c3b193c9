// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * recurse DEPTH
 *
 * Calls recurse_down(DEPTH) from main, which calls itself down to 0: DEPTH + 1 calls, all of which return
 * only when the last one has called recurse_leaf once. recurse_down(N) returns N. Prints nothing, exits
 * with 0.
 */
#include "workload.h"

static KEEP void recurse_leaf(void)
{
	KEEP_FRAME();
}

static KEEP unsigned long recurse_down(unsigned long depth)
{
	unsigned long below = 0;

	if (depth)
		below = recurse_down(depth - 1) + 1;
	else
		recurse_leaf();
	__asm__ volatile("" : "+r"(below));
	return below;
}

int main(int argc, char **argv)
{
	unsigned long depth = number_argument(argc, argv, 1, 3);

	return recurse_down(depth) != depth;
}
