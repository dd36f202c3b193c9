// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * call N LIBRARY FUNCTION FORM: calls a function of a library N times, all from call_it(). FORM says with what:
 * l (11, 22, 33), d (1.5), s ("tracer", "tracer", 6), z (0, "tracer", 6), n ().
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

union function {
	void *symbol;
	long (*of_longs)(long, long, long);
	double (*of_double)(double);
	long (*of_strings)(char *, char *, long);
	long (*of_buffer)(long, char *, long);
	long (*of_nothing)(void);
};

KEEP static void call_it(union function function, char form, long times)
{
	char first[] = "tracer", second[] = "tracer";

	for (long i = 0; i < times; i++) {
		switch (form) {
		case 'l':
			function.of_longs(11, 22, 33);
			break;
		case 'd':
			function.of_double(1.5);
			break;
		case 's':
			function.of_strings(first, second, 6);
			break;
		case 'z':
			function.of_buffer(0, first, 6);
			break;
		default:
			function.of_nothing();
		}
	}
}

int main(int argc, char **argv)
{
	union function function;
	void *library;

	if (argc != 5) {
		fprintf(stderr, "usage: call N LIBRARY FUNCTION l|d|s|z|n\n");
		return 2;
	}
	library = dlopen(argv[2], RTLD_NOW);
	function.symbol = library ? dlsym(library, argv[3]) : NULL;
	if (!function.symbol) {
		fprintf(stderr, "call: %s\n", dlerror());
		return 1;
	}
	call_it(function, argv[4][0], atol(argv[1]));
	return 0;
}
