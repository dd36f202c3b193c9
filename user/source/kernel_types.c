// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel_types.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "btf_excerpt.h"
#include "kernel_btf.h"

int kernel_types_open(void)
{
	int fd = memfd_create("kernel types", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void kernel_types_path(int fd, char path[KERNEL_TYPES_PATH])
{
	snprintf(path, KERNEL_TYPES_PATH, "/proc/self/fd/%d", fd);
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t done = write(fd, bytes, size);

		if (done < 0)
			return -errno;
		bytes += done;
		size -= (size_t)done;
	}
	return 0;
}

static int write_excerpt(int fd, const struct kernel_btf *kernel, const struct btf *wants)
{
	struct btf *excerpt = NULL;
	const void *bytes;
	uint32_t size = 0;
	int err = btf_excerpt(kernel->bytes, kernel->size, wants, &excerpt);

	if (err)
		return err;
	bytes = btf__raw_data(excerpt, &size);
	err = bytes ? write_all(fd, bytes, size) : -ENOMEM;
	btf__free(excerpt);
	return err;
}

int kernel_types_write(int fd, const struct bpf_object *object)
{
	struct kernel_btf kernel = {};
	int err = kernel_btf_open(&kernel);

	if (err)
		return err;
	err = write_excerpt(fd, &kernel, bpf_object__btf(object));
	/* all of it does as well, and takes longer */
	if (err && !ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET))
		err = write_all(fd, kernel.bytes, kernel.size);
	kernel_btf_close(&kernel);
	return err;
}
