// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Instruction boundaries. On arm64 every aligned word is one. On x86-64 only decoding from a place
 * that is known to be a boundary, a function's start, can tell; and when one instruction on the way
 * cannot be decoded, nothing after it is known, which is an answer too.
 */
#include "instruction.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>

#include "elf_file.h"

#define WINDOW 4096

/* Decodes what is whole in code[0..size) until an instruction ends at or after target. */
static size_t decode(csh handle, cs_insn *instruction, const uint8_t *code, size_t size,
		     uint64_t *at, uint64_t target)
{
	const uint8_t *start = code;

	/* cs_disasm_iter moves code, size and *at on by each instruction. */
	while (*at < target && cs_disasm_iter(handle, &code, &size, at, instruction))
		;
	return (size_t)(code - start);
}

static int walk_x86(csh handle, cs_insn *instruction, const struct elf_file *file, uint64_t at,
		    uint64_t target, uint64_t *begins)
{
	uint8_t window[WINDOW];

	while (at < target) {
		size_t size = elf_file_read(file, at, window, sizeof(window));

		if (!size)
			return -EFAULT;
		/* An instruction cut by the window's end is read again as the next one's first. */
		if (!decode(handle, instruction, window, size, &at, target))
			return -ENOEXEC;
	}
	if (at == target)
		return elf_file_read(file, at, window, 1) ? 0 : -EFAULT;
	*begins = instruction->address;
	return -EILSEQ;
}

static int check_x86(const struct elf_file *file, uint64_t function, uint64_t target,
		     uint64_t *begins)
{
	cs_insn *instruction = NULL;
	csh handle;
	int err = -ENOMEM;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return -ENOTSUP;
	instruction = cs_malloc(handle);
	if (instruction) {
		err = walk_x86(handle, instruction, file, function, target, begins);
		cs_free(instruction, 1);
	}
	cs_close(&handle);
	return err;
}

static int check_arm64(const struct elf_file *file, uint64_t target, uint64_t *begins)
{
	uint8_t word[4];

	if (target % sizeof(word)) {
		*begins = target - target % sizeof(word);
		return -EILSEQ;
	}
	return elf_file_read(file, target, word, sizeof(word)) == sizeof(word) ? 0 : -EFAULT;
}

int instruction_check_boundary(const struct elf_file *file, uint64_t function_vaddr, uint64_t vaddr,
			       uint64_t *begins)
{
	if (vaddr < function_vaddr)
		return -EFAULT;
	if (elf_file_machine(file) == EM_X86_64 && elf_file_is_64bit(file))
		return check_x86(file, function_vaddr, vaddr, begins);
	if (elf_file_machine(file) == EM_AARCH64)
		return check_arm64(file, vaddr, begins);
	return -ENOTSUP;
}
