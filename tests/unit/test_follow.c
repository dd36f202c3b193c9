// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files that have CFI are followed as if they had none; what comes out must be what their CFI says,
 * at every address. Then code as it is without CFI.
 */
#include "test_folder.h"

#include "object/elf_file.h"
#include "unwind/ehframe.h"
#include "unwind/entries.h"
#include "unwind/follow.h"
#include "unwind/settle.h"

#define MAX_RANGES 16

struct comparison {
	size_t covered, followed, different;
};

static size_t code_of(const struct elf_file *file, struct code_range *code)
{
	size_t count = 0;
	uint64_t size;

	while (count < MAX_RANGES && elf_file_code(file, count, &code[count].start, &size)) {
		code[count].end = code[count].start + size;
		count++;
	}
	return count;
}

static void follow_all(struct elf_file *file, enum unwind_machine machine, struct entries *entries)
{
	struct code_range code[MAX_RANGES];
	size_t count = code_of(file, code);

	*entries = (struct entries){};
	assert_int_equal(follow_gaps(file, machine, code, count, entries), 0);
	entries_settle(entries, code, count);
}

static int64_t cfa_offset(const struct unwind_rule *rule)
{
	return rule->fp_ra >> 4 == UNWIND_RA_OWN ? rule->cfa_short : rule->cfa_offset;
}

/* From the CFA; 0 when it is in a register. */
static int64_t ra_offset(const struct unwind_rule *rule)
{
	switch (rule->fp_ra >> 4) {
	case UNWIND_RA_BELOW_CFA:
		return -8;
	case UNWIND_RA_PAIRED:
		return rule->fp_offset + 8;
	case UNWIND_RA_ALONE:
		return rule->fp_offset;
	case UNWIND_RA_OWN:
		return rule->extra;
	default:
		return 0;
	}
}

/*
 * Do both say the same? CFI goes on saying where a register was saved when it has been restored, and
 * may take the CFA from the frame pointer where the stack pointer does as well.
 */
static bool agree(const struct unwind_rule *cfi, const struct unwind_rule *ours)
{
	if (cfi->cfa == UNWIND_RULE_GAP || cfi->cfa == UNWIND_RULE_UNSUPPORTED ||
	    cfi->cfa == UNWIND_CFA_PLT)
		return true;
	if (cfi->cfa == UNWIND_RULE_OUTERMOST || ours->cfa == UNWIND_RULE_OUTERMOST)
		return cfi->cfa == ours->cfa;
	if (cfi->cfa != ours->cfa)
		return cfi->cfa != UNWIND_RULE_SIGNAL;
	if (cfa_offset(cfi) != cfa_offset(ours))
		return false;
	if (ours->fp_ra >> 4 != UNWIND_RA_LINK && ra_offset(cfi) != ra_offset(ours))
		return false;
	return (ours->fp_ra & 15) != UNWIND_FP_AT_CFA || (cfi->fp_ra & 15) != UNWIND_FP_AT_CFA ||
	       cfi->fp_offset == ours->fp_offset;
}

static void compare_entry(struct elf_file *file, const struct cfi_rows *rows,
			  const struct fde_entry *entry, struct comparison *comparison)
{
	for (uint64_t vaddr = entry->start; vaddr < entry->end; vaddr++) {
		const struct unwind_rule *cfi = cfi_rows_at(rows, vaddr);
		const struct elf_symbol *symbol;

		comparison->followed++;
		if (agree(cfi, &entry->rule))
			continue;
		symbol = elf_file_function_at(file, vaddr);
		print_message("  %#lx (%s): CFI %d %#x %d %d, followed %d %#x %d %d\n", vaddr,
			      symbol ? symbol->name : "?", cfi->cfa, cfi->fp_ra, cfi->fp_offset,
			      cfi->cfa_offset, entry->rule.cfa, entry->rule.fp_ra,
			      entry->rule.fp_offset, entry->rule.cfa_offset);
		comparison->different++;
		return;
	}
}

