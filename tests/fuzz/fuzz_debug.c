// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libFuzzer target: a whole ELF file with DWARF, and everything that user/debug/ offers asked of it.
 * Run by `make fuzz`. Seeds: such files.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/debug_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the seeds' programs have. */
static const char *const functions[] = { "main", "step", "ns::T::f", "f", "_ZN2ns1T1fEi", NULL };
static const char *const variables[] = { "v", "ns::v", "t", "calls", "ns::T::f::calls", "e", NULL };
static const char *const files[] = { "seed.c", "seed.cc", "none/seed.c", NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct debug_info *info;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && !debug_info_open_fd(fd, &info)) {
		walk_debug_info(info, functions, variables, files);
		debug_info_close(info);
	}
	close(fd);
	return 0;
}
