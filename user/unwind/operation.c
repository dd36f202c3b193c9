// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "operation.h"

#include <capstone/capstone.h>
#include <errno.h>

#include "operation_decode.h"

int decoder_open(struct decoder *decoder, enum unwind_machine machine)
{
	bool arm64 = machine == UNWIND_ARM64;
	csh handle;

	*decoder = (struct decoder){ .machine = machine };
	if (cs_open(arm64 ? CS_ARCH_ARM64 : CS_ARCH_X86, arm64 ? CS_MODE_ARM : CS_MODE_64,
		    &handle) != CS_ERR_OK)
		return -ENOTSUP;
	decoder->handle = handle;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->instruction = cs_malloc(handle);
	if (decoder->instruction)
		return 0;
	decoder_close(decoder);
	return -ENOMEM;
}

void decoder_close(struct decoder *decoder)
{
	csh handle = decoder->handle;

	if (decoder->instruction)
		cs_free(decoder->instruction, 1);
	if (handle)
		cs_close(&handle);
	*decoder = (struct decoder){};
}

bool operation_writes(size_t handle, const struct cs_insn *instruction, const uint16_t *registers,
		      size_t count)
{
	cs_regs read, written;
	uint8_t read_count, written_count;

	if (cs_regs_access(handle, instruction, read, &read_count, written, &written_count))
		return true;
	for (uint8_t i = 0; i < written_count; i++) {
		for (size_t k = 0; k < count; k++) {
			if (written[i] == registers[k])
				return true;
		}
	}
	return false;
}

bool decoder_read(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t vaddr,
		  struct operation *operation)
{
	struct cs_insn *instruction = decoder->instruction;

	*operation = (struct operation){ .pushed = -1, .popped = -1 };
	if (!cs_disasm_iter(decoder->handle, &bytes, &size, &vaddr, instruction))
		return false;
	operation->size = (uint8_t)instruction->size;
	if (decoder->machine == UNWIND_ARM64)
		operation_arm64(decoder->handle, instruction, operation);
	else
		operation_x86(decoder->handle, instruction, operation);
	return true;
}
