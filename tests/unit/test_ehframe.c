// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our rules against libdw's reading of the same files: at both ends of every row the step that the
 * walk would make, on made-up registers and memory, must lead to the same caller as libdw's
 * expressions do. What a rule cannot say is counted, and must be of a kind that is listed here.
 *
 * TRACER_TEST_ALL_LIBRARIES=1 does so for every library of the machine; TRACER_TEST_ELF=PATH,
 * colons between, for other files, such as those of another architecture.
 */
#include "test_folder.h"

#include <elfutils/libdw.h>
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <inttypes.h>

#include "object/elf_file.h"
#include "unwind/ehframe.h"
#include "unwind/table.h"

#define REGISTERS 33

/* A made-up machine state; memory is a function of the address. */
struct world {
	enum unwind_machine machine;
	uint64_t reg[REGISTERS];
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x7fb5d329728ea185;
	x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44d;
	return x ^ (x >> 33);
}

/* Canonical, aligned, and above any stack pointer of worlds, so that a step is never stuck. */
static uint64_t memory_at(uint64_t address)
{
	return 0x780000000000 | (mix(address) & 0xfffffffff8);
}

static int world_read(uint64_t address, uint64_t *value)
{
	*value = memory_at(address);
	return 0;
}

static int world_register(const struct world *world, unsigned number, uint64_t *value)
{
	*value = world->reg[number];
	return 0;
}

#define UNWIND_READ(context, address, value) \
	((void)(context), world_read(address, (uint64_t *)(value)))
#define UNWIND_REGISTER(context, number, value) world_register(context, number, (uint64_t *)(value))
/* Above 48 bits there may be a pointer authentication code. */
#define ARM64_ADDRESS_MASK ((1ull << 48) - 1)
#define UNWIND_ADDRESS_MASK(context)                                                       \
	(((const struct world *)(context))->machine == UNWIND_ARM64 ? ARM64_ADDRESS_MASK : \
								      UINT64_MAX)
#include "../../bpf/unwind_step.h"

struct numbers {
	int fp, sp, ra;
};

static const struct numbers numbers[] = {
	[UNWIND_X86_64] = { 6, 7, 16 },
	[UNWIND_ARM64] = { 29, 31, 30 },
};

static void make_world(struct world *world, enum unwind_machine machine, uint64_t pc)
{
	world->machine = machine;
	for (int i = 0; i < REGISTERS; i++)
		world->reg[i] = 0x700000000000 + (mix((uint64_t)i * 977 + 1) & 0xfffffff8);
	/* The frame pointer lies in the frame, so far above that offsets do not matter. */
	world->reg[numbers[machine].sp] = 0x10000000;
	world->reg[numbers[machine].fp] = 0x20000000000;
	if (machine == UNWIND_X86_64)
		world->reg[16] = pc;
}

/* ---- libdw's side: expressions, computed ---- */

enum found { FOUND_VALUE, FOUND_UNDEFINED, FOUND_SAME, FOUND_FAILED, FOUND_REFUSED };

struct evaluation {
	const struct world *world;
	uint64_t cfa;
	uint64_t stack[32];
	int depth;
	bool value; /* DW_OP_stack_value: no address */
};

static bool operate(struct evaluation *e, uint8_t op)
{
	uint64_t b, *a;

	if (e->depth < 2)
		return false;
	b = e->stack[--e->depth];
	a = &e->stack[e->depth - 1];
	switch (op) {
	case DW_OP_plus:
		*a += b;
		return true;
	case DW_OP_minus:
		*a -= b;
		return true;
	case DW_OP_and:
		*a &= b;
		return true;
	case DW_OP_ge:
		*a = (int64_t)*a >= (int64_t)b;
		return true;
	case DW_OP_shl:
		*a <<= b & 63;
		return true;
	default:
		return false;
	}
}

