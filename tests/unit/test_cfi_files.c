// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CFI of whole files: those without section headers, without CFI, or of other machines; cut and changed at random. */
#include "test_folder.h"

#include <elf.h>
#include <errno.h>

#include "cfi_section.h"
#include "object/elf_file.h"
#include "random.h"
#include "unwind/table.h"

static struct cfi_rows rows_of_file(const char *folder, const char *name, struct elf_file **file)
{
	struct cfi_rows rows;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(elf_file_open(path, file), 0);
	assert_int_equal(ehframe_read(*file, &rows), 0);
	return rows;
}

static uint64_t address_of(struct elf_file *file, const char *name)
{
	size_t count;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(symbols[i].name, name))
			return symbols[i].vaddr;
	}
	fail_msg("no symbol %s", name);
	return 0;
}

static void test_trampolines_by_code(void **state)
{
	static const struct unwind_rule signal = { .cfa = UNWIND_RULE_SIGNAL };
	struct elf_file *file;
	struct cfi_rows rows;
	uint64_t vaddr;

	write_file(*state, "bare.S",
		   ".text\n.globl with_cfi\n.type with_cfi,@function\nwith_cfi: .cfi_startproc\n"
		   "ret\n.cfi_endproc\n.fill 40000, 1, 0xcc\n.globl trampoline\ntrampoline:\n"
		   "mov $15, %rax\nsyscall\n.fill 64, 1, 0xcc\n");
	run("cd %s && gcc -nostdlib -shared bare.S -o bare.so", (char *)*state);
	rows = rows_of_file(*state, "bare.so", &file);
	vaddr = address_of(file, "trampoline");
	assert_rule(&rows, address_of(file, "with_cfi"), sp8);
	assert_rule(&rows, vaddr - 2, gap);
	assert_rule(&rows, vaddr - 1, signal);
	assert_rule(&rows, vaddr + 8, signal);
	assert_rule(&rows, vaddr + 9, gap);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

/* As the vDSO may be, and what sstrip leaves: .eh_frame is found by PT_GNU_EH_FRAME. */
static void test_without_section_headers(void **state)
{
	const struct elf_symbol *symbols;
	struct elf_file *file, *bare;
	size_t count, functions = 0;
	struct cfi_rows rows, found;
	char path[PATH_MAX];
	Elf64_Ehdr *header;
	uint8_t *bytes;
	size_t size;

	write_file(*state, "some.c",
		   "int f(int x) { return x; }\nint g(int x) { return f(x) + f(2); }\n");
	run("cd %s && gcc -O0 -shared -fPIC some.c -o some.so", (char *)*state);
	rows = rows_of_file(*state, "some.so", &file);
	assert_true(rows.count > 8);
	snprintf(path, sizeof(path), "%s/some.so", (char *)*state);
	bytes = read_file(path, &size);
	header = (Elf64_Ehdr *)bytes;
	header->e_shoff = 0;
	header->e_shnum = header->e_shstrndx = 0;
	assert_int_equal(elf_file_open_memory(bytes, size, &bare), 0);
	assert_int_equal(ehframe_read(bare, &found), 0);
	/* what is known by its section, as a PLT is, has gone with the sections */
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(symbols[i].name, "f") && strcmp(symbols[i].name, "g"))
			continue;
		for (uint64_t at = 0; at < symbols[i].size; at++)
			assert_rule(&found, symbols[i].vaddr + at,
				    *cfi_rows_at(&rows, symbols[i].vaddr + at));
		functions++;
	}
	assert_int_equal(functions, 2);
	cfi_rows_free(&found);
	elf_file_close(bare);
	free(bytes);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

