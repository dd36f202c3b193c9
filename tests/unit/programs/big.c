// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#define F(n)                                                             \
	double f##n(double *a, int k)                                    \
	{                                                                \
		double s = 0;                                            \
		for (int i = 0; i < k; i++)                              \
			for (int j = 0; j < i; j++) {                    \
				s += sin(a[i]) * a[j];                   \
				if (s > 100)                             \
					s -= strlen("x") * a[k - 1 - j]; \
				switch ((i ^ j) & 7) {                   \
				case 0:                                  \
					s *= 2;                          \
					break;                           \
				case 1:                                  \
					s += n;                          \
					break;                           \
				case 5:                                  \
					printf("%f", s);                 \
				}                                        \
			}                                                \
		return s;                                                \
	}
#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
G(1) G(2) G(3) G(4) G(5) G(6) G(7) G(8) G(9) G(10) G(11) G(12) G(13) G(14)
