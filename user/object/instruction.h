/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where instructions begin, by decoding (libcapstone): a probe inside one would corrupt the target.
 */
#ifndef TRACER_INSTRUCTION_H
#define TRACER_INSTRUCTION_H

#include <stdint.h>

struct elf_file;

/*
 * Decodes from function_vaddr up to vaddr. 0 when an instruction begins at vaddr; -EILSEQ when
 * vaddr is inside an instruction, with its first byte's address in *begins; -ENOEXEC when the bytes
 * cannot be decoded; -EFAULT when they are not in the file; -ENOTSUP for an architecture we do not
 * decode.
 */
int instruction_check_boundary(const struct elf_file *file, uint64_t function_vaddr, uint64_t vaddr,
			       uint64_t *begins);

#endif
