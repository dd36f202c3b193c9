// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * many N: calls each of the 1,000 functions many_000 to many_999 N times. Exits with 0.
 */
#include "workload.h"

/* Each time it is asked, clang-format wants these another way. */
/* clang-format off */
#define FUNCTION(name)                                                                           \
	static KEEP long many_##name(long value)                                                 \
	{                                                                                        \
		__asm__ volatile("" : "+r"(value));                                              \
		return value + 1;                                                                \
	}
#define NAME(name) many_##name,

#define TEN(each, tens)                                                                          \
	each(tens##0) each(tens##1) each(tens##2) each(tens##3) each(tens##4)                    \
	each(tens##5) each(tens##6) each(tens##7) each(tens##8) each(tens##9)
#define HUNDRED(each, hundreds)                                                                  \
	TEN(each, hundreds##0) TEN(each, hundreds##1) TEN(each, hundreds##2)                     \
	TEN(each, hundreds##3) TEN(each, hundreds##4) TEN(each, hundreds##5)                     \
	TEN(each, hundreds##6) TEN(each, hundreds##7) TEN(each, hundreds##8) TEN(each, hundreds##9)
#define THOUSAND(each)                                                                           \
	HUNDRED(each, 0) HUNDRED(each, 1) HUNDRED(each, 2) HUNDRED(each, 3) HUNDRED(each, 4)     \
	HUNDRED(each, 5) HUNDRED(each, 6) HUNDRED(each, 7) HUNDRED(each, 8) HUNDRED(each, 9)
/* clang-format on */

THOUSAND(FUNCTION)

int main(int argc, char **argv)
{
	static long (*const functions[])(long) = { THOUSAND(NAME) };
	long times = (long)number_argument(argc, argv, 1, 1), sum = 0;

	for (long i = 0; i < times; i++)
		for (size_t k = 0; k < sizeof(functions) / sizeof(functions[0]); k++)
			sum += functions[k](i);
	return sum == 0;
}
