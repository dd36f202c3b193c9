// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <capstone/capstone.h>

#include "operation_decode.h"

static bool is_register(const cs_x86_op *op, x86_reg reg)
{
	return op->type == X86_OP_REG && op->reg == reg;
}

/* base + displacement, and nothing else? */
static bool is_plain(const cs_x86_op *op, x86_reg base)
{
	return op->type == X86_OP_MEM && op->mem.base == base && op->mem.index == X86_REG_INVALID &&
	       op->mem.segment == X86_REG_INVALID && op->mem.disp == (int32_t)op->mem.disp;
}

static int8_t dwarf_number(x86_reg reg)
{
	static const x86_reg order[] = {
		X86_REG_RAX, X86_REG_RDX, X86_REG_RCX, X86_REG_RBX, X86_REG_RSI, X86_REG_RDI,
		X86_REG_RBP, X86_REG_RSP, X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
		X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15,
	};

	for (int8_t i = 0; i < (int8_t)(sizeof(order) / sizeof(*order)); i++) {
		if (order[i] == reg)
			return i;
	}
	return -1;
}

/* Operands of 16 bits move the stack pointer by 2, which nobody does. */
static void read_push(const cs_x86_op *op, struct operation *o)
{
	if (op->type != X86_OP_IMM && op->size != 8) {
		o->effects |= SP_LOST;
		return;
	}
	o->before = -8;
	if (is_register(op, X86_REG_RBP))
		o->effects |= STORES_FP;
	else if (op->type == X86_OP_REG)
		o->pushed = dwarf_number(op->reg);
}

static void read_pop(const cs_x86_op *op, struct operation *o)
{
	if (op->size != 8 || is_register(op, X86_REG_RSP)) {
		o->effects |= SP_LOST;
		return;
	}
	if (is_register(op, X86_REG_RBP))
		o->effects |= LOADS_FP;
	else if (op->type == X86_OP_REG)
		o->popped = dwarf_number(op->reg);
	o->after = 8;
}

/* Is the new rsp what it was plus a constant? */
static bool read_sum(unsigned id, const cs_x86_op *from, struct operation *o)
{
	int64_t by = from->imm;

	if (id == X86_INS_LEA && is_plain(from, X86_REG_RSP))
		by = from->mem.disp;
	else if (from->type != X86_OP_IMM || (id != X86_INS_ADD && id != X86_INS_SUB))
		return false;
	if (by < -(1 << 30) || by > 1 << 30)
		return false;
	o->after = (int32_t)(id == X86_INS_SUB ? -by : by);
	return true;
}

static void write_sp(unsigned id, const cs_x86_op *from, struct operation *o)
{
	if (read_sum(id, from, o))
		return;
	if (id == X86_INS_MOV && is_register(from, X86_REG_RBP)) {
		o->effects |= SP_FROM_FP;
	} else if (id == X86_INS_LEA && is_plain(from, X86_REG_RBP)) {
		o->effects |= SP_FROM_FP;
		o->value = (int32_t)from->mem.disp;
	} else {
		o->effects |= SP_LOST;
	}
}

static void write_fp(unsigned id, const cs_x86_op *from, struct operation *o)
{
	if (id == X86_INS_MOV && is_register(from, X86_REG_RSP)) {
		o->effects |= FP_FROM_SP;
	} else if (id == X86_INS_LEA && is_plain(from, X86_REG_RSP)) {
		o->effects |= FP_FROM_SP;
		o->value = (int32_t)from->mem.disp;
	} else if (id == X86_INS_MOV && is_plain(from, X86_REG_RSP) &&
		   from->mem.disp == (int16_t)from->mem.disp) {
		o->effects |= LOADS_FP;
		o->fp_offset = (int16_t)from->mem.disp;
	} else {
		o->effects |= FP_LOST;
	}
}

