// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "follow_functions.h"

#include <elf.h>
#include <string.h>

#include "../object/elf_file.h"
#include "entries.h"
#include "follow_nodes.h"

/* Of those decoded to be sure of calls from code that has CFI. */
#define MAX_VERIFIED (4u << 20)
#define X86_CALL     0xe8

enum way { BY_FLOW, BY_SYMBOL, BY_CALL };

static int visit(struct followed *f, uint64_t vaddr, enum way way)
{
	uint32_t number;
	int found = follow_node(f, vaddr, &number);

	if (found <= 0)
		return found;
	f->nodes[number].function |= way != BY_FLOW;
	f->nodes[number].called |= way == BY_CALL;
	return f->nodes[number].seen ? 0 : follow_enqueue(f, number);
}

/*
 * Not so what compilers have split off, which is jumped to. Code of V8 keeps other conventions:
 * functions take their arguments off the stack.
 */
static bool is_usual(const struct elf_symbol *symbol)
{
	return symbol->type == STT_FUNC && strncmp(symbol->name, "Builtins_", 9) &&
	       !strstr(symbol->name, ".cold");
}

static int add_symbols(struct followed *f)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(f->file, &count);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		if (is_usual(&symbols[i]))
			err = visit(f, symbols[i].vaddr, BY_SYMBOL);
	}
	return err;
}

/* .init and .fini begin with their function; the arrays list others. */
static int add_sections(struct followed *f)
{
	static const char *const code[] = { ".init", ".fini" };
	static const char *const arrays[] = { ".init_array", ".fini_array" };
	struct elf_section section;
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		if (!elf_file_section(f->file, code[i], &section))
			err = visit(f, section.vaddr, BY_CALL);
		if (err || elf_file_section(f->file, arrays[i], &section))
			continue;
		for (size_t at = 0; at + 8 <= section.size && !err; at += 8) {
			uint64_t vaddr;

			memcpy(&vaddr, section.bytes + at, sizeof(vaddr));
			err = visit(f, vaddr, BY_CALL);
		}
	}
	return err;
}

/* Functions whose addresses lie in data of a position-independent file. */
static int add_relocations(struct followed *f)
{
	uint64_t relative = f->machine == UNWIND_ARM64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
	struct elf_section section;
	int err = 0;

	if (elf_file_section(f->file, ".rela.dyn", &section))
		return 0;
	for (size_t at = 0; at + sizeof(Elf64_Rela) <= section.size && !err;
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela rela;

		memcpy(&rela, section.bytes + at, sizeof(rela));
		if (ELF64_R_TYPE(rela.r_info) == relative)
			err = visit(f, (uint64_t)rela.r_addend, BY_CALL);
	}
	return err;
}

/*
 * musl's start code, of programs and of the library. Elsewhere an address that is taken need not be a
 * function's: it may be a label that a table of jumps lists.
 */
static bool is_musl(const struct followed *f)
{
	/* xor rbp, rbp; mov rdi, rsp; lea rsi, _DYNAMIC */
	static const uint8_t x86[] = { 0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x35 };
	/* mov x29, #0; mov x30, #0; mov x0, sp */
	static const uint8_t arm64[] = { 0x1d, 0,    0x80, 0xd2, 0x1e, 0,
					 0x80, 0xd2, 0xe0, 0x03, 0,    0x91 };
	bool is_arm64 = f->machine == UNWIND_ARM64;
	size_t size = is_arm64 ? sizeof(arm64) : sizeof(x86);
	uint8_t bytes[sizeof(arm64)];

	return elf_file_read(f->file, elf_file_entry(f->file), bytes, size) == size &&
	       !memcmp(bytes, is_arm64 ? arm64 : x86, size);
}

