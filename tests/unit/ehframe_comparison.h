/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Our rules against libdw's reading of the same files: at both ends of every row the step that the
 * walk would make, on made-up registers and memory, must lead to the same caller as libdw's
 * expressions do. What a rule cannot say is counted, and must be of a kind that is listed here.
 */
#ifndef TRACER_EHFRAME_COMPARISON_H
#define TRACER_EHFRAME_COMPARISON_H

#include "test_folder.h"

#include <fcntl.h>
#include <inttypes.h>

#include "libdw_caller.h"
#include "object/elf_file.h"
#include "unwind/ehframe.h"

/* Why a rule cannot say what libdw reads. Only these reasons are accepted. */
enum reason {
	REASON_SWITCH,	 /* the caller's stack pointer is no CFA: longjmp, setcontext */
	REASON_COMPUTED, /* the CFA by arithmetic on two registers: OpenSSL's assembly */
	REASON_RBX,	 /* rbx saved elsewhere than just below the CFA */
	REASON_FP_MOVED, /* the frame pointer in another register or by an expression */
	/* GCC's CFI is wrong once the epilogue of a realigned function has restored rbp */
	REASON_FP_RESTORED,
	REASON_REFUSED,	    /* half a CFA after an expression, which libdw does not take */
	REASON_STUCK,	    /* libdw's CFA is below the stack pointer, too: the file is wrong */
	REASON_RA_REGISTER, /* return address in a register while the frame pointer is saved */
	REASON_MAX,
};

static const char *const reasons[] = { "stack switch",
				       "computed CFA",
				       "rbx elsewhere",
				       "frame pointer moved",
				       "frame pointer restored early",
				       "refused by libdw",
				       "CFA below sp",
				       "return address in a register" };

struct tally {
	size_t files, checks, gaps, disagreements, bad;
	size_t unsaid[REASON_MAX];
	size_t kinds[UNWIND_CFA_MAX];
};

struct subject {
	const char *path;
	enum unwind_machine machine;
	const struct unwind_table *table;
	Dwarf_CFI *cfi[2]; /* .eh_frame, .debug_frame */
	struct tally *tally;
};

static inline void disagree(const struct subject *s, uint64_t pc, const char *what)
{
	const struct unwind_rule *rule = unwind_table_find(s->table, pc);

	s->tally->disagreements++;
	if (s->tally->disagreements > 20)
		return;
	print_message("%s 0x%" PRIx64 ": %s (cfa %u fp_ra %#x fp_offset %d cfa_offset %d)\n",
		      s->path, pc, what, rule->cfa, rule->fp_ra, rule->fp_offset, rule->cfa_offset);
}

static inline size_t count_ops(Dwarf_Frame *frame, int reg, uint8_t *first)
{
	Dwarf_Op memory[3], *ops;
	size_t count = 0;

	*first = 0;
	if (reg < 0 ? !dwarf_frame_cfa(frame, &ops, &count) :
		      !dwarf_frame_register(frame, reg, memory, &ops, &count)) {
		*first = count ? ops[0].atom : 0;
		return count;
	}
	return 0;
}

/* A rule says less than libdw does: there must be a reason. */
static inline void unsaid(const struct subject *s, uint64_t pc, Dwarf_Frame *frame, bool fp_only)
{
	const struct numbers *n = &numbers[s->machine];
	uint64_t cfa = 0, sp = 0;
	struct world world;
	uint8_t first;

	make_world(&world, s->machine, pc);
	libdw_cfa(&world, frame, &cfa);
	if (fp_only && count_ops(frame, n->fp, &first) &&
	    ((first >= DW_OP_reg0 && first <= DW_OP_reg31) || first != DW_OP_call_frame_cfa))
		s->tally->unsaid[REASON_FP_MOVED]++;
	else if (libdw_register(&world, frame, n->sp, cfa, &sp) != FOUND_VALUE || sp != cfa)
		s->tally->unsaid[REASON_SWITCH]++;
	else if (count_ops(frame, -1, &first) > 3)
		s->tally->unsaid[REASON_COMPUTED]++;
	else if (count_ops(frame, n->ra, &first) == 1 && first >= DW_OP_reg0 &&
		 first <= DW_OP_reg31)
		s->tally->unsaid[REASON_RA_REGISTER]++;
	else
		disagree(s, pc, "no rule, and no reason");
}

static inline Dwarf_Frame *libdw_frame(const struct subject *s, uint64_t pc)
{
	Dwarf_Frame *frame;

	for (int i = 0; i < 2; i++) {
		if (s->cfi[i] && !dwarf_cfi_addrframe(s->cfi[i], pc, &frame))
			return frame;
	}
	return NULL;
}

