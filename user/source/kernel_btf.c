// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel_btf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "btf_bytes.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

uint32_t btf_bytes_function(const void *bytes, size_t size, const char *name)
{
	const struct btf_type *type;
	struct btf_bytes btf;
	size_t at = 0;

	if (btf_bytes_open(&btf, bytes, size))
		return 0;
	for (uint32_t id = 1; (type = btf_bytes_next(&btf, &at)); id++)
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(btf_bytes_name(&btf, type->name_off), name))
			return id;
	return 0;
}

/* Kernels before 6.16 cannot map it, and give a page at a time. */
static int read_all(int fd, struct kernel_btf *btf)
{
	size_t done = 0;
	ssize_t got = 1;

	btf->bytes = malloc(btf->size);
	if (!btf->bytes)
		return -ENOMEM;
	while (done < btf->size && got > 0) {
		got = read(fd, (char *)btf->bytes + done, btf->size - done);
		done += got > 0 ? (size_t)got : 0;
	}
	if (done == btf->size)
		return 0;
	free(btf->bytes);
	btf->bytes = NULL;
	return got < 0 ? -errno : -EBADMSG;
}

static int take_bytes(int fd, struct kernel_btf *btf)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (status.st_size <= 0)
		return -ENODATA;
	btf->size = (size_t)status.st_size;
	btf->bytes = mmap(NULL, btf->size, PROT_READ, MAP_PRIVATE, fd, 0);
	btf->is_mapped = btf->bytes != MAP_FAILED;
	return btf->is_mapped ? 0 : read_all(fd, btf);
}

int kernel_btf_open(struct kernel_btf *btf)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = take_bytes(fd, btf);
	close(fd);
	return err;
}

void kernel_btf_close(struct kernel_btf *btf)
{
	if (btf->is_mapped)
		munmap(btf->bytes, btf->size);
	else
		free(btf->bytes);
}

uint32_t kernel_btf_function(const char *name)
{
	struct kernel_btf btf = {};
	uint32_t id;

	if (kernel_btf_open(&btf))
		return 0;
	id = btf_bytes_function(btf.bytes, btf.size, name);
	kernel_btf_close(&btf);
	return id;
}
