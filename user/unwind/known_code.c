// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * PLTs are known by their section; signal trampolines, and where a thread begins in musl, by their few
 * instructions.
 */
#include "known_code.h"

#include <string.h>

#include "../object/elf_file.h"
#include "entries.h"
#include "follow.h"
#include "go_frames.h"
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
	enum unwind_cfa rule;
	uint8_t size;
	uint8_t more; /* bytes behind it that belong to it */
	uint8_t bytes[16];
};

#define LONGEST 16

static const struct pattern patterns[] = {
	/* mov $15 (rt_sigreturn), %rax; syscall */
	{ UNWIND_X86_64, UNWIND_RULE_SIGNAL, 9, 0, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 } },
	/* mov $15, %eax; syscall */
	{ UNWIND_X86_64, UNWIND_RULE_SIGNAL, 7, 0, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 } },
	/* mov x8, #139 (rt_sigreturn); svc #0 */
	{ UNWIND_ARM64, UNWIND_RULE_SIGNAL, 8, 0, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },
	/*
	 * glibc's clone and clone3, where their CFI pauses: syscall; test %rax, %rax; jl; je over a ret.
	 * The jump's distance differs.
	 */
	{ UNWIND_X86_64, UNWIND_RULE_CLONE, 6, 4, { 0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c } },
	/* musl's clone, in the child: xor %ebp, %ebp; pop %rdi; call *%r9; mov %eax, %edi; ... exit */
	{ UNWIND_X86_64,
	  UNWIND_RULE_OUTERMOST,
	  14,
	  0,
	  { 0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1, 0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05 } },
	/* ldp x1, x0, [sp], #16; blr x1; mov x8, #93 (exit); svc #0 */
	{ UNWIND_ARM64,
	  UNWIND_RULE_OUTERMOST,
	  16,
	  0,
	  { 0xe1, 0x03, 0xc1, 0xa8, 0x20, 0, 0x3f, 0xd6, 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0,
	    0xd4 } },
};

static const uint8_t *find_in(const uint8_t *bytes, size_t size, enum unwind_machine machine,
			      const struct pattern **pattern)
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
		*pattern = &patterns[i];
	}
	return first;
}

/* The first pattern in [start, end) and its address; NULL when there is none. */
static const struct pattern *find_pattern(const struct elf_file *file, enum unwind_machine machine,
					  uint64_t start, uint64_t end, uint64_t *vaddr)
{
	uint8_t block[16384];

	while (start < end) {
		size_t wanted = end - start < sizeof(block) ? end - start : sizeof(block);
		size_t got = elf_file_read(file, start, block, wanted);
		const struct pattern *pattern = NULL;
		const uint8_t *found = find_in(block, got, machine, &pattern);

		if (found) {
			*vaddr = start + (uint64_t)(found - block);
			return pattern;
		}
		if (got < sizeof(block))
			return NULL;
		/* One may lie across the blocks' border. */
		start += got - (LONGEST - 1);
	}
	return NULL;
}

/* Is it followed by its jump's distance, a je over one byte, and that byte, a ret? */
static bool is_clone(const struct elf_file *file, uint64_t end)
{
	static const uint8_t rest[] = { 0x74, 0x01, 0xc3 };
	uint8_t bytes[1 + sizeof(rest)];

	return elf_file_read(file, end, bytes, sizeof(bytes)) == sizeof(bytes) &&
	       !memcmp(bytes + 1, rest, sizeof(rest));
}

static int add_pattern(const struct elf_file *file, struct entries *entries,
		       const struct pattern *pattern, uint64_t vaddr)
{
	const struct unwind_rule rule = { .cfa = (__u8)(pattern->rule & 15) };
	/* A handler's return address is looked up at the byte before. */
	uint64_t before = pattern->rule == UNWIND_RULE_SIGNAL && vaddr;

	if (pattern->rule == UNWIND_RULE_CLONE && !is_clone(file, vaddr + pattern->size))
		return 0;
	return entries_add_known(entries, vaddr - before, vaddr + pattern->size + pattern->more,
				 &rule);
}

/* All patterns in [start, end). */
static int add_patterns_in(const struct elf_file *file, enum unwind_machine machine, uint64_t start,
			   uint64_t end, struct entries *entries)
{
	const struct pattern *pattern;
	uint64_t found = 0;
	int err = 0;

	while (!err && (pattern = find_pattern(file, machine, start, end, &found))) {
		err = add_pattern(file, entries, pattern, found);
		start = found + pattern->size;
	}
	return err;
}

/* Code without any CFI may be large; the C library, which has the patterns, is not. */
#define MAX_SCANNED (16u << 20)

/* Looks in what is in no function, which is where they are when they have no CFI. */
static int add_patterns(const struct elf_file *file, enum unwind_machine machine,
			const struct code_range *code, struct entries *entries)
{
	size_t known = entries->fde_count;
	uint64_t at = code->start, left = MAX_SCANNED;
	int err = 0;

	for (size_t i = 0; i <= known && !err; i++) {
		uint64_t end = i < known ? entries->fdes[i].start : code->end;

		if (end > code->end)
			end = code->end;
		if (end > at && end - at > left)
			end = at + left;
		if (at < end) {
			err = add_patterns_in(file, machine, at, end, entries);
			left -= end - at;
		}
		if (i < known && entries->fdes[i].end > at)
			at = entries->fdes[i].end;
	}
	return err;
}

/*
 * A short function that does nothing else is a trampoline, whatever its CFI says: Go's is described
 * as a function that is called.
 */
#define TRAMPOLINE_MOST 32

static bool is_trampoline(const struct elf_file *file, enum unwind_machine machine,
			  const struct fde_entry *fde)
{
	const struct pattern *pattern = NULL;
	uint8_t bytes[LONGEST];
	size_t size = elf_file_read(file, fde->start, bytes, sizeof(bytes));

	return fde->end - fde->start <= TRAMPOLINE_MOST &&
	       find_in(bytes, size, machine, &pattern) == bytes &&
	       pattern->rule == UNWIND_RULE_SIGNAL;
}

static int mend_trampolines(const struct elf_file *file, enum unwind_machine machine,
			    struct entries *entries)
{
	size_t count = entries->fde_count;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		struct fde_entry *fde = &entries->fdes[i];
		uint64_t start = fde->start;

		if ((!fde->debug_frame && fde->cie != NO_CIE) || !is_trampoline(file, machine, fde))
			continue;
		fde->cie = NO_CIE;
		fde->rule = (struct unwind_rule){ .cfa = UNWIND_RULE_SIGNAL };
		/* The byte before is between functions, though the one before may claim it. */
		if (i && entries->fdes[i - 1].end == start &&
		    start - entries->fdes[i - 1].start > 1)
			entries->fdes[i - 1].end--;
		if (start && (!i || entries->fdes[i - 1].end < start))
			err = entries_add_known(entries, start - 1, start, &entries->fdes[i].rule);
	}
	return err;
}

int known_code_add(struct elf_file *file, enum unwind_machine machine,
		   const struct code_range *code, size_t code_count, struct entries *entries)
{
	int err = add_plts(file, machine, entries);

	if (!err)
		err = go_frames_add(file, machine, entries);
	entries_settle(entries, code, code_count);
	if (!err)
		err = mend_trampolines(file, machine, entries);
	for (size_t i = 0; i < code_count && !err; i++)
		err = add_patterns(file, machine, &code[i], entries);
	entries_settle(entries, code, code_count);
	if (!err)
		err = follow_gaps(file, machine, code, code_count, entries);
	entries_settle(entries, code, code_count);
	return err;
}
