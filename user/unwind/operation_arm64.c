// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <capstone/capstone.h>

#include "operation_decode.h"

static bool is_register(const cs_arm64_op *op, arm64_reg reg)
{
	return op->type == ARM64_OP_REG && op->reg == reg;
}

static bool is_short(int64_t offset)
{
	return offset == (int16_t)offset;
}

/* add/sub sp, sp, #n; mov sp, x29; add/sub sp, x29, #n */
static void write_sp(const cs_insn *instruction, struct operation *o)
{
	const cs_arm64 *arm64 = &instruction->detail->arm64;
	const cs_arm64_op *ops = arm64->operands;
	bool add = instruction->id == ARM64_INS_ADD, sub = instruction->id == ARM64_INS_SUB;
	int64_t by = 0;

	if (arm64->op_count == 3 && (add || sub) && ops[2].type == ARM64_OP_IMM) {
		by = ops[2].imm << (ops[2].shift.type == ARM64_SFT_LSL ? ops[2].shift.value : 0);
		by = sub ? -by : by;
	} else if (arm64->op_count != 2 || instruction->id != ARM64_INS_MOV) {
		o->effects |= SP_LOST;
		return;
	}
	if (is_register(&ops[1], ARM64_REG_SP)) {
		o->after = (int32_t)by;
	} else if (is_register(&ops[1], ARM64_REG_X29)) {
		o->effects |= SP_FROM_FP;
		o->value = (int32_t)by;
	} else {
		o->effects |= SP_LOST;
	}
}

static void write_fp(const cs_insn *instruction, struct operation *o)
{
	const cs_arm64 *arm64 = &instruction->detail->arm64;
	const cs_arm64_op *ops = arm64->operands;

	if (arm64->op_count == 2 && instruction->id == ARM64_INS_MOV &&
	    is_register(&ops[1], ARM64_REG_SP)) {
		o->effects |= FP_FROM_SP;
	} else if (arm64->op_count == 3 && instruction->id == ARM64_INS_ADD &&
		   is_register(&ops[1], ARM64_REG_SP) && ops[2].type == ARM64_OP_IMM &&
		   ops[2].shift.type == ARM64_SFT_INVALID) {
		o->effects |= FP_FROM_SP;
		o->value = (int32_t)ops[2].imm;
	} else {
		o->effects |= FP_LOST;
	}
}

static void touch(const cs_arm64_op *op, bool load, int64_t offset, struct operation *o)
{
	bool fp = is_register(op, ARM64_REG_X29);

	if (!fp && !is_register(op, ARM64_REG_X30))
		return;
	if (!is_short(offset)) {
		o->effects |= (uint16_t)(load ? (fp ? FP_LOST : RA_LOST) : 0);
	} else if (fp) {
		o->effects |= load ? LOADS_FP : STORES_FP;
		o->fp_offset = (int16_t)offset;
	} else {
		o->effects |= load ? LOADS_RA : STORES_RA;
		o->ra_offset = (int16_t)offset;
	}
}

/* ldr, ldp, str and stp relative to sp, with their way of moving it. false for everything else. */
static bool read_memory(const cs_insn *instruction, struct operation *o)
{
	const cs_arm64 *arm64 = &instruction->detail->arm64;
	bool load = instruction->id == ARM64_INS_LDP || instruction->id == ARM64_INS_LDR;
	bool pair = instruction->id == ARM64_INS_LDP || instruction->id == ARM64_INS_STP;
	unsigned count = pair ? 2 : 1;
	const cs_arm64_op *memory = &arm64->operands[count];
	int64_t offset = 0;

	if ((!load && !pair && instruction->id != ARM64_INS_STR) || arm64->op_count <= count ||
	    memory->type != ARM64_OP_MEM || memory->mem.base != ARM64_REG_SP ||
	    memory->mem.index != ARM64_REG_INVALID)
		return false;
	if (!arm64->writeback)
		offset = memory->mem.disp;
	else if (arm64->op_count == count + 2 && arm64->operands[count + 1].type == ARM64_OP_IMM)
		o->after = (int32_t)arm64->operands[count + 1].imm;
	else
		o->before = memory->mem.disp;
	touch(&arm64->operands[0], load, offset, o);
	if (pair)
		touch(&arm64->operands[1], load, offset + 8, o);
	return true;
}

static void read_rest(size_t handle, const cs_insn *instruction, struct operation *o)
{
	static const uint16_t sp[] = { ARM64_REG_SP, ARM64_REG_WSP };
	static const uint16_t fp[] = { ARM64_REG_X29, ARM64_REG_W29 };
	static const uint16_t ra[] = { ARM64_REG_X30, ARM64_REG_W30 };
	const cs_arm64 *arm64 = &instruction->detail->arm64;
	const cs_arm64_op *to = &arm64->operands[0];

	if (read_memory(instruction, o))
		return;
	if (arm64->op_count && is_register(to, ARM64_REG_SP))
		write_sp(instruction, o);
	else if (operation_writes(handle, instruction, sp, 2))
		o->effects |= SP_LOST;
	if (arm64->op_count && is_register(to, ARM64_REG_X29))
		write_fp(instruction, o);
	else if (operation_writes(handle, instruction, fp, 2))
		o->effects |= FP_LOST;
	if (operation_writes(handle, instruction, ra, 2))
		o->effects |= RA_LOST;
	if (instruction->id == ARM64_INS_ADR && arm64->op_count == 2) {
		o->effects |= NAMES_CODE;
		o->target = (uint64_t)arm64->operands[1].imm;
	}
}

static uint64_t last_immediate(const cs_arm64 *arm64)
{
	const cs_arm64_op *last = &arm64->operands[arm64->op_count - 1];

	return arm64->op_count && last->type == ARM64_OP_IMM ? (uint64_t)last->imm : 0;
}

void operation_arm64(size_t handle, const struct cs_insn *instruction, struct operation *o)
{
	const cs_arm64 *arm64 = &instruction->detail->arm64;

	switch (instruction->id) {
	case ARM64_INS_B:
		o->target = last_immediate(arm64);
		o->flow = arm64->cc == ARM64_CC_INVALID || arm64->cc == ARM64_CC_AL ? FLOW_JUMP :
										      FLOW_BRANCH;
		break;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		o->target = last_immediate(arm64);
		o->flow = FLOW_BRANCH;
		break;
	case ARM64_INS_BL:
		o->target = last_immediate(arm64);
		o->flow = FLOW_CALL;
		o->effects = RA_LOST;
		break;
	case ARM64_INS_BLR:
		o->flow = FLOW_CALL;
		o->effects = RA_LOST;
		break;
	case ARM64_INS_BR:
		o->flow = FLOW_INDIRECT;
		break;
	case ARM64_INS_RET:
		o->flow = FLOW_RETURN;
		break;
	/* Of which capstone says that it writes the link register. */
	case ARM64_INS_SVC:
		break;
	case ARM64_INS_BRK:
	case ARM64_INS_HLT:
	case ARM64_INS_ERET:
		o->flow = FLOW_STOP;
		break;
	default:
		read_rest(handle, instruction, o);
	}
}