static void read_two(size_t handle, const cs_insn *instruction, struct operation *o)
{
	static const uint16_t sp[] = { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL };
	static const uint16_t fp[] = { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL };
	const cs_x86 *x86 = &instruction->detail->x86;
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	bool two = x86->op_count == 2;

	if (instruction->id == X86_INS_CMP || instruction->id == X86_INS_TEST)
		return;
	if (two && is_register(to, X86_REG_RSP))
		write_sp(instruction->id, from, o);
	else if (operation_writes(handle, instruction, sp, 4))
		o->effects |= SP_LOST;
	if (two && is_register(to, X86_REG_RBP) && !(o->effects & SP_FROM_FP))
		write_fp(instruction->id, from, o);
	else if (operation_writes(handle, instruction, fp, 4))
		o->effects |= FP_LOST;
	if (two && instruction->id == X86_INS_MOV && is_plain(to, X86_REG_RSP) &&
	    is_register(from, X86_REG_RBP) && to->mem.disp == (int16_t)to->mem.disp) {
		o->effects |= STORES_FP;
		o->fp_offset = (int16_t)to->mem.disp;
	}
	if (two && instruction->id == X86_INS_LEA && is_plain(from, X86_REG_RIP)) {
		o->effects |= NAMES_CODE;
		o->target = instruction->address + instruction->size + (uint64_t)from->mem.disp;
	}
}

static void read_target(const cs_x86 *x86, enum operation_flow direct, enum operation_flow indirect,
			struct operation *o)
{
	bool known = x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;

	o->flow = (uint8_t)(known ? direct : indirect);
	o->target = known ? (uint64_t)x86->operands[0].imm : 0;
}

/* What transfers control. false for what does not. */
static bool read_flow(const cs_insn *instruction, struct operation *o)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	switch (instruction->id) {
	case X86_INS_CALL:
		read_target(x86, FLOW_CALL, FLOW_CALL, o);
		return true;
	case X86_INS_JMP:
		read_target(x86, FLOW_JUMP, FLOW_INDIRECT, o);
		return true;
	case X86_INS_RET:
		o->flow = FLOW_RETURN;
		o->value = x86->op_count;
		return true;
	case X86_INS_HLT:
	case X86_INS_UD2:
	case X86_INS_INT3:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRETQ:
	case X86_INS_LJMP:
	case X86_INS_LCALL:
		o->flow = FLOW_STOP;
		return true;
	default:
		break;
	}
	for (uint8_t i = 0; i < instruction->detail->groups_count; i++) {
		if (instruction->detail->groups[i] == X86_GRP_JUMP) {
			read_target(x86, FLOW_BRANCH, FLOW_STOP, o);
			return true;
		}
	}
	return false;
}

static bool is_push_or_pop(unsigned id)
{
	return id == X86_INS_PUSH || id == X86_INS_POP || id == X86_INS_PUSHF || id == X86_INS_POPF;
}

void operation_x86(size_t handle, const struct cs_insn *instruction, struct operation *o)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	if (read_flow(instruction, o))
		return;
	/* pushw and popw, in all their forms */
	if (x86->prefix[2] == 0x66 && is_push_or_pop(instruction->id)) {
		o->effects |= SP_LOST;
		return;
	}
	switch (instruction->id) {
	case X86_INS_PUSH:
		read_push(&x86->operands[0], o);
		break;
	case X86_INS_POP:
		read_pop(&x86->operands[0], o);
		break;
	case X86_INS_PUSHFQ:
		o->before = -8;
		break;
	case X86_INS_POPFQ:
		o->after = 8;
		break;
	case X86_INS_LEAVE:
		o->effects |= SP_FROM_FP | LOADS_FP;
		o->after = 8;
		break;
	case X86_INS_ENTER:
		o->effects |= SP_LOST | FP_LOST;
		break;
	case X86_INS_SYSCALL:
		break;
	default:
		read_two(handle, instruction, o);
	}
}
