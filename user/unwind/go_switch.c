// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Follows what registers hold, instruction by instruction, until one of them becomes the stack pointer. */
#include "go_switch.h"

#include <capstone/capstone.h>
#include <string.h>

#include "../object/elf_file.h"
#include "operation.h"

/* The switch back is among the first. */
#define MAX_INSTRUCTIONS 16
#define MAX_LOADS	 4

enum origin { NOWHERE, FROM_THREAD, FROM_STACK, NUMBER };

/*
 * Loaded from the thread's memory or the stack, and from where that points, and so on; less what is on the stack.
 * Or a number, which is offset[0] then.
 */
struct value {
	enum origin origin;
	unsigned loads;
	int64_t offset[MAX_LOADS];
	bool is_less;
	int64_t less; /* offset on the stack */
};

struct registers {
	struct value value[X86_REG_ENDING];
};

/* The offset of the thread's variable is in a register where the code is position-independent. */
static struct value load_thread(const struct registers *registers, const x86_op_mem *memory)
{
	struct value value = { .origin = FROM_THREAD, .loads = 1, .offset = { memory->disp } };

	if (memory->base == X86_REG_INVALID)
		return value;
	if (registers->value[memory->base].origin != NUMBER)
		return (struct value){};
	value.offset[0] += registers->value[memory->base].offset[0];
	return value;
}

/* What is in memory, as far as registers tell. */
static struct value load(const struct registers *registers, const x86_op_mem *memory)
{
	struct value value = {};

	if (memory->index != X86_REG_INVALID)
		return value;
	if (memory->segment == X86_REG_FS)
		return load_thread(registers, memory);
	if (memory->segment != X86_REG_INVALID)
		return value;
	else if (memory->base == X86_REG_RSP)
		value.origin = FROM_STACK;
	else if (memory->base != X86_REG_INVALID)
		value = registers->value[memory->base];
	if (value.origin == NOWHERE || value.origin == NUMBER || value.loads == MAX_LOADS ||
	    value.is_less)
		return (struct value){};
	value.offset[value.loads++] = memory->disp;
	return value;
}

static struct value value_of(const struct registers *registers, const cs_x86_op *op)
{
	if (op->type == X86_OP_REG && op->size == 8)
		return registers->value[op->reg];
	if (op->type == X86_OP_MEM && op->size == 8)
		return load(registers, &op->mem);
	if (op->type == X86_OP_IMM)
		return (struct value){ .origin = NUMBER, .offset = { op->imm } };
	return (struct value){};
}

/* The distance, which is kept on the stack. */
static struct value subtract(struct value value, const cs_x86_op *op)
{
	if (op->type != X86_OP_MEM || op->mem.base != X86_REG_RSP ||
	    op->mem.index != X86_REG_INVALID || value.is_less)
		return (struct value){};
	value.is_less = true;
	value.less = op->mem.disp;
	return value;
}

static void forget_written(const struct decoder *decoder, const cs_insn *instruction,
			   struct registers *registers)
{
	cs_regs read, written;
	uint8_t read_count, count;

	if (cs_regs_access(decoder->handle, instruction, read, &read_count, written, &count)) {
		memset(registers, 0, sizeof(*registers));
		return;
	}
	for (uint8_t i = 0; i < count; i++)
		registers->value[written[i]] = (struct value){};
}

/* Executes an instruction. true when it has written the stack pointer: *sp is what it holds. */
static bool execute(const struct decoder *decoder, const cs_insn *instruction,
		    struct registers *registers, struct value *sp)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	struct value value = {};
	bool writes = x86->op_count == 2 && to->type == X86_OP_REG;

	if (writes && instruction->id == X86_INS_MOV)
		value = value_of(registers, from);
	else if (writes && instruction->id == X86_INS_SUB)
		value = subtract(registers->value[to->reg], from);
	forget_written(decoder, instruction, registers);
	if (writes && to->size == 8)
		registers->value[to->reg] = value;
	*sp = value;
	return writes && to->reg == X86_REG_RSP;
}

static bool fits(int64_t value, int64_t least, int64_t most)
{
	return value >= least && value <= most;
}

static bool thread_rule(const struct value *sp, struct unwind_rule *rule)
{
	const int64_t *offset = sp->offset;

	if (sp->loads != 4 || sp->is_less || !fits(offset[0], INT16_MIN, INT16_MAX) ||
	    !fits(offset[1], 0, 255) || !fits(offset[2], 0, INT16_MAX) || !fits(offset[3], 0, 127))
		return false;
	rule->cfa = UNWIND_CFA_THREAD;
	rule->fp_offset = (int16_t)offset[0];
	rule->cfa_short = (int16_t)offset[2];
	rule->extra = (int16_t)(offset[1] | offset[3] << 8);
	return true;
}

static bool stack_rule(const struct value *sp, struct unwind_rule *rule)
{
	const int64_t *offset = sp->offset;

	for (unsigned i = 0; i < sp->loads; i++)
		if (!fits(offset[i], 0, INT16_MAX))
			return false;
	if (sp->loads == 1 && !sp->is_less) {
		rule->cfa = UNWIND_CFA_SP_DEREF;
		rule->cfa_short = 8;
		rule->extra = (int16_t)offset[0];
		return true;
	}
	if (sp->loads != 2 || !sp->is_less || !fits(sp->less, 0, INT16_MAX))
		return false;
	rule->cfa = UNWIND_CFA_OTHER_STACK;
	rule->fp_offset = (int16_t)offset[0];
	rule->extra = (int16_t)offset[1];
	rule->cfa_short = (int16_t)sp->less;
	return true;
}

static bool rule_of(const struct value *sp, struct unwind_rule *rule)
{
	*rule = (struct unwind_rule){ .rbx = UNWIND_RBX_LOST,
				      .fp_ra = UNWIND_FP_LOST | UNWIND_RA_BELOW_CFA << 4 };
	if (sp->origin == FROM_THREAD)
		return thread_rule(sp, rule);
	return sp->origin == FROM_STACK && stack_rule(sp, rule);
}

bool go_switch_read(const struct elf_file *file, struct decoder *decoder, uint64_t after,
		    uint64_t end, struct unwind_rule *rule)
{
	struct registers registers = {};
	struct operation operation;
	uint8_t bytes[16];
	struct value sp;

	for (int i = 0; i < MAX_INSTRUCTIONS && after < end; i++) {
		size_t got = elf_file_read(file, after, bytes, sizeof(bytes));

		if (!decoder_read(decoder, bytes, got, after, &operation) ||
		    operation.flow != FLOW_NEXT)
			return false;
		if (execute(decoder, decoder->instruction, &registers, &sp))
			return rule_of(&sp, rule);
		after += operation.size;
	}
	return false;
}