/* rbx is not read by a step, but its place is told. */
static inline void compare_rbx(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
			       const struct world *world, uint64_t cfa,
			       const struct unwind_frame *caller)
{
	uint64_t rbx = 0;
	enum found found = libdw_register(world, frame, UNWIND_RBX, cfa, &rbx);

	if (found == FOUND_SAME)
		rbx = world->reg[UNWIND_RBX];
	if (caller->rbx_at == UNWIND_RBX_NOWHERE)
		s->tally->unsaid[REASON_RBX] += found != FOUND_UNDEFINED;
	else if (found == FOUND_UNDEFINED && !caller->rbx_at)
		return; /* libdw takes rax for the callee-saved rbx */
	else if (found == FOUND_UNDEFINED || found == FOUND_FAILED ||
		 rbx != (caller->rbx_at ? memory_at(caller->rbx_at) : world->reg[UNWIND_RBX]))
		disagree(s, pc, "other rbx");
}

/* The step's result against libdw's caller: CFA as sp, return address, frame pointer. */
static inline void compare_caller(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
				  const struct world *world, const struct unwind_frame *caller)
{
	const struct numbers *n = &numbers[s->machine];
	uint64_t cfa = 0, sp = 0, ip = 0, fp = 0;
	enum found found;

	found = libdw_cfa(world, frame, &cfa);
	if (found == FOUND_REFUSED) {
		s->tally->unsaid[REASON_REFUSED]++;
		return;
	}
	if (found != FOUND_VALUE)
		disagree(s, pc, "no CFA in libdw");
	found = libdw_register(world, frame, n->sp, cfa, &sp);
	if (found != FOUND_VALUE || sp != caller->sp)
		disagree(s, pc, "other stack pointer");
	found = libdw_register(world, frame, caller->signal && n->ra == 30 ? 30 : n->ra, cfa, &ip);
	if (found == FOUND_SAME)
		ip = world->reg[n->ra];
	if (found == FOUND_UNDEFINED || found == FOUND_FAILED ||
	    (ip & UNWIND_ADDRESS_MASK(world)) != caller->ip)
		disagree(s, pc, "other return address");
	if (s->machine == UNWIND_X86_64)
		compare_rbx(s, pc, frame, world, cfa, caller);
	found = libdw_register(world, frame, n->fp, cfa, &fp);
	if (found == FOUND_SAME)
		fp = world->reg[n->fp];
	if (caller->fp_lost && found != FOUND_UNDEFINED) {
		unsaid(s, pc, frame, true);
	} else if ((unwind_table_find(s->table, pc)->fp_ra & 15) == UNWIND_FP_AT_FP &&
		   caller->fp == world->reg[n->fp] && caller->fp >= cfa) {
		s->tally->unsaid[REASON_FP_RESTORED]++;
	} else if (!caller->fp_lost && (found == FOUND_UNDEFINED || fp != caller->fp)) {
		disagree(s, pc, "other frame pointer");
	}
}

static inline void compare_special(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
				   const struct unwind_rule *rule)
{
	enum found found;
	uint64_t ignored;
	struct world world;

	make_world(&world, s->machine, pc);
	if (rule->cfa == UNWIND_RULE_UNSUPPORTED) {
		unsaid(s, pc, frame, false);
		return;
	}
	found = libdw_register(&world, frame, numbers[s->machine].ra, 0, &ignored);
	if (rule->cfa == UNWIND_RULE_OUTERMOST && found != FOUND_UNDEFINED)
		disagree(s, pc, "not outermost in libdw");
}

static inline void compare_step(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
				const struct unwind_rule *rule)
{
	struct unwind_frame caller = { .ip = pc, .exact = 1 };
	struct world world;
	uint64_t cfa, sp;
	int end;

	make_world(&world, s->machine, pc);
	caller.sp = sp = world.reg[numbers[s->machine].sp];
	caller.fp = world.reg[numbers[s->machine].fp];
	caller.link = s->machine == UNWIND_ARM64 ? world.reg[30] : 0;
	end = unwind_step((int)s->machine, rule, &caller, &world);
	if (end == UNWIND_STEPPED)
		compare_caller(s, pc, frame, &world, &caller);
	else if (end == UNWIND_STUCK && libdw_cfa(&world, frame, &cfa) == FOUND_VALUE && cfa < sp)
		s->tally->unsaid[REASON_STUCK]++;
	else
		disagree(s, pc, "no step");
}

/*
 * Signal trampolines and PLTs have rules even where linkers left them without CFI, and so has code that
 * was followed: test_follow knows what is right there.
 */