static struct comparison compare(const char *path)
{
	struct comparison comparison = {};
	struct entries entries;
	struct elf_file *file;
	struct cfi_rows rows;

	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(ehframe_read(file, &rows), 0);
	for (size_t i = 0; i + 1 < rows.count; i++) {
		if (rows.rows[i].rule.cfa > UNWIND_RULE_UNSUPPORTED)
			comparison.covered += rows.rows[i + 1].vaddr - rows.rows[i].vaddr;
	}
	follow_all(file, rows.machine, &entries);
	for (size_t i = 0; i < entries.fde_count; i++)
		compare_entry(file, &rows, &entries.fdes[i], &comparison);
	entries_free(&entries);
	cfi_rows_free(&rows);
	elf_file_close(file);
	print_message("%s: %zu of %zu bytes followed, %zu different\n", path, comparison.followed,
		      comparison.covered, comparison.different);
	return comparison;
}

/*
 * Written in C, so that their CFI is right, and no code is entered by an exception, which needs CFI.
 * Those with symbols or many direct calls tell the most.
 */
static const char *const programs[] = {
	"/proc/self/exe",
	"/usr/bin/python3",
	"/usr/bin/bash",
	"/usr/bin/perl",
	"/usr/bin/git",
	"/usr/bin/tar",
	"/usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-252.so",
	"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0",
	"/usr/aarch64-linux-gnu/lib/libm.so.6",
};

static void test_programs(void **state)
{
	unsigned compared = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct comparison comparison;

		if (access(programs[i], R_OK))
			continue;
		comparison = compare(programs[i]);
		assert_int_equal(comparison.different, 0);
		compared += comparison.followed > comparison.covered / 4;
	}
	assert_true(compared > 0);
}

static const char source[] =
	"#include <alloca.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"volatile int sink; void take(void *p);\n"
	"KEEP void take(void *p) { sink += *(volatile char *)p; }\n"
	"KEEP __attribute__((noreturn)) void never(int n) { sink = n; exit(n); }\n"
	"KEEP int dies(int n) { char x[100]; x[n] = n; take(x); if (n > 5) never(x[n]); return x[3]; }\n"
	"KEEP int grows(int n) { char *p = alloca(n * 16 + 8); p[0] = n; take(p); return dies(n) + p[0]; }\n"
	"KEEP int realigned(int n) { _Alignas(64) char x[128]; x[5] = n; take(x); return grows(n) + x[5]; }\n"
	"KEEP int many(long a, long b, long c, long d, long e, long f, long g, long h) {"
	" return a ? many(a - 1, c, d, e, f, g, h, b) + b * c + d * e + f * g * h : realigned(b & 7); }\n"
	"KEEP int table(int n) { char x[60]; x[n & 7] = n; take(x); switch (n) { case 0: return grows(1);"
	" case 1: abort(); case 2: take(x); return x[2]; case 3: sink++; break; case 4: return dies(2);"
	" case 5: take(x + 1); break; case 6: sink--; } return x[1] + n; }\n"
	"int main(int c, char **v) { return many(c, 1, 2, 3, 4, 5, 6, 7) + table(c) + (int)(long)v; }\n";

static const char *const kinds[] = {
	"gcc -O0",
	"gcc -O0 -fomit-frame-pointer",
	"gcc -O1",
	"gcc -O2",
	"gcc -O2 -fcf-protection=full",
	"gcc -O3 -fno-omit-frame-pointer",
	"gcc -Os",
	"gcc -O2 -mstackrealign",
	"gcc -O2 -static",
	"clang -O0",
	"clang -O2",
	"clang -Oz -fno-omit-frame-pointer",
	"aarch64-linux-gnu-gcc -O0",
	"aarch64-linux-gnu-gcc -O2",
	"aarch64-linux-gnu-gcc -Os -fomit-frame-pointer",
	"aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard",
};

static void test_compilers(void **state)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct comparison comparison;
		const char *text = kinds[i];
		size_t length = strcspn(text, " ");
		char command[128];

		/* a cross compiler may be here without what it links with */
		snprintf(command, sizeof(command),
			 "echo 'int main(void) { return 0; }' | %.*s -x c - -o /dev/null 2>/dev/null",
			 (int)length, text);
		if (system(command)) {
			print_message("[ SKIPPED ] %s: not here\n", text);
			continue;
		}
		/* Without the C library's own assembly, some of whose CFI is wrong. */
		run("cd %s && %s -w -g %s -o %zu", (char *)*state, text, "program.c", i);
		snprintf(path, sizeof(path), "%s/%zu", (char *)*state, i);
		print_message("%s: ", text);
		comparison = compare(path);
		if (!strstr(text, "-static"))
			assert_int_equal(comparison.different, 0);
		assert_true(comparison.followed > comparison.covered / 2);
	}
}

