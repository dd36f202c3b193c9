// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The image that the kernel has mapped into us. */
#include "vdso.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "elf_file.h"

/* The size of the image in our memory; its headers are the kernel's, so they are believed. */
static size_t vdso_size(const Elf64_Ehdr *header)
{
	const char *image = (const char *)header;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(image + header->e_phoff);
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		size_t end = segments[i].p_offset + segments[i].p_filesz;

		if (segments[i].p_type == PT_LOAD && end > size)
			size = end;
	}
	return size;
}

int vdso_open(struct elf_file **file)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: an address */

	*file = NULL;
	return image ? elf_file_open_memory(image, vdso_size(image), file) : -ENOENT;
}
