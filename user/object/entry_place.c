// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Of arm64 only Go's functions are anything else than what they seem. On x86-64 an instruction behind the first would do
 * as well if it changes nothing that is looked at; but not if something jumps there past it: then a probe would see more
 * than the calls. Calls and indirect jumps to a function go to its beginning, so that only the function's own jumps need
 * be looked at.
 */
#include "entry_place.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "go_check_arm64.h"

#define MOST_BYTES   65536 /* of a function: a longer one is not looked through */
#define UNSIZED	     2048  /* what is looked through of one whose size is not known */
#define MOST_MOVED   128
#define ENDBR64_SIZE 4

/* The beginning of a function, or all of it. */
struct code {
	uint64_t vaddr;
	uint8_t *bytes;
	size_t size;
	bool is_sized;
};

/* Does the kernel's uprobe code emulate it? push_xol_ops and branch_xol_ops of arch/x86/kernel/uprobes.c */
static bool is_emulated(const uint8_t *code, size_t size)
{
	if (size < 2)
		return false;
	if (code[0] == 0x41) /* push r8 to r15 */
		return code[1] >= 0x50 && code[1] <= 0x57;
	return (code[0] >= 0x50 && code[0] <= 0x57) || code[0] == 0x90 || code[0] == 0xe8 ||
	       code[0] == 0xe9 || code[0] == 0xeb;
}

/*
 * VEX and EVEX. The kernel looks at their opcode as if it were that of another instruction: vmovdqu is refused
 * as outs, and vzeroupper might pass for a jump.
 */
static bool is_avx(uint8_t first)
{
	return first == 0xc4 || first == 0xc5 || first == 0x62;
}

static bool begins_with_endbr64(const struct code *code)
{
	static const uint8_t endbr64[ENDBR64_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };

	return code->size > sizeof(endbr64) && !memcmp(code->bytes, endbr64, sizeof(endbr64));
}

/* Could this instruction lead to the target? */
static bool may_jump_to(const cs_insn *instruction, uint64_t target)
{
	const uint8_t *code = instruction->bytes;
	uint64_t end = instruction->address + instruction->size;
	int32_t far;

	/* jmp rel8, jcc rel8, loop and jrcxz */
	if (instruction->size == 2 &&
	    (code[0] == 0xeb || (code[0] & 0xf0) == 0x70 || (code[0] & 0xfc) == 0xe0))
		return end + (uint64_t)(int8_t)code[1] == target;
	/* notrack, by which the compiler says that the targets have no endbr64: a jump table; and bnd */
	if (code[0] == 0x3e || (code[0] == 0xf2 && (code[1] & 0xf0) == 0xe0))
		return true;
	if (instruction->size < 5)
		return false;
	memcpy(&far, code + instruction->size - 4, sizeof(far));
	if (code[0] == 0xe9 || code[0] == 0xe8 || (code[0] == 0x0f && (code[1] & 0xf0) == 0x80))
		return end + (uint64_t)(int64_t)far == target;
	return false;
}

/* false also when not all of a function of known size can be decoded. */
static bool has_no_jump_to(csh handle, cs_insn *instruction, const struct code *code,
			   uint64_t target)
{
	const uint8_t *at = code->bytes;
	size_t size = code->size;
	uint64_t vaddr = code->vaddr;

	while (size) {
		if (!cs_disasm_iter(handle, &at, &size, &vaddr, instruction))
			return !code->is_sized;
		if (may_jump_to(instruction, target))
			return false;
	}
	return true;
}

static bool is_vector_register(unsigned id)
{
	return (id >= X86_REG_XMM0 && id <= X86_REG_ZMM31) ||
	       (id >= X86_REG_K0 && id <= X86_REG_K7);
}

/* Does it change only vector registers? What an AVX instruction writes is its first operand. */
static bool is_harmless(csh handle, const cs_insn *instruction)
{
	const cs_x86_op *first = &instruction->detail->x86.operands[0];
	cs_regs read, written;
	uint8_t read_count, written_count;

	if (!instruction->detail->x86.op_count || first->type != X86_OP_REG ||
	    !is_vector_register(first->reg))
		return false;
	if (cs_regs_access(handle, instruction, read, &read_count, written, &written_count))
		return false;
	for (uint8_t i = 0; i < written_count; i++)
		if (!is_vector_register(written[i]))
			return false;
	return true;
}

/* Bytes of AVX instructions at the beginning that only fill vector registers; 0 when there is another. */
static unsigned harmless_avx(csh handle, cs_insn *instruction, const struct code *code)
{
	const uint8_t *at = code->bytes;
	size_t size = code->size;
	uint64_t vaddr = code->vaddr;

	while (size && is_avx(*at) && at - code->bytes < MOST_MOVED)
		if (!cs_disasm_iter(handle, &at, &size, &vaddr, instruction) ||
		    !is_harmless(handle, instruction))
			return 0;
	return size && !is_avx(*at) ? (unsigned)(at - code->bytes) : 0;
}