static bool evaluate_op(struct evaluation *e, const Dwarf_Op *op)
{
	if (e->depth >= 30)
		return false;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		e->stack[e->depth++] = e->world->reg[op->atom - DW_OP_breg0] + op->number;
		return true;
	}
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		e->stack[e->depth++] = op->atom - DW_OP_lit0;
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		if (op->number >= REGISTERS)
			return false;
		e->stack[e->depth++] = e->world->reg[op->number] + op->number2;
		return true;
	case DW_OP_call_frame_cfa:
		e->stack[e->depth++] = e->cfa;
		return true;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_constu:
	case DW_OP_consts:
		e->stack[e->depth++] = op->number;
		return true;
	case DW_OP_plus_uconst:
		return e->depth && (e->stack[e->depth - 1] += op->number, true);
	case DW_OP_deref:
		return e->depth &&
		       (e->stack[e->depth - 1] = memory_at(e->stack[e->depth - 1]), true);
	case DW_OP_stack_value:
		e->value = true;
		return true;
	case DW_OP_nop:
		return true;
	default:
		return operate(e, op->atom);
	}
}

static bool evaluate(struct evaluation *e, const Dwarf_Op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!evaluate_op(e, &ops[i]))
			return false;
	}
	return e->depth > 0;
}

static enum found libdw_cfa(const struct world *world, Dwarf_Frame *frame, uint64_t *cfa)
{
	struct evaluation e = { .world = world };
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count))
		return FOUND_REFUSED;
	if (!count || !evaluate(&e, ops, count))
		return FOUND_FAILED;
	*cfa = e.stack[e.depth - 1];
	return FOUND_VALUE;
}

static enum found libdw_register(const struct world *world, Dwarf_Frame *frame, int reg,
				 uint64_t cfa, uint64_t *value)
{
	struct evaluation e = { .world = world, .cfa = cfa };
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, reg, memory, &ops, &count))
		return FOUND_FAILED;
	if (!count)
		return ops ? FOUND_UNDEFINED : FOUND_SAME;
	if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		*value = world->reg[ops[0].atom - DW_OP_reg0];
		return FOUND_VALUE;
	}
	if (count == 1 && ops[0].atom == DW_OP_regx && ops[0].number < REGISTERS) {
		*value = world->reg[ops[0].number];
		return FOUND_VALUE;
	}
	if (!evaluate(&e, ops, count))
		return FOUND_FAILED;
	*value = e.value ? e.stack[e.depth - 1] : memory_at(e.stack[e.depth - 1]);
	return FOUND_VALUE;
}

/* ---- the comparison ---- */

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

static void disagree(const struct subject *s, uint64_t pc, const char *what)
{
	const struct unwind_rule *rule = unwind_table_find(s->table, pc);

	s->tally->disagreements++;
	if (s->tally->disagreements > 20)
		return;
	print_message("%s 0x%" PRIx64 ": %s (cfa %u fp_ra %#x fp_offset %d cfa_offset %d)\n",
		      s->path, pc, what, rule->cfa, rule->fp_ra, rule->fp_offset, rule->cfa_offset);
}

static size_t count_ops(Dwarf_Frame *frame, int reg, uint8_t *first)
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
static void unsaid(const struct subject *s, uint64_t pc, Dwarf_Frame *frame, bool fp_only)
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

static Dwarf_Frame *libdw_frame(const struct subject *s, uint64_t pc)
{
	Dwarf_Frame *frame;

	for (int i = 0; i < 2; i++) {
		if (s->cfi[i] && !dwarf_cfi_addrframe(s->cfi[i], pc, &frame))
			return frame;
	}
	return NULL;
}

