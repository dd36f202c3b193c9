// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instructions of x86-64 and arm64 that resolvers move addresses with; all others only spoil registers. */
#include "ifunc_step.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>

/* A general register by its number, and whether all of it is meant. -1: none. */
struct general {
	int number;
	bool is_whole;
};

/* By the CPU's own numbers, in all their widths. */
static struct general x86_register(unsigned id)
{
	static const uint16_t ids[][5] = {
		{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
		{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
		{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL },
		{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
		{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
		{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
		{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
		{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B },
		{ X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B },
		{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B },
		{ X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B },
		{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B },
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (size_t k = 0; k < 5; k++)
			if (ids[i][k] && ids[i][k] == id)
				return (struct general){ (int)i, k == 0 };
	return (struct general){ -1, false };
}

static struct general arm64_register(unsigned id)
{
	if (id >= ARM64_REG_X0 && id <= ARM64_REG_X28)
		return (struct general){ (int)(id - ARM64_REG_X0), true };
	if (id >= ARM64_REG_W0 && id <= ARM64_REG_W30)
		return (struct general){ (int)(id - ARM64_REG_W0), false };
	if (id == ARM64_REG_X29 || id == ARM64_REG_X30)
		return (struct general){ id == ARM64_REG_X29 ? 29 : 30, true };
	return (struct general){ -1, false };
}

static void move(struct ifunc_step *step, int to, int from, int other)
{
	step->kind = IFUNC_CHOOSE;
	step->to = (uint8_t)to;
	step->from = (uint8_t)from;
	step->other = (uint8_t)other;
}

static void address(struct ifunc_step *step, int to, uint64_t value)
{
	step->kind = IFUNC_ADDRESS;
	step->to = (uint8_t)to;
	step->value = value;
}

static void jump(struct ifunc_step *step, enum ifunc_step_kind kind, uint64_t value)
{
	step->kind = kind;
	step->value = value;
}

static bool is_conditional_move(unsigned id)
{
	switch (id) {
	case X86_INS_CMOVA:
	case X86_INS_CMOVAE:
	case X86_INS_CMOVB:
	case X86_INS_CMOVBE:
	case X86_INS_CMOVE:
	case X86_INS_CMOVG:
	case X86_INS_CMOVGE:
	case X86_INS_CMOVL:
	case X86_INS_CMOVLE:
	case X86_INS_CMOVNE:
	case X86_INS_CMOVNO:
	case X86_INS_CMOVNP:
	case X86_INS_CMOVNS:
	case X86_INS_CMOVO:
	case X86_INS_CMOVP:
	case X86_INS_CMOVS:
		return true;
	}
	return false;
}

static void take_x86(csh handle, const cs_insn *instruction, struct ifunc_step *step)
{
	const cs_x86_op *op = instruction->detail->x86.operands;
	uint8_t count = instruction->detail->x86.op_count;
	struct general to = count ? x86_register(op[0].reg) : (struct general){ -1, false };
	struct general from = count == 2 && op[1].type == X86_OP_REG ?
				      x86_register(op[1].reg) :
				      (struct general){ -1, false };
	bool is_move = to.is_whole && from.is_whole && op[0].type == X86_OP_REG;

	if (is_move && instruction->id == X86_INS_MOV)
		move(step, to.number, from.number, from.number);
	else if (is_move && is_conditional_move(instruction->id))
		move(step, to.number, from.number, to.number);
	else if (instruction->id == X86_INS_LEA && to.is_whole && op[1].mem.base == X86_REG_RIP)
		address(step, to.number,
			instruction->address + instruction->size + (uint64_t)op[1].mem.disp);
	else if (cs_insn_group(handle, instruction, CS_GRP_RET))
		step->kind = IFUNC_RETURN;
	else if (instruction->id == X86_INS_JMP && op[0].type == X86_OP_IMM)
		jump(step, IFUNC_JUMP, (uint64_t)op[0].imm);
	else if (cs_insn_group(handle, instruction, CS_GRP_JUMP) && op[0].type == X86_OP_IMM)
		jump(step, IFUNC_BRANCH, (uint64_t)op[0].imm);
	else if (cs_insn_group(handle, instruction, CS_GRP_JUMP))
		step->kind = IFUNC_ELSEWHERE;
}

/* Capstone 4 has bl among the jumps, and not among the calls. */
static bool is_arm64_call(const cs_insn *instruction)
{
	return instruction->id == ARM64_INS_BL || instruction->id == ARM64_INS_BLR;
}

static void take_arm64_branch(const cs_insn *instruction, struct ifunc_step *step)
{
	const cs_arm64 *detail = &instruction->detail->arm64;
	const cs_arm64_op *last = detail->op_count ? &detail->operands[detail->op_count - 1] : NULL;

	if (!last || last->type != ARM64_OP_IMM)
		step->kind = IFUNC_ELSEWHERE;
	else if (instruction->id == ARM64_INS_B && detail->cc == ARM64_CC_INVALID)
		jump(step, IFUNC_JUMP, (uint64_t)last->imm);
	else
		jump(step, IFUNC_BRANCH, (uint64_t)last->imm);
}

static struct general general_operand(const cs_arm64_op *operands, uint8_t count, uint8_t index)
{
	if (index >= count || operands[index].type != ARM64_OP_REG)
		return (struct general){ -1, false };
	return arm64_register(operands[index].reg);
}

static void take_arm64(csh handle, const cs_insn *instruction, struct ifunc_step *step)
{
	const cs_arm64_op *op = instruction->detail->arm64.operands;
	uint8_t count = instruction->detail->arm64.op_count;
	struct general to = general_operand(op, count, 0), from = general_operand(op, count, 1),
		       other = general_operand(op, count, 2);

	if (cs_insn_group(handle, instruction, CS_GRP_RET) || instruction->id == ARM64_INS_RET) {
		step->kind = IFUNC_RETURN;
	} else if (cs_insn_group(handle, instruction, CS_GRP_JUMP) && !is_arm64_call(instruction)) {
		take_arm64_branch(instruction, step);
	} else if (!to.is_whole) {
		return;
	} else if (instruction->id == ARM64_INS_ADRP || instruction->id == ARM64_INS_ADR) {
		address(step, to.number, (uint64_t)op[1].imm);
	} else if (instruction->id == ARM64_INS_MOV && from.is_whole) {
		move(step, to.number, from.number, from.number);
	} else if (instruction->id == ARM64_INS_CSEL && from.is_whole && other.is_whole) {
		move(step, to.number, from.number, other.number);
	} else if (instruction->id == ARM64_INS_ADD && from.is_whole && count == 3 &&
		   op[2].type == ARM64_OP_IMM && !op[2].shift.value) {
		step->kind = IFUNC_ADD;
		step->to = (uint8_t)to.number;
		step->from = (uint8_t)from.number;
		step->value = (uint64_t)op[2].imm;
	}
}

/* What a call leaves: the registers that are the caller's to save. */
#define X86_SPOILED   0x0fc7u /* rax, rcx, rdx, rsi, rdi, r8 to r11 */
#define ARM64_SPOILED 0x4007ffffu

static uint32_t written_by(csh handle, const cs_insn *instruction, bool is_arm64)
{
	cs_regs read, written;
	uint8_t read_count, written_count;
	uint32_t mask = 0;

	if (cs_insn_group(handle, instruction, CS_GRP_CALL) ||
	    (is_arm64 && is_arm64_call(instruction)))
		return is_arm64 ? ARM64_SPOILED : X86_SPOILED;
	if (cs_regs_access(handle, instruction, read, &read_count, written, &written_count))
		return UINT32_MAX;
	for (uint8_t i = 0; i < written_count; i++) {
		int number =
			(is_arm64 ? arm64_register(written[i]) : x86_register(written[i])).number;

		if (number >= 0)
			mask |= 1u << number;
	}
	return mask;
}

void ifunc_step_take(csh handle, uint16_t machine, const cs_insn *instruction,
		     struct ifunc_step *step)
{
	bool is_arm64 = machine == EM_AARCH64;

	*step = (struct ifunc_step){ .address = instruction->address, .size = instruction->size };
	step->written = written_by(handle, instruction, is_arm64);
	if (is_arm64)
		take_arm64(handle, instruction, step);
	else
		take_x86(handle, instruction, step);
}
