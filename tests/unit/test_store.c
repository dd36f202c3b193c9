// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What x86-64's stores store: each instruction of the C library against what capstone says of it, with what is really in
 * front of it and with bytes that look like prefixes; and a few by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <capstone/capstone.h>
#include <linux/types.h>
#include <link.h>

#define STORE_REGISTER(context, number) (((const uint64_t *)(context))[(number)&15])
#include "../../bpf/store.h"

#define FS_BASE 0x7f0000123000

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33 ^ *seed << 20;
}

/* ---- the search, as the program on a breakpoint does it ------------------------------------------ */

struct attempt {
	uint8_t code[STORE_CODE];
	uint64_t ip;
	uint64_t registers[16];
	uint64_t address;
	uint32_t length;
};

/* size: the instruction's, or 0 when it is not known */
static int search(const struct attempt *attempt, uint64_t memory, uint32_t size, uint64_t *value)
{
	struct store_search search = {
		.ip = attempt->ip,
		.fs_base = FS_BASE,
		.address = attempt->address,
		.length = attempt->length,
		.memory = memory,
		.size = size,
	};
	__u64 found;
	int err;

	memcpy(search.code, attempt->code, STORE_CODE);
	for (uint32_t at = 0; at < STORE_CODE - 1; at++)
		for (uint32_t way = 0; way < STORE_WAYS; way++)
			store_try(&search, (void *)attempt->registers, at, way);
	err = store_answer(&search, &found);
	*value = found;
	return err;
}

/* ---- what capstone says -------------------------------------------------------------------------- */

/* In the instruction's numbers; bits from shift on. */
struct part {
	unsigned number, shift, size;
};

static bool part_of(unsigned reg, struct part *part)
{
	static const struct {
		unsigned regs[5]; /* of 8, 4, 2, 1 bytes, and the second byte */
	} rows[16] = {
		{ { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH } },
		{ { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH } },
		{ { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH } },
		{ { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH } },
		{ { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL } },
		{ { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL } },
		{ { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL } },
		{ { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL } },
		{ { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B } },
		{ { X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B } },
		{ { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B } },
		{ { X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B } },
		{ { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B } },
		{ { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B } },
		{ { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B } },
		{ { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B } },
	};
	static const unsigned sizes[5] = { 8, 4, 2, 1, 1 };

	for (unsigned number = 0; number < 16; number++)
		for (unsigned i = 0; i < 5; i++)
			if (reg && rows[number].regs[i] == reg) {
				*part = (struct part){ number, i == 4 ? 8 : 0, sizes[i] };
				return true;
			}
	return false;
}

static uint64_t value_of(const struct attempt *attempt, unsigned reg)
{
	struct part part;

	return part_of(reg, &part) ? attempt->registers[part.number] >> part.shift : 0;
}

/* False for what has a segment or 32-bit addresses, which a caller may not ask about. */
static bool address_of(const struct attempt *attempt, const cs_x86 *x86, const cs_x86_op *memory,
		       uint64_t *address)
{
	*address = (uint64_t)memory->mem.disp;
	if (x86->addr_size != 8 ||
	    (memory->mem.segment != X86_REG_INVALID && memory->mem.segment != X86_REG_FS))
		return false;
	if (memory->mem.segment == X86_REG_FS)
		*address += FS_BASE;
	if (memory->mem.base == X86_REG_RIP)
		*address += attempt->ip;
	else
		*address += value_of(attempt, memory->mem.base);
	*address += value_of(attempt, memory->mem.index) * (uint64_t)memory->mem.scale;
	return true;
}

struct seen {
	unsigned long stores, others;	      /* checked */
	unsigned long several, several_alone; /* answers: another thread has stored since, or not */
	unsigned long wrong, mistaken;
};

/*
 * A MOV to memory: what it stores is told, whatever another thread has stored to the same bytes since, once its length is
 * known; and before that in most cases.
 */
static void check_store(struct seen *seen, struct attempt *attempt, const cs_insn *insn,
			uint64_t random)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *from = &x86->operands[1];
	uint64_t stored = from->type == X86_OP_IMM ? (uint64_t)from->imm :
						     value_of(attempt, from->reg);
	struct access_variable mine = { attempt->address, attempt->length, random }, other = mine;
	uint64_t value;

	seen->stores++;
	access_put(&mine, attempt->address, x86->operands[0].size, stored);
	if (search(attempt, mine.value, 0, &value))
		seen->several_alone++;
	else
		assert_int_equal(value, mine.value);
	access_put(&other, attempt->address, x86->operands[0].size, ~stored);
	if (search(attempt, other.value, 0, &value))
		seen->several++;
	else if (value != mine.value) /* by another way to read it that is what is in memory */
		seen->wrong++;
	assert_int_equal(search(attempt, other.value, insn->size, &value), 0);
	assert_int_equal(value, mine.value);
}