/* Its .eh_frame is named, but not there. */
static void test_separate_debug_file(void **state)
{
	struct elf_section section;
	struct elf_file *file;
	struct cfi_rows rows;

	run("cd %s && gcc -O0 -g -shared -fPIC some.c -o full.so && "
	    "objcopy --only-keep-debug full.so full.debug",
	    (char *)*state);
	rows = rows_of_file(*state, "full.debug", &file);
	assert_int_equal(rows.count, 0);
	assert_int_equal(rows.bad, 0);
	assert_int_equal(elf_file_section(file, ".eh_frame", &section), -ENOENT);
	assert_int_equal(elf_file_section(file, ".debug_info", &section), 0);
	assert_true(section.size > 100);
	assert_int_equal(section.vaddr, 0);
	cfi_rows_free(&rows);
	elf_file_close(file);
}

static void test_other_machines(void **state)
{
	struct elf_file *file;
	struct cfi_rows rows;
	char path[PATH_MAX];
	uint8_t *bytes;
	size_t size;

	snprintf(path, sizeof(path), "%s/some.so", (char *)*state);
	bytes = read_file(path, &size);
	((Elf64_Ehdr *)bytes)->e_machine = EM_RISCV;
	assert_int_equal(elf_file_open_memory(bytes, size, &file), 0);
	assert_int_equal(ehframe_read(file, &rows), -ENOTSUP);
	elf_file_close(file);
	free(bytes);
}

/* ---- damage ---- */

/* Whatever is read, rows are in order, in the code, closed by a gap, and a table can be made. */
static void read_damaged(const uint8_t *bytes, size_t size, uint64_t vaddr,
			 const struct code_range *code, bool debug_frame)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct cfi_section section = { copy, size, vaddr, debug_frame };
	struct unwind_table *table;
	struct cfi_rows rows;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	assert_int_equal(ehframe_read_sections(UNWIND_X86_64, &section, 1, code, 1, &rows), 0);
	free(copy);
	for (size_t i = 0; i < rows.count; i++) {
		assert_true(rows.rows[i].vaddr >= code->start && rows.rows[i].vaddr <= code->end);
		assert_true(!i || rows.rows[i].vaddr > rows.rows[i - 1].vaddr);
		assert_true(rows.rows[i].rule.cfa < UNWIND_CFA_MAX);
	}
	if (rows.count)
		assert_int_equal(rows.rows[rows.count - 1].rule.cfa, UNWIND_RULE_GAP);
	assert_int_equal(unwind_table_new(&rows, &table), 0);
	for (size_t i = 0; i < rows.count; i++)
		assert_memory_equal(unwind_table_find(table, rows.rows[i].vaddr),
				    &rows.rows[i].rule, sizeof(struct unwind_rule));
	unwind_table_free(table);
	cfi_rows_free(&rows);
}

static void damage(const struct elf_section *section, const struct code_range *code)
{
	size_t size = section->size < 6000 ? section->size : 6000;
	uint8_t *mutant = malloc(size);
	uint64_t seed = 0x9e3779b97f4a7c15;

	assert_non_null(mutant);
	for (size_t cut = 0; cut < size; cut += cut < 300 ? 1 : 131)
		read_damaged(section->bytes, cut, section->vaddr, code, false);
	for (int i = 0; i < 1500; i++) {
		memcpy(mutant, section->bytes, size);
		for (uint64_t n = 1 + next_random(&seed) % 16; n; n--)
			mutant[next_random(&seed) % (i & 1 ? 400 : size)] =
				next_random(&seed) & 1 ? (uint8_t)next_random(&seed) : 0xff;
		read_damaged(mutant, size, section->vaddr, code, i % 8 == 0);
	}
	free(mutant);
}

static void test_damage(void **state)
{
	struct elf_section section;
	struct code_range code;
	struct elf_file *file;
	uint64_t size;

	(void)state;
	assert_int_equal(elf_file_open("/proc/self/exe", &file), 0);
	assert_int_equal(elf_file_section(file, ".eh_frame", &section), 0);
	assert_true(elf_file_code(file, 0, &code.start, &size));
	code.end = code.start + size;
	assert_true(section.size > 1000);
	damage(&section, &code);
	elf_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trampolines_by_code),
		cmocka_unit_test(test_without_section_headers),
		cmocka_unit_test(test_separate_debug_file),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
