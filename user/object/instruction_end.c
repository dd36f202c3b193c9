// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "instruction_end.h"

#include <capstone/capstone.h>

static unsigned last_of(csh handle, cs_insn *instruction, const uint8_t *code, size_t size)
{
	uint64_t vaddr = 0;
	unsigned length = 0;

	while (size) {
		if (!cs_disasm_iter(handle, &code, &size, &vaddr, instruction))
			return 0;
		length = instruction->size;
	}
	return length;
}

unsigned instruction_ending(const uint8_t *code, size_t size)
{
	unsigned length = 0;
	cs_insn *instruction;
	csh handle;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return 0;
	instruction = cs_malloc(handle);
	if (instruction) {
		length = last_of(handle, instruction, code, size);
		cs_free(instruction, 1);
	}
	cs_close(&handle);
	return length;
}