/* Anything else, which may store to its operand: what is in memory is all that is known. */
static void check_other(struct seen *seen, const struct attempt *attempt, uint64_t random)
{
	uint64_t value;

	seen->others++;
	assert_int_equal(search(attempt, random, 0, &value), 0);
	seen->mistaken += value != random;
}

static void check_instruction(struct seen *seen, const cs_insn *insn, struct attempt *attempt,
			      uint64_t *seed)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *memory = NULL;
	bool is_store = false;

	for (unsigned i = 0; i < x86->op_count && !memory; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			memory = &x86->operands[i];
	if (!memory || insn->id == X86_INS_LEA || insn->id == X86_INS_NOP ||
	    !address_of(attempt, x86, memory, &attempt->address))
		return;
	for (unsigned i = 0; i < 16; i++)
		attempt->registers[i] = next_random(seed);
	address_of(attempt, x86, memory, &attempt->address);
	attempt->length = 1u << (next_random(seed) & 3);
	if (insn->id == X86_INS_MOV && memory == &x86->operands[0])
		is_store = (x86->opcode[0] & 0xfe) == 0x88 || (x86->opcode[0] & 0xfe) == 0xc6;
	if (is_store && (x86->operands[1].type == X86_OP_IMM ||
			 part_of(x86->operands[1].reg, &(struct part){})))
		check_store(seen, attempt, insn, next_random(seed));
	else if (insn->id != X86_INS_MOV && insn->id != X86_INS_MOVABS)
		check_other(seen, attempt, next_random(seed));
}

/* ---- code ------------------------------------------------------------------------------------------ */

struct text {
	const uint8_t *bytes;
	size_t size;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *context)
{
	struct text *text = context;

	(void)size;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
			text->bytes = (const uint8_t *)info->dlpi_addr + header->p_vaddr;
			text->size = header->p_filesz;
		}
	}
	return 1;
}

/* What is in front of the instruction may be taken for prefixes of it. */
static void take_code(struct attempt *attempt, const struct text *text, size_t end, size_t size,
		      bool with_prefixes, uint64_t *seed)
{
	static const uint8_t prefixes[] = { 0x40, 0x41, 0x42, 0x44, 0x45, 0x48, 0x49,
					    0x4c, 0x4f, 0x64, 0x66, 0x89, 0xc7, 0x0f };

	memcpy(attempt->code, text->bytes + end - STORE_CODE, STORE_CODE);
	for (size_t i = 0; with_prefixes && i < STORE_CODE - size; i++)
		attempt->code[i] = prefixes[next_random(seed) % sizeof(prefixes)];
	attempt->ip = (uintptr_t)text->bytes + end;
}

static void go_through(struct seen *seen, const struct text *text, bool with_prefixes)
{
	csh capstone;
	cs_insn *insn;
	size_t at = STORE_CODE;
	uint64_t seed = 1;

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(capstone);
	while (at < text->size - STORE_CODE) {
		const uint8_t *code = text->bytes + at;
		size_t left = text->size - at;
		uint64_t address = (uintptr_t)code;
		struct attempt attempt;

		if (!cs_disasm_iter(capstone, &code, &left, &address, insn)) {
			at++;
			continue;
		}
		at += insn->size;
		take_code(&attempt, text, at, insn->size, with_prefixes, &seed);
		check_instruction(seen, insn, &attempt, &seed);
	}
	cs_free(insn, 1);
	cs_close(&capstone);
}

static void check_text(bool with_prefixes)
{
	struct text text = {};
	struct seen seen = {};

	dl_iterate_phdr(find_libc, &text);
	if (!text.bytes) {
		print_message("[ SKIPPED ] no shared C library here\n");
		skip();
	}
	go_through(&seen, &text, with_prefixes);
	print_message(
		"%lu stores, of which %lu with several answers, %lu taken for another one; %lu other operands, of which %lu taken for a store\n",
		seen.stores, seen.several, seen.wrong, seen.others, seen.mistaken);
	assert_true(seen.stores > 10000);
	assert_true(seen.others > 10000);
}

static void test_library(void **state)
{
	(void)state;
	check_text(false);
}

static void test_prefixes(void **state)
{
	(void)state;
	check_text(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_prefixes),
	};

#if !defined(__x86_64__)
	print_message("[ SKIPPED ] of x86-64\n");
	return 0;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