/* rbx is not read by a step, but its place is told. */
static void compare_rbx(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
			const struct world *world, uint64_t cfa, const struct unwind_frame *caller)
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
static void compare_caller(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
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

static void compare_special(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
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

static void compare_step(const struct subject *s, uint64_t pc, Dwarf_Frame *frame,
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
static bool is_known_without_cfi(const struct subject *s, const struct unwind_rule *rule)
{
	static const struct unwind_rule jump = { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 };

	return rule->cfa == UNWIND_RULE_SIGNAL || rule->cfa == UNWIND_CFA_PLT ||
	       rule->cfa == UNWIND_RULE_OUTERMOST || rule->cfa == UNWIND_RULE_CLONE ||
	       rule->rbx == UNWIND_RBX_LOST || s->machine == UNWIND_ARM64 ||
	       !memcmp(rule, &jump, sizeof(jump));
}

static void compare_at(const struct subject *s, uint64_t pc)
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

static void compare_rows(const struct subject *s, const struct cfi_rows *rows)
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
static int compare_file(const char *path, struct tally *tally)
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

static void print_tally(const char *what, const struct tally *t)
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

static size_t count_unsaid(const struct tally *tally)
{
	size_t count = 0;

	for (int i = 0; i < REASON_MAX; i++)
		count += tally->unsaid[i];
	return count;
}

static bool library(const char *name, char *path, size_t size)
{
	FILE *output = output_of("gcc -print-file-name=%s | xargs realpath -e 2>/dev/null", name);
	bool found = fgets(path, (int)size, output) && *path == '/';

	pclose(output);
	path[strcspn(path, "\n")] = '\0';
	return found;
}

static void test_libraries(void **state)
{
	static const char *const names[] = { "libc.so.6",      "ld-linux-x86-64.so.2",
					     "libm.so.6",      "libstdc++.so.6",
					     "libcrypto.so.3", "libgcc_s.so.1",
					     "/proc/self/exe" };
	char path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct tally tally = {};

		if ((*names[i] == '/' ? !strcpy(path, names[i]) :
					!library(names[i], path, sizeof(path))) ||
		    compare_file(path, &tally)) {
			print_message("[ SKIPPED ] no %s here\n", names[i]);
			continue;
		}
		print_tally(names[i], &tally);
		assert_int_equal(tally.disagreements, 0);
		assert_int_equal(tally.bad, 0);
		assert_true(tally.checks > 100);
		/* In all of libc or libcrypto some dozen places. */
		assert_true(count_unsaid(&tally) - tally.unsaid[REASON_RBX] <= 40);
	}
}

/* ---- programs that gcc makes of one source in every way that matters ---- */

static const char source[] =
	"#include <alloca.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n"
	"#include <stdlib.h>\n#include <string.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"static jmp_buf place; volatile int sink;\n"
	"KEEP void take(void *p) { sink += *(char *)p; }\n"
	"KEEP int plain(int a, int b) { char x[200]; memset(x, a, sizeof x); take(x); return b + x[3]; }\n"
	"KEEP int grows(int n) { char *p = alloca(n); memset(p, n, n); take(p); return plain(n, p[0]); }\n"
	"KEEP int realigned(int n) { _Alignas(64) char x[128]; memset(x, n, 128); take(x);"
	" return grows(n) + x[5]; }\n"
	"KEEP int realigned_grows(int n) { _Alignas(64) char x[128]; char *p = alloca(n); memset(p, n, n);"
	" take(x); take(p); return grows(n) + x[5]; }\n"
	"KEEP double many(double a, int n, long b, long c, long d, long e, long f, long g) {"
	" return n ? many(a * 2, n - 1, c, d, e, f, g, b) + b * c + d * e + f * g : a; }\n"
	"KEEP int jumps(int n) { if (setjmp(place)) return n; sink = realigned(n); longjmp(place, 1); }\n"
	"KEEP void handler(int s) { sink += plain(s, 2); }\n"
	"KEEP int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
	"KEEP void leaves(int n) { if (n > 100) exit(n); abort(); }\n"
	"KEEP int big(int n) { char x[100000]; memset(x, n, sizeof x); take(x); return x[n]; }\n"
	"int main(int argc, char **argv) { int v[5] = { 4, 2, argc }; (void)argv; signal(SIGUSR1, handler);\n"
	" raise(SIGUSR1); qsort(v, 5, sizeof *v, compare); if (argc > 100) leaves(argc);\n"
	" return jumps(argc) + big(argc) + realigned_grows(argc) + (int)many(1, 3, 1, 2, 3, 4, 5, 6); }\n";

static const char *const kinds[] = {
	"-O0",
	"-O1",
	"-O2",
	"-O3",
	"-Os",
	"-O0 -fomit-frame-pointer",
	"-O2 -fno-omit-frame-pointer",
	"-O3 -fno-omit-frame-pointer -mavx2",
	"-O2 -fcf-protection=full -Wl,-z,ibtplt",
	"-O2 -fcf-protection=none",
	"-O2 -fno-plt -Wl,-z,now",
	"-O2 -Wl,-z,lazy",
	"-O2 -fno-pie -no-pie",
	"-O2 -static",
	"-O2 -static-pie -fPIE",
	"-O2 -mpreferred-stack-boundary=6 -mstackrealign",
	"-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables",
	"-O2 -g -gz -fno-asynchronous-unwind-tables -fno-unwind-tables",
	"-O1 -m32",
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void test_gcc(void **state)
{
	struct tally tally = {};
	char path[PATH_MAX];

	write_file(*state, "program.c", source);
	for (size_t i = 0; i < KINDS; i++) {
		int err;

		snprintf(path, sizeof(path), "%s/program%zu", (char *)*state, i);
		if (strstr(kinds[i], "-m32")) {
			run("cd %s && gcc %s -c -w program.c -o program%zu 2>/dev/null || "
			    "cp /dev/null program%zu",
			    (char *)*state, kinds[i], i, i);
			err = compare_file(path, &tally);
			assert_true(err == -ENOTSUP || err == -ENOEXEC);
			continue;
		}
		run("cd %s && gcc %s -w program.c -o program%zu", (char *)*state, kinds[i], i);
		assert_int_equal(compare_file(path, &tally), 0);
	}
	print_tally("gcc", &tally);
	assert_int_equal(tally.files, KINDS - 1);
	assert_int_equal(tally.disagreements, 0);
	assert_int_equal(tally.bad, 0);
	/* Realignment, a PLT, an outermost function and, statically linked, a signal trampoline. */
	assert_true(tally.kinds[UNWIND_CFA_FP_DEREF] > 0 && tally.kinds[UNWIND_CFA_REGISTER] > 0);
	assert_true(tally.kinds[UNWIND_CFA_PLT] > 0 && tally.kinds[UNWIND_RULE_OUTERMOST] > 0);
	assert_true(tally.kinds[UNWIND_RULE_SIGNAL] > 0);
}

/* The rule found for a function's middle says that there is CFI at all. */
static void test_debug_frame_only(void **state)
{
	struct elf_file *file;
	struct cfi_rows rows;
	const struct elf_symbol *symbols;
	char path[PATH_MAX];
	size_t count, found = 0;

	write_file(*state, "debug.c", source);
	run("cd %s && gcc -w -O2 -g -gz=zlib -fno-asynchronous-unwind-tables -fno-unwind-tables debug.c "
	    "-o debug",
	    (char *)*state);
	snprintf(path, sizeof(path), "%s/debug", (char *)*state);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(ehframe_read(file, &rows), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(symbols[i].name, "many") && strcmp(symbols[i].name, "realigned"))
			continue;
		assert_true(cfi_rows_at(&rows, symbols[i].vaddr)->cfa == UNWIND_CFA_SP);
		assert_true(cfi_rows_at(&rows, symbols[i].vaddr + symbols[i].size - 1)->cfa !=
			    UNWIND_RULE_GAP);
		found++;
	}
	assert_int_equal(found, 2);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

/* clang and lld build for arm64 without its C library. */
static const char arm64_source[] =
	"typedef unsigned long size_t; volatile int sink; extern int outside(int);\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"KEEP void take(void *p) { sink += *(char *)p; }\n"
	"KEEP int leaf(int n) { return n * 3; }\n"
	"KEEP int plain(int n) { char x[200]; x[n] = n; take(x); return x[3] + outside(n); }\n"
	"KEEP int grows(int n) { char *p = __builtin_alloca(n); take(p); return plain(n) + p[0]; }\n"
	"KEEP int realigned(int n) { _Alignas(64) char x[128]; take(x); return grows(n) + x[5]; }\n"
	"KEEP int big(int n) { char x[BIG]; take(x); return x[n] + leaf(n); }\n"
	"KEEP double many(double a, int n, long b, long c, long d, long e, long f) {"
	" return n ? many(a * 2, n - 1, c, d, e, f, b) + b * c + d * e * f : a; }\n";

/*
 * Without frame pointers clang does not put x29 and x30 side by side, and a rule has 16 bits for such
 * a frame's size.
 */
static const char *const arm64_kinds[] = {
	"-O0 -DBIG=1000000",
	"-O2 -DBIG=1000000",
	"-O2 -DBIG=30000 -fomit-frame-pointer",
	"-O2 -DBIG=1000000 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer",
	"-O2 -DBIG=1000000 -mbranch-protection=standard",
	"-O2 -DBIG=1000000 -mbranch-protection=pac-ret+leaf+b-key",
	"-Os -DBIG=30000 -fomit-frame-pointer",
};

static void test_arm64(void **state)
{
	struct tally tally = {};
	char path[PATH_MAX];

	if (system("clang -print-targets 2>/dev/null | grep -q aarch64 && ld.lld -v >/dev/null 2>&1")) {
		print_message("[ SKIPPED ] no clang and lld that build for arm64\n");
		skip();
	}
	write_file(*state, "arm64.c", arm64_source);
	for (size_t i = 0; i < sizeof(arm64_kinds) / sizeof(*arm64_kinds); i++) {
		snprintf(path, sizeof(path), "%s/arm64_%zu.so", (char *)*state, i);
		run("cd %s && clang --target=aarch64-linux-gnu %s -fPIC -w -fasynchronous-unwind-tables "
		    "-shared -nostdlib -fuse-ld=lld arm64.c -o arm64_%zu.so",
		    (char *)*state, arm64_kinds[i], i);
		assert_int_equal(compare_file(path, &tally), 0);
	}
	print_tally("arm64", &tally);
	assert_int_equal(tally.disagreements, 0);
	assert_int_equal(tally.bad, 0);
	assert_int_equal(count_unsaid(&tally), 0);
	assert_true(tally.checks > 100);
	assert_true(tally.kinds[UNWIND_CFA_FP] > 0);
}

/* ---- everything, on demand ---- */

static struct tally everything;

static int compare_found(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	struct tally tally = {};

	(void)ftw;
	if (type != FTW_F || status->st_size <= 64 || compare_file(path, &tally))
		return 0;
	if (tally.disagreements || tally.bad || count_unsaid(&tally) != tally.unsaid[REASON_RBX])
		print_tally(path, &tally);
	everything.files++;
	everything.checks += tally.checks;
	everything.gaps += tally.gaps;
	everything.disagreements += tally.disagreements;
	everything.bad += tally.bad;
	for (int i = 0; i < REASON_MAX; i++)
		everything.unsaid[i] += tally.unsaid[i];
	for (int i = 0; i < UNWIND_CFA_MAX; i++)
		everything.kinds[i] += tally.kinds[i];
	return 0;
}

static void test_all_libraries(void **state)
{
	static const char *const folders[] = { "/usr/lib", "/usr/bin", "/usr/sbin" };
	const char *wanted = getenv("TRACER_TEST_ALL_LIBRARIES"), *more = getenv("TRACER_TEST_ELF");
	char *copy, *rest, *path;

	(void)state;
	if (!wanted && !more) {
		print_message("[ SKIPPED ] TRACER_TEST_ALL_LIBRARIES=1 compares every library\n");
		skip();
	}
	for (size_t i = 0; wanted && i < sizeof(folders) / sizeof(*folders); i++)
		nftw(folders[i], compare_found, 16, FTW_PHYS | FTW_MOUNT);
	copy = rest = strdup(more ? more : "");
	assert_non_null(copy);
	while ((path = strsep(&rest, ":")))
		nftw(path, compare_found, 16, FTW_PHYS);
	free(copy);
	print_tally("everything", &everything);
	assert_true(everything.files > 0);
	assert_int_equal(everything.disagreements, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),	 cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_debug_frame_only), cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_all_libraries),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
