// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Go's own table against the .debug_frame that Go's linker writes: at every address of every function
 * both give the same frame, but where stacks end or are changed. A stripped file gives the same rows.
 */
#include "test_folder.h"

#include "object/elf_file.h"
#include "unwind/ehframe.h"

static const char source[] =
	"package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"regexp\"\n\t\"os\"\n)\n\n"
	"func main() {\n\tb, _ := json.Marshal(os.Args)\n"
	"\tfmt.Println(regexp.MustCompile(`a(b)c`).FindAll(b, -1))\n}\n";

struct build {
	const char *environment, *flags;
};

static const struct build builds[] = {
	{ "CGO_ENABLED=0", "" },
	{ "CGO_ENABLED=0", "-buildmode=pie" },
	{ "CGO_ENABLED=0 GOARCH=arm64", "" },
};

#define BUILDS (sizeof(builds) / sizeof(*builds))

static struct elf_file *build(const char *folder, size_t i, const char *flags,
			      struct cfi_rows *rows)
{
	struct elf_file *file;
	char path[PATH_MAX];

	run("cd %s && %s GOCACHE=%s/cache GOFLAGS=-mod=mod go build %s %s -o program .", folder,
	    builds[i].environment, folder, builds[i].flags, flags);
	snprintf(path, sizeof(path), "%s/program", folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	assert_int_equal(ehframe_read(file, rows), 0);
	return file;
}

static void read_debug_frame(struct elf_file *file, const struct cfi_rows *like,
			     struct cfi_rows *rows)
{
	struct cfi_section section = { .debug_frame = true };
	struct code_range code = {};
	struct elf_section found;
	uint64_t size;

	assert_int_equal(elf_file_section(file, ".debug_frame", &found), 0);
	section.bytes = found.bytes;
	section.size = found.size;
	assert_true(elf_file_code(file, 0, &code.start, &size));
	code.end = code.start + size;
	assert_int_equal(ehframe_read_sections(like->machine, &section, 1, &code, 1, rows), 0);
}

static bool is_frame(const struct unwind_rule *rule)
{
	return rule->cfa == UNWIND_CFA_SP;
}

static int64_t ra_offset(const struct unwind_rule *rule)
{
	switch (rule->fp_ra >> 4) {
	case UNWIND_RA_BELOW_CFA:
	case UNWIND_RA_INTERRUPTED:
	case UNWIND_RA_LET_GO:
		return -8;
	case UNWIND_RA_ALONE:
		return rule->fp_offset;
	default:
		return 0; /* the link register */
	}
}

static void compare_at(struct elf_file *file, uint64_t vaddr, const struct unwind_rule *ours,
		       const struct unwind_rule *theirs)
{
	const struct elf_symbol *symbol;

	if (ours->cfa_offset == theirs->cfa_offset && ra_offset(ours) == ra_offset(theirs))
		return;
	symbol = elf_file_function_at(file, vaddr);
	fail_msg("%#lx %s: %d %#x %d %d, .debug_frame: %d %#x %d %d", vaddr,
		 symbol ? symbol->name : "?", ours->cfa, ours->fp_ra, ours->fp_offset,
		 ours->cfa_offset, theirs->cfa, theirs->fp_ra, theirs->fp_offset,
		 theirs->cfa_offset);
}

static void compare(struct elf_file *file, const struct cfi_rows *rows)
{
	struct cfi_rows theirs;
	size_t compared = 0, without = 0;

	read_debug_frame(file, rows, &theirs);
	for (size_t i = 0; i + 1 < theirs.count; i++) {
		const struct unwind_rule *rule = &theirs.rows[i].rule;
		const struct unwind_rule *ours = cfi_rows_at(rows, theirs.rows[i].vaddr);

		if (!is_frame(rule))
			continue;
		if (!is_frame(ours)) {
			without++;
			continue;
		}
		compare_at(file, theirs.rows[i].vaddr, ours, rule);
		compared++;
	}
	print_message("%zu rows as in .debug_frame, %zu where stacks end or are changed\n",
		      compared, without);
	assert_true(compared > 5000 && without < 200);
	cfi_rows_free(&theirs);
}

/* The rule at a symbol's last byte but pad: behind all that the function does. */
static const struct unwind_rule *rule_at(struct elf_file *file, const struct cfi_rows *rows,
					 const char *name, bool at_end)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(name);
		uint64_t at =
			symbols[i].vaddr + (at_end && symbols[i].size ? symbols[i].size - 1 : 0);

		if (!strncmp(symbols[i].name, name, length) &&
		    (!symbols[i].name[length] || !strcmp(symbols[i].name + length, ".abi0")))
			return cfi_rows_at(rows, at);
	}
	fail_msg("no %s", name);
	return NULL;
}

static enum unwind_cfa kind_at(struct elf_file *file, const struct cfi_rows *rows, const char *name,
			       bool at_end)
{
	return rule_at(file, rows, name, at_end)->cfa;
}

static enum unwind_ra ra_at(struct elf_file *file, const struct cfi_rows *rows, const char *name)
{
	return rule_at(file, rows, name, false)->fp_ra >> 4;
}