/*
 * A function of Go that may need more stack begins with a look at the limit (g's, at r14 + 16), goes off to get
 * it, and then begins again. Bytes up to behind that look; 0 when there is none.
 */
static unsigned go_check(csh handle, cs_insn *instruction, const struct code *code)
{
	static const uint8_t small[] = { 0x49, 0x3b, 0x66, 0x10 }; /* cmp 0x10(%r14),%rsp */
	static const uint8_t large[] = { 0x4d, 0x3b, 0x66, 0x10 }; /* cmp 0x10(%r14),%r12 */
	const uint8_t *at = code->bytes;
	size_t size = code->size;
	uint64_t vaddr = code->vaddr;
	bool has_looked = false;

	while (at - code->bytes < MOST_MOVED &&
	       cs_disasm_iter(handle, &at, &size, &vaddr, instruction)) {
		const uint8_t *bytes = instruction->bytes;

		if (has_looked && (bytes[0] == 0x76 || (bytes[0] == 0x0f && bytes[1] == 0x86)))
			return size ? (unsigned)(at - code->bytes) : 0;
		has_looked = instruction->size == sizeof(small) &&
			     (!memcmp(bytes, small, sizeof(small)) ||
			      !memcmp(bytes, large, sizeof(large)));
		/* lea -N(%rsp),%r12 may come before it, and nothing else */
		if (!has_looked && (bytes[0] != 0x4c || bytes[1] != 0x8d))
			return 0;
	}
	return 0;
}

/* Why a probe would better be moved. */
enum reason { TO_SAVE_TIME, OFF_AVX, BEHIND_GO_CHECK };

static unsigned wanted_move(csh handle, cs_insn *instruction, const struct code *code,
			    enum reason reason)
{
	switch (reason) {
	case OFF_AVX:
		return harmless_avx(handle, instruction, code);
	case BEHIND_GO_CHECK:
		return go_check(handle, instruction, code);
	default:
		return ENDBR64_SIZE;
	}
}

/* 0, or -ENOTSUP when it must be moved and cannot. */
static int move(const struct code *code, enum reason reason, unsigned *moved)
{
	bool is_stuck = reason == OFF_AVX;
	cs_insn *instruction = NULL;
	unsigned by = 0;
	csh handle;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return is_stuck ? -ENOTSUP : 0;
	if (cs_option(handle, CS_OPT_DETAIL, is_stuck ? CS_OPT_ON : CS_OPT_OFF) == CS_ERR_OK)
		instruction = cs_malloc(handle);
	if (instruction) {
		by = wanted_move(handle, instruction, code, reason);
		if (by && has_no_jump_to(handle, instruction, code, code->vaddr + by))
			*moved = by;
		cs_free(instruction, 1);
	}
	cs_close(&handle);
	return is_stuck && !*moved ? -ENOTSUP : 0;
}

static int choose(const struct code *code, bool is_go, enum entry_moves moves, unsigned *moved)
{
	if (!code->size)
		return 0; /* what is not in the file is somebody else's to refuse */
	if (is_avx(code->bytes[0]))
		return moves != ENTRY_EXACT ? move(code, OFF_AVX, moved) : -ENOTSUP;
	if (is_go && moves != ENTRY_EXACT)
		return move(code, BEHIND_GO_CHECK, moved);
	if (moves != ENTRY_CHEAPEST || !begins_with_endbr64(code) ||
	    !is_emulated(code->bytes + ENDBR64_SIZE, code->size - ENDBR64_SIZE))
		return 0;
	return move(code, TO_SAVE_TIME, moved);
}

int entry_place(const struct elf_file *file, const struct elf_symbol *function,
		enum entry_moves moves, unsigned *moved)
{
	struct code code = { .vaddr = function->vaddr, .is_sized = function->size > 0 };
	size_t size = code.is_sized ? function->size : UNSIZED;
	int err = 0;

	*moved = 0;
	if (elf_file_machine(file) != EM_X86_64 &&
	    (elf_file_machine(file) != EM_AARCH64 || !elf_file_is_go(file)))
		return 0;
	if (size > MOST_BYTES) {
		size = MOST_MOVED;
		moves = ENTRY_EXACT;
	}
	code.bytes = malloc(size);
	if (!code.bytes)
		return -ENOMEM;
	code.size = elf_file_read(file, function->vaddr, code.bytes, size);
	if (elf_file_machine(file) == EM_X86_64)
		err = choose(&code, elf_file_is_go(file), moves, moved);
	else if (moves != ENTRY_EXACT)
		*moved = (unsigned)go_check_arm64(code.bytes, code.size);
	free(code.bytes);
	return err;
}
