/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The vDSO as an ELF file. Ours is everybody's: the kernel has one image for all 64-bit programs. */
#ifndef TRACER_VDSO_H
#define TRACER_VDSO_H

struct elf_file;

/* 0; -ENOENT when the kernel gave us none; another -errno of elf_file_open_memory(). */
int vdso_open(struct elf_file **file);

#endif
