// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unprivileged PROGRAM [ARG]...
 *
 * Runs PROGRAM (a path) as user and group 65534, without further groups and without any capability.
 * PROGRAM is opened before, so it need not be in a folder that this user may enter. Exit status: that of
 * PROGRAM; 126 when privileges cannot be given up, 127 when PROGRAM cannot be run.
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

#define NOBODY 65534

int main(int argc, char **argv)
{
	extern char **environ;
	long err;
	int fd;

	if (argc < 2)
		return 2;
	fd = open(argv[1], O_PATH | O_CLOEXEC);
	if (fd < 0)
		return 127;
	/* Without ambient capabilities the new user's first exec has none. */
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || setuid(0) == 0)
		return 126;
	/* by its path where that may be entered; a 5.10 kernel does not find an fd on its first file system */
	execv(argv[1], argv + 1);
	err = raw_syscall(SYS_execveat, fd, (long)"", (long)(argv + 1), (long)environ,
			  AT_EMPTY_PATH, 0);
	fprintf(stderr, "%s: %s\n", argv[1], strerror((int)-err));
	return 127;
}
