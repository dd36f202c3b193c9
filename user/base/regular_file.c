// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_file_open(const char *path)
{
	int handle = open(path, O_PATH | O_CLOEXEC), fd;
	struct stat status;
	char link[32];

	if (handle < 0)
		return -errno;
	if (fstat(handle, &status) || !S_ISREG(status.st_mode)) {
		close(handle);
		return -EINVAL;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", handle);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		fd = -errno;
	close(handle);
	return fd;
}
