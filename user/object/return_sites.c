// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "return_sites.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "detail_decoder.h"
#include "elf_file.h"

#define MOST_BYTES (1u << 20) /* of a function */

void return_sites_free(struct return_sites *found)
{
	free(found->vaddr);
	*found = (struct return_sites){};
}

static int add(struct return_sites *found, uint64_t vaddr)
{
	uint64_t *grown = reallocarray(found->vaddr, found->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	found->vaddr = grown;
	grown[found->count++] = vaddr;
	return 0;
}

/* Where a jump that is written out leads; false: it is in a register or in memory. */
static bool jump_target(const cs_insn *instruction, uint16_t machine, uint64_t *target)
{
	if (machine == EM_X86_64) {
		const cs_x86 *detail = &instruction->detail->x86;

		if (detail->op_count != 1 || detail->operands[0].type != X86_OP_IMM)
			return false;
		*target = (uint64_t)detail->operands[0].imm;
		return true;
	}
	for (uint8_t i = 0; i < instruction->detail->arm64.op_count; i++) {
		/* of cbz and tbz the last one is it */
		if (instruction->detail->arm64.operands[i].type == ARM64_OP_IMM)
			*target = (uint64_t)instruction->detail->arm64.operands[i].imm;
	}
	return instruction->id != ARM64_INS_BR;
}

/* A jump through a table stays inside; but whether it is one is not looked into. */
static bool may_leave(const cs_insn *instruction, uint16_t machine,
		      const struct elf_symbol *function)
{
	uint64_t target = 0;

	if (!jump_target(instruction, machine, &target))
		return true;
	return target < function->vaddr || target - function->vaddr >= function->size;
}

/* Capstone 4 has arm64's bl among the jumps, and not among the calls. */
static bool is_call(csh handle, const cs_insn *instruction, uint16_t machine)
{
	return cs_insn_group(handle, instruction, CS_GRP_CALL) ||
	       (machine == EM_AARCH64 &&
		(instruction->id == ARM64_INS_BL || instruction->id == ARM64_INS_BLR));
}

static int take(csh handle, const cs_insn *instruction, uint16_t machine,
		const struct elf_symbol *function, struct return_sites *found)
{
	if (cs_insn_group(handle, instruction, CS_GRP_RET) ||
	    (machine == EM_AARCH64 && instruction->id == ARM64_INS_RET))
		return add(found, instruction->address);
	if (cs_insn_group(handle, instruction, CS_GRP_JUMP) &&
	    !is_call(handle, instruction, machine))
		found->has_tail_calls |= may_leave(instruction, machine, function);
	return 0;
}

static int decode(csh handle, uint16_t machine, const uint8_t *code,
		  const struct elf_symbol *function, struct return_sites *found)
{
	cs_insn *instruction = cs_malloc(handle);
	uint64_t vaddr = function->vaddr;
	size_t size = function->size;
	int err = instruction ? 0 : -ENOMEM;

	while (!err && size) {
		if (!cs_disasm_iter(handle, &code, &size, &vaddr, instruction))
			err = -ENOEXEC;
		else
			err = take(handle, instruction, machine, function, found);
	}
	if (instruction)
		cs_free(instruction, 1);
	return err;
}

int return_sites_find(const struct elf_file *file, const struct elf_symbol *function,
		      struct return_sites *found)
{
	uint8_t *code;
	csh handle;
	int err;

	*found = (struct return_sites){};
	if (!function->size)
		return -ENODATA;
	if (function->size > MOST_BYTES)
		return -EFBIG;
	err = detail_decoder_open(elf_file_machine(file), &handle);
	if (err)
		return err;
	code = malloc(function->size);
	if (!code)
		err = -ENOMEM;
	else if (elf_file_read(file, function->vaddr, code, function->size) != function->size)
		err = -ENOEXEC;
	else
		err = decode(handle, elf_file_machine(file), code, function, found);
	free(code);
	cs_close(&handle);
	return err;
}