/* Does decoding from start come to an instruction that begins at vaddr and calls target? */
static bool is_call(struct followed *f, uint64_t start, uint64_t vaddr, uint64_t target)
{
	struct operation operation = {};
	uint8_t bytes[LONGEST_INSTRUCTION];

	for (; start <= vaddr; start += operation.size) {
		size_t got = follow_read(f, start, bytes, sizeof(bytes));

		if (f->verified++ > MAX_VERIFIED ||
		    !decoder_read(&f->decoder, bytes, got, start, &operation))
			return false;
		if (start == vaddr)
			return operation.flow == FLOW_CALL && operation.target == target;
	}
	return false;
}

/* What may be a call at bytes, of which there are 5: its target, or 0. */
static uint64_t call_target(const struct followed *f, const uint8_t *bytes, uint64_t vaddr)
{
	uint32_t word;
	int32_t offset;

	if (f->machine == UNWIND_ARM64) {
		memcpy(&word, bytes, sizeof(word));
		if (word >> 26 != 0x25)
			return 0;
		return vaddr + (uint64_t)((int64_t)(int32_t)(word << 6) >> 4);
	}
	if (*bytes != X86_CALL)
		return 0;
	memcpy(&offset, bytes + 1, sizeof(offset));
	return vaddr + 5 + (uint64_t)(int64_t)offset;
}

/* Where bytes from i on may hold the next call; size when they do not. */
static size_t next_call(const struct followed *f, const uint8_t *bytes, size_t i, size_t size)
{
	const uint8_t *found;

	if (f->machine != UNWIND_X86_64 || i >= size)
		return i;
	found = memchr(bytes + i, X86_CALL, size - i);
	return found ? (size_t)(found - bytes) : size;
}

static int add_calls_of(struct followed *f, const struct fde_entry *fde)
{
	unsigned step = f->machine == UNWIND_ARM64 ? 4 : 1;
	size_t i;
	uint8_t block[4096];
	int err = 0;

	for (uint64_t at = fde->start; at < fde->end && !err; at += sizeof(block) - 8) {
		size_t wanted = fde->end - at < sizeof(block) ? fde->end - at : sizeof(block);
		size_t got = follow_read(f, at, block, wanted);

		for (i = next_call(f, block, 0, got); i + 5 <= got && !err;
		     i = next_call(f, block, i + step, got)) {
			uint64_t target = call_target(f, block + i, at + i);

			if (target && follow_gap_at(f, target) &&
			    is_call(f, fde->start, at + i, target))
				err = visit(f, target, BY_CALL);
		}
	}
	return err;
}

/* Functions that code with CFI calls. */
static int add_calls(struct followed *f, const struct entries *entries)
{
	int err = 0;

	for (size_t i = 0; i < entries->fde_count && !err; i++) {
		if (entries->fdes[i].cie != NO_CIE)
			err = add_calls_of(f, &entries->fdes[i]);
	}
	return err;
}

/* From what is queued. */
static int reach(struct followed *f)
{
	int err = 0;

	while (f->queue_count && !err) {
		struct node *node = &f->nodes[follow_dequeue(f)];
		struct operation operation = node->operation;
		struct jump_table table = node->table;
		uint64_t next = next_of(node);

		if (node->seen)
			continue;
		node->seen = true;
		if (falls_through(&operation))
			err = visit(f, next, BY_FLOW);
		if (!err &&
		    (operation.flow == FLOW_CALL || (f->musl && operation.effects & NAMES_CODE)))
			err = visit(f, operation.target, BY_CALL);
		if (!err && jumps(&operation))
			err = visit(f, operation.target, BY_FLOW);
		for (uint32_t i = 0; i < table.count && !err; i++) {
			if (jump_table_target(f->file, &table, i, &next))
				err = visit(f, next, BY_FLOW);
		}
	}
	return err;
}

int follow_find_functions(struct followed *f, const struct entries *entries)
{
	int err = visit(f, elf_file_entry(f->file), BY_FLOW);

	f->musl = is_musl(f);
	if (!err)
		err = add_symbols(f);
	if (!err)
		err = add_sections(f);
	if (!err)
		err = add_calls(f, entries);
	if (!err && f->musl)
		err = add_relocations(f);
	return err ? err : reach(f);
}
