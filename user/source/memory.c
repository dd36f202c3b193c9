// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "memory.h"

#include <errno.h>
#include <sys/uio.h>

bool memory_read(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	struct iovec local = { buffer, size };
	struct iovec remote = { (void *)(uintptr_t)address, size };
	ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	if (got >= 0 && (size_t)got < size)
		errno = EFAULT;
	return got == (ssize_t)size;
}
