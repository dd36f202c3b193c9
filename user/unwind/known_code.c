// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PLTs are known by their section, signal trampolines by their few instructions. */
#include "known_code.h"

#include <string.h>

#include "../object/elf_file.h"
#include "entries.h"
#include "settle.h"

/*
 * Linkers leave the PLT of static programs, and some any PLT, without CFI. Entries of arm64 touch
 * neither stack nor link register. Those of x86-64 push something when they are lazy, in their last
 * instruction but one, and are 16 bytes then; at another alignment they are 8 bytes and only jump.
 */
static const struct unwind_rule *plt_rule(enum unwind_machine machine, uint64_t vaddr)
{
	static const struct unwind_rule link = { .cfa = UNWIND_CFA_SP,
						 .fp_ra = UNWIND_RA_LINK << 4 };
	static const struct unwind_rule lazy = { .cfa = UNWIND_CFA_PLT,
						 .cfa_short = 8,
						 .extra = 11 };
	static const struct unwind_rule jump = { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 };

	if (machine == UNWIND_ARM64)
		return &link;
	return vaddr % 16 ? &jump : &lazy;
}

static int add_plts(struct elf_file *file, enum unwind_machine machine, struct entries *entries)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };
	struct elf_section plt;
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !err; i++) {
		if (elf_file_section(file, names[i], &plt) || plt.vaddr + plt.size < plt.vaddr)
			continue;
		err = entries_add_known(entries, plt.vaddr, plt.vaddr + plt.size,
					plt_rule(machine, plt.vaddr));
	}
	return err;
}

struct pattern {
	enum unwind_machine machine;
	uint8_t size;
	uint8_t bytes[9];
};

#define LONGEST 9

static const struct pattern patterns[] = {
	/* mov $15 (rt_sigreturn), %rax; syscall */
	{ UNWIND_X86_64, 9, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 } },
	/* mov $15, %eax; syscall */
	{ UNWIND_X86_64, 7, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 } },
	/* mov x8, #139 (rt_sigreturn); svc #0 */
	{ UNWIND_ARM64, 8, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },
};

static const uint8_t *find_in(const uint8_t *bytes, size_t size, enum unwind_machine machine,
			      size_t *length)
{
	const uint8_t *first = NULL;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		const uint8_t *found;

		if (patterns[i].machine != machine)
			continue;
		found = memmem(bytes, size, patterns[i].bytes, patterns[i].size);
		if (!found || (first && first <= found))
			continue;
		first = found;
		*length = patterns[i].size;
	}
	return first;
}

/* The first trampoline in [start, end): its address and size in bytes; 0 when there is none. */
static size_t find_trampoline(const struct elf_file *file, enum unwind_machine machine,
			      uint64_t start, uint64_t end, uint64_t *vaddr)
{
	uint8_t block[16384];

	while (start < end) {
		size_t wanted = end - start < sizeof(block) ? end - start : sizeof(block);
		size_t got = elf_file_read(file, start, block, wanted), length = 0;
		const uint8_t *found = find_in(block, got, machine, &length);

		if (found) {
			*vaddr = start + (uint64_t)(found - block);
			return length;
		}
		if (got < sizeof(block))
			return 0;
		/* One may lie across the blocks' border. */
		start += got - (LONGEST - 1);
	}
	return 0;
}

/* Code without any CFI may be large; the C library, which has the trampoline, is not. */
#define MAX_SCANNED (16u << 20)

/* Looks for trampolines in what is in no function, which is where they are when they have no CFI. */
static int add_trampolines(const struct elf_file *file, enum unwind_machine machine,
			   const struct code_range *code, struct entries *entries)
{
	static const struct unwind_rule signal = { .cfa = UNWIND_RULE_SIGNAL };
	size_t known = entries->fde_count, size;
	uint64_t at = code->start, found = 0, left = MAX_SCANNED;
	int err = 0;

	for (size_t i = 0; i <= known && !err; i++) {
		uint64_t end = i < known ? entries->fdes[i].start : code->end;

		if (end > code->end)
			end = code->end;
		if (end > at && end - at > left)
			end = at + left;
		size = at < end ? find_trampoline(file, machine, at, end, &found) : 0;
		left -= at < end ? end - at : 0;
		/* A handler's return address is looked up at the byte before. */
		if (size)
			err = entries_add_known(entries, found > at ? found - 1 : found,
						found + size, &signal);
		if (i < known && entries->fdes[i].end > at)
			at = entries->fdes[i].end;
	}
	return err;
}

int known_code_add(struct elf_file *file, enum unwind_machine machine,
		   const struct code_range *code, size_t code_count, struct entries *entries)
{
	int err = add_plts(file, machine, entries);

	entries_settle(entries, code, code_count);
	for (size_t i = 0; i < code_count && !err; i++)
		err = add_trampolines(file, machine, &code[i], entries);
	entries_settle(entries, code, code_count);
	return err;
}
