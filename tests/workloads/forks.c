// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * forks CHILDREN N [exec PROGRAM]
 *
 * Calls caller_function(N) of traced.c, then forks CHILDREN children, all at once, each of which does the
 * same and exits. So traced_function is called N times in the parent and N * CHILDREN times in children.
 * With exec, each child runs PROGRAM with the argument N instead (the tests give it the program calls).
 * Prints nothing; exits with 0 when all children did.
 */
#include <sys/wait.h>

#include "traced.h"
#include "workload.h"

static KEEP void run_child(unsigned long calls, const char *program, char *calls_text)
{
	if (program) {
		execl(program, program, calls_text, (char *)NULL);
		_exit(127);
	}
	caller_function(calls, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long children = number_argument(argc, argv, 1, 1);
	unsigned long calls = number_argument(argc, argv, 2, 1);
	const char *program = argc > 4 && strcmp(argv[3], "exec") == 0 ? argv[4] : NULL;
	int status, failed = 0;

	caller_function(calls, 0);
	for (unsigned long i = 0; i < children; i++) {
		pid_t child = fork();

		if (child == 0)
			run_child(calls, program, argv[2]);
		if (child < 0)
			return 1;
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