static inline bool is_known_without_cfi(const struct subject *s, const struct unwind_rule *rule)
{
	static const struct unwind_rule jump = { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 };

	return rule->cfa == UNWIND_RULE_SIGNAL || rule->cfa == UNWIND_CFA_PLT ||
	       rule->cfa == UNWIND_RULE_OUTERMOST || rule->cfa == UNWIND_RULE_CLONE ||
	       rule->rbx == UNWIND_RBX_LOST || s->machine == UNWIND_ARM64 ||
	       !memcmp(rule, &jump, sizeof(jump));
}

static inline void compare_at(const struct subject *s, uint64_t pc)
{
	const struct unwind_rule *rule = unwind_table_find(s->table, pc);
	Dwarf_Frame *frame = libdw_frame(s, pc);
	bool signal = false;

	s->tally->checks++;
	s->tally->kinds[rule->cfa]++;
	if (!frame || rule->cfa == UNWIND_RULE_GAP) {
		s->tally->gaps++;
		if (frame)
			disagree(s, pc, "a gap, but not in libdw");
		else if (rule->cfa != UNWIND_RULE_GAP && !is_known_without_cfi(s, rule))
			disagree(s, pc, "a gap in libdw only");
		free(frame);
		return;
	}
	dwarf_frame_info(frame, NULL, NULL, &signal);
	if (signal != (rule->cfa == UNWIND_RULE_SIGNAL))
		disagree(s, pc, "signal frame or not");
	if (rule->cfa == UNWIND_RULE_UNSUPPORTED || rule->cfa == UNWIND_RULE_OUTERMOST)
		compare_special(s, pc, frame, rule);
	else
		compare_step(s, pc, frame, rule);
	free(frame);
}

static inline void compare_rows(const struct subject *s, const struct cfi_rows *rows)
{
	if (rows->count)
		compare_at(s, rows->rows[0].vaddr - 1);
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t start = rows->rows[i].vaddr;
		uint64_t end = i + 1 < rows->count ? rows->rows[i + 1].vaddr : start + 1;

		compare_at(s, start);
		if (end - 1 != start)
			compare_at(s, end - 1);
		/* What depends on the pc itself is tried at many. */
		if (rows->rows[i].rule.cfa == UNWIND_CFA_PLT) {
			for (uint64_t pc = start + 1; pc < end && pc < start + 64; pc++)
				compare_at(s, pc);
		}
		/* The table is the rows. */
		assert_memory_equal(unwind_table_find(s->table, start), &rows->rows[i].rule, 8);
		assert_memory_equal(unwind_table_find(s->table, end - 1), &rows->rows[i].rule, 8);
	}
}

/* -errno when it is no file for us. */
static inline int compare_file(const char *path, struct tally *tally)
{
	struct subject s = { .path = path, .tally = tally };
	struct unwind_table *table = NULL;
	struct cfi_rows rows = {};
	struct elf_file *file;
	Dwarf *dwarf = NULL;
	Elf *elf = NULL;
	int err, fd = -1;

	err = elf_file_open(path, &file);
	if (err)
		return err;
	err = ehframe_read(file, &rows);
	if (err)
		goto cleanup;
	assert_int_equal(unwind_table_new(&rows, &table), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	s.cfi[0] = dwarf_getcfi_elf(elf);
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	s.cfi[1] = dwarf ? dwarf_getcfi(dwarf) : NULL;
	s.machine = rows.machine;
	s.table = table;
	tally->files++;
	tally->bad += rows.bad;
	compare_rows(&s, &rows);
cleanup:
	dwarf_cfi_end(s.cfi[0]);
	dwarf_end(dwarf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	unwind_table_free(table);
	cfi_rows_free(&rows);
	elf_file_close(file);
	return err;
}

static inline void print_tally(const char *what, const struct tally *t)
{
	print_message("%s: %zu files, %zu checks, %zu in gaps, %zu bad entries, %zu disagreements",
		      what, t->files, t->checks, t->gaps, t->bad, t->disagreements);
	for (int i = 0; i < REASON_MAX; i++)
		if (t->unsaid[i])
			print_message(", %zu %s", t->unsaid[i], reasons[i]);
	print_message("; kinds:");
	for (int i = 0; i < UNWIND_CFA_MAX; i++)
		print_message(" %zu", t->kinds[i]);
	print_message("\n");
}

static inline size_t count_unsaid(const struct tally *tally)
{
	size_t count = 0;

	for (int i = 0; i < REASON_MAX; i++)
		count += tally->unsaid[i];
	return count;
}

#endif