/* Rules of a kind in a function. */
static unsigned count_in(struct elf_file *file, const struct cfi_rows *rows, const char *name,
			 enum unwind_cfa kind)
{
	unsigned found = 0;
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(symbols[i].name, name) != 0)
			continue;
		for (size_t k = 0; k < rows->count; k++)
			found += rows->rows[k].rule.cfa == kind &&
				 rows->rows[k].vaddr - symbols[i].vaddr < symbols[i].size;
	}
	return found;
}

/* Over these the walk goes on to the stack of the caller. */
static void check_switches(struct elf_file *file, const struct cfi_rows *rows)
{
	const char *systemstack = "runtime.systemstack.abi0", *cgo = "runtime.asmcgocall.abi0";
	const struct unwind_rule *thread = NULL, *running = NULL;

	assert_int_equal(count_in(file, rows, systemstack, UNWIND_CFA_THREAD), 1);
	for (size_t i = 0; i < rows->count; i++) {
		const struct unwind_rule *rule = &rows->rows[i].rule;

		thread = rule->cfa == UNWIND_CFA_THREAD ? rule : thread;
		running = rule->cfa == UNWIND_RULE_RUNNING ? rule : running;
	}
	/* where a thread's g is, and in it m, curg and sched.sp, as Go 1.19 has them */
	assert_int_equal(thread->fp_offset, -8);
	assert_int_equal((uint16_t)thread->extra, 0x30 | 0x38 << 8);
	assert_int_equal(thread->cfa_short, 0xc0);
	assert_int_equal(running->fp_offset, thread->fp_offset);
	assert_int_equal(running->extra, thread->extra);
	assert_int_equal(running->cfa_short, thread->cfa_short);
	assert_int_equal(ra_at(file, rows, "runtime.asyncPreempt"), UNWIND_RA_INTERRUPTED);
	assert_int_equal(ra_at(file, rows, "runtime.goschedImpl"), UNWIND_RA_LET_GO);
	assert_int_equal(ra_at(file, rows, "runtime.preemptPark"), UNWIND_RA_LET_GO);
	assert_int_equal(count_in(file, rows, cgo, UNWIND_CFA_OTHER_STACK), 1);
	assert_int_equal(count_in(file, rows, cgo, UNWIND_CFA_SP_DEREF), 1);
}

static void check_ends(struct elf_file *file, const struct cfi_rows *rows)
{
	bool arm64 = rows->machine == UNWIND_ARM64;

	assert_int_equal(kind_at(file, rows, "runtime.goexit", false), UNWIND_RULE_OUTERMOST);
	assert_int_equal(kind_at(file, rows, "runtime.rt0_go", true), UNWIND_RULE_OUTERMOST);
	assert_int_equal(kind_at(file, rows, arm64 ? "runtime.mstart" : "runtime.clone", true),
			 UNWIND_RULE_OUTERMOST);
	assert_int_equal(kind_at(file, rows, "runtime.mcall", true), UNWIND_RULE_OUTERMOST);
	assert_int_equal(kind_at(file, rows, "runtime.mcall", false), UNWIND_CFA_SP);
	assert_int_equal(kind_at(file, rows, "runtime.clone", false), UNWIND_CFA_SP);
	assert_int_equal(kind_at(file, rows, "runtime.systemstack", true), UNWIND_RULE_UNSUPPORTED);
	assert_int_equal(kind_at(file, rows, "runtime.systemstack", false), UNWIND_CFA_SP);
	assert_int_equal(kind_at(file, rows, "runtime.morestack", true),
			 arm64 ? UNWIND_RULE_UNSUPPORTED : UNWIND_RULE_RUNNING);
	assert_int_equal(kind_at(file, rows, "runtime.asmcgocall", false), UNWIND_CFA_SP);
	assert_int_equal(kind_at(file, rows, "main.main", true), UNWIND_CFA_SP);
	if (!arm64)
		assert_int_equal(kind_at(file, rows, "runtime.sigreturn", false),
				 UNWIND_RULE_SIGNAL);
}

static void test_go(void **state)
{
	if (system("go version >/dev/null 2>&1")) {
		print_message("[ SKIPPED ] no Go here\n");
		return;
	}
	write_file(*state, "go.mod", "module program\n\ngo 1.18\n");
	write_file(*state, "program.go", source);
	for (size_t i = 0; i < BUILDS; i++) {
		struct cfi_rows rows, stripped;
		struct elf_file *file = build(*state, i, "", &rows), *bare;

		print_message("%s %s: ", builds[i].environment, builds[i].flags);
		compare(file, &rows);
		check_ends(file, &rows);
		if (rows.machine == UNWIND_X86_64)
			check_switches(file, &rows);
		bare = build(*state, i, "-ldflags='-s -w'", &stripped);
		/* Stripped, a position-independent file has its code elsewhere. */
		for (size_t k = 0; !*builds[i].flags && k < stripped.count; k++)
			assert_memory_equal(cfi_rows_at(&rows, stripped.rows[k].vaddr),
					    &stripped.rows[k].rule, sizeof(struct unwind_rule));
		assert_true(stripped.count + 50 > rows.count);
		elf_file_close(bare);
		elf_file_close(file);
		cfi_rows_free(&stripped);
		cfi_rows_free(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_go, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
