/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An ELF file made by hand that holds nothing but code. Included after cmocka and string.h. */
#ifndef TRACER_TEST_CODE_FILE_H
#define TRACER_TEST_CODE_FILE_H

#include <elf.h>

#include "object/elf_file.h"

#define BASE	    0x10000ull
#define CODE_OFFSET 0x1000

/* A file of one executable segment that holds code. */
struct image {
	union {
		Elf64_Ehdr header;
		uint8_t bytes[CODE_OFFSET + 16384];
	};
};

static inline struct elf_file *file_of(struct image *image, uint16_t machine, const void *code,
				       size_t size)
{
	Elf64_Phdr *segment = (Elf64_Phdr *)(image->bytes + sizeof(Elf64_Ehdr));
	struct elf_file *file;

	memset(image, 0, sizeof(*image));
	memcpy(image->header.e_ident, ELFMAG, SELFMAG);
	image->header.e_ident[EI_CLASS] = ELFCLASS64;
	image->header.e_ident[EI_DATA] = ELFDATA2LSB;
	image->header.e_ident[EI_VERSION] = EV_CURRENT;
	image->header.e_type = ET_EXEC;
	image->header.e_machine = machine;
	image->header.e_version = EV_CURRENT;
	image->header.e_ehsize = sizeof(Elf64_Ehdr);
	image->header.e_phoff = sizeof(Elf64_Ehdr);
	image->header.e_phentsize = sizeof(Elf64_Phdr);
	image->header.e_phnum = 1;
	segment->p_type = PT_LOAD;
	segment->p_flags = PF_R | PF_X;
	segment->p_offset = CODE_OFFSET;
	segment->p_vaddr = BASE;
	segment->p_filesz = segment->p_memsz = size;
	memcpy(image->bytes + CODE_OFFSET, code, size);
	assert_int_equal(elf_file_open_memory(image, sizeof(*image), &file), 0);
	return file;
}

#endif