/* A program without CFI: what it was with CFI is the measure. */
static void test_without_cfi(void **state)
{
	struct elf_file *with, *without;
	struct cfi_rows expected, rows;
	char path[PATH_MAX];
	size_t gaps = 0, rules = 0;

	run("cd %s && gcc -w -O2 program.c -o with && gcc -w -O2 -fno-asynchronous-unwind-tables"
	    " -fno-unwind-tables program.c -o without",
	    (char *)*state);
	snprintf(path, sizeof(path), "%s/with", (char *)*state);
	assert_int_equal(elf_file_open(path, &with), 0);
	snprintf(path, sizeof(path), "%s/without", (char *)*state);
	assert_int_equal(elf_file_open(path, &without), 0);
	assert_int_equal(ehframe_read(with, &expected), 0);
	assert_int_equal(ehframe_read(without, &rows), 0);
	for (size_t i = 0; i + 1 < expected.count; i++) {
		const struct unwind_rule *cfi = &expected.rows[i].rule;
		const struct unwind_rule *ours = cfi_rows_at(&rows, expected.rows[i].vaddr);

		if (ours->cfa == UNWIND_RULE_GAP)
			gaps++;
		else if (agree(cfi, ours))
			rules++;
		else
			fail_msg("%#lx", expected.rows[i].vaddr);
	}
	print_message("%zu rows the same, %zu gaps\n", rules, gaps);
	assert_true(rules > 2 * gaps);
	cfi_rows_free(&expected);
	cfi_rows_free(&rows);
	elf_file_close(with);
	elf_file_close(without);
}

/*
 * At each call the depth of the stack depends on the way there, or on what no rule can say: nothing may be
 * known there, whichever way is looked at first.
 */
static const char unknowable[] =
	".text\n"
	"f_loop: mov %edi, %eax\n1: push %rax\ndec %edi\njnz 1b\n"
	"call_loop: call g\nlea (%rsp,%rax,8), %rsp\nret\n"
	"f_branch: test %edi, %edi\njz 2f\npush %rax\n2: nop\nnop\n"
	"call_branch: call g\nlea (%rsp,%rax,8), %rsp\nret\n"
	"f_enter: enter $64, $0\n"
	"call_enter: call g\nleave\nret\n"
	"f_words: pushw $7\npushw $7\npushw $7\npushw $7\n"
	"call_words: call g\nadd $8, %rsp\nret\n"
	"f_known: push %rax\n"
	"call_known: call g\npop %rcx\nret\n"
	"g: ret\n"
	".globl _start\n_start: call f_loop\ncall f_branch\ncall f_enter\ncall f_words\ncall f_known\nhlt\n";

static void test_unknowable(void **state)
{
#if defined(__x86_64__)
	size_t count = 0, calls = 0;
	const struct elf_symbol *symbols;
	struct elf_file *file;
	struct cfi_rows rows;
	char path[PATH_MAX];

	write_file(*state, "unknowable.s", unknowable);
	run("cd %s && gcc -nostdlib -static -no-pie unknowable.s -o unknowable", (char *)*state);
	snprintf(path, sizeof(path), "%s/unknowable", (char *)*state);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(ehframe_read(file, &rows), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		const struct unwind_rule *rule = cfi_rows_at(&rows, symbols[i].vaddr);

		if (strncmp(symbols[i].name, "call_", 5) != 0)
			continue;
		calls++;
		if (!strcmp(symbols[i].name, "call_known")) {
			assert_int_equal(rule->cfa, UNWIND_CFA_SP);
			assert_int_equal(rule->cfa_offset, 16);
		} else if (rule->cfa != UNWIND_RULE_GAP) {
			fail_msg("%s: rule of kind %d", symbols[i].name, rule->cfa);
		}
	}
	assert_int_equal(calls, 5);
	cfi_rows_free(&rows);
	elf_file_close(file);
#else
	(void)state;
	skip();
#endif
}

static int make_program(void **state)
{
	make_folder(state);
	write_file(*state, "program.c", source);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_compilers),
		cmocka_unit_test(test_without_cfi),
		cmocka_unit_test(test_unknowable),
	};

	return cmocka_run_group_tests(tests, make_program, remove_folder);
}
