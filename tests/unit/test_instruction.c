// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instruction boundaries against objdump for what gcc made, and for bytes laid out by hand. */
#include "test_folder.h"

#include <errno.h>
#include <inttypes.h>

#include "code_file.h"
#include "object/instruction.h"

static void test_x86_by_hand(void **state)
{
	static const uint8_t code[] = {
		0xf3, 0x0f, 0x1e, 0xfa,				/* 0 endbr64 */
		0x55,						/* 4 push %rbp */
		0x48, 0xb8, 1,	  2,	3,    4,    5, 6, 7, 8, /* 5 movabs */
		0x3e, 0xff, 0xe0,				/* 15 notrack jmp *%rax */
		0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07,		/* 18 vmovups (%rdi),%zmm0 */
		0xc3,						/* 24 ret */
		0x06, 0x06, /* 25 no instruction in 64-bit mode */
	};
	static const uint8_t begins_at[] = { 0, 4, 5, 15, 18, 24, 25 };
	static struct image image;
	struct elf_file *file = file_of(&image, EM_X86_64, code, sizeof(code));
	uint64_t begins;
	size_t known = 0;

	(void)state;
	for (uint64_t at = 0; at <= 25; at++) {
		int expected = known < sizeof(begins_at) && begins_at[known] == at ? 0 : -EILSEQ;

		begins = 0;
		assert_int_equal(instruction_check_boundary(file, BASE, BASE + at, &begins),
				 expected);
		if (expected)
			assert_int_equal(begins, BASE + begins_at[known - 1]);
		else
			known++;
	}
	assert_int_equal(instruction_check_boundary(file, BASE, BASE + 26, &begins), -ENOEXEC);
	assert_int_equal(instruction_check_boundary(file, BASE + 24, BASE + 100, &begins),
			 -ENOEXEC);
	assert_int_equal(instruction_check_boundary(file, BASE + 4, BASE, &begins), -EFAULT);
	assert_int_equal(instruction_check_boundary(file, BASE + 100, BASE + 100, &begins),
			 -EFAULT);
	elf_file_close(file);
}

/* A long function: the window moves, and instructions lie across its end. */
static void test_x86_long(void **state)
{
	static const uint8_t unit[] = { 0x48, 0x8d, 0x84, 0x24, 0, 1, 0, 0, 0x90 }; /* lea, nop */
	static uint8_t code[9 * 1500];
	static struct image image;
	struct elf_file *file;
	uint64_t begins;

	(void)state;
	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = unit[i % 9];
	file = file_of(&image, EM_X86_64, code, sizeof(code));
	for (uint64_t i = 0; i < 1500; i += 111) {
		uint64_t at = BASE + 9 * i;

		assert_int_equal(instruction_check_boundary(file, BASE, at, &begins), 0);
		assert_int_equal(instruction_check_boundary(file, BASE, at + 8, &begins), 0);
		assert_int_equal(instruction_check_boundary(file, BASE, at + 5, &begins), -EILSEQ);
		assert_int_equal(begins, at);
	}
	assert_int_equal(instruction_check_boundary(file, BASE, BASE + sizeof(code), &begins),
			 -EFAULT);
	elf_file_close(file);
}

static void test_arm64_and_others(void **state)
{
	static const uint32_t code[] = { 0xd503233f, 0xa9bf7bfd,
					 0xd65f03c0 }; /* paciasp, stp, ret */
	static struct image image;
	struct elf_file *file = file_of(&image, EM_AARCH64, code, sizeof(code));
	uint64_t begins;

	(void)state;
	assert_int_equal(instruction_check_boundary(file, BASE, BASE, &begins), 0);
	assert_int_equal(instruction_check_boundary(file, BASE, BASE + 8, &begins), 0);
	assert_int_equal(instruction_check_boundary(file, BASE, BASE + 6, &begins), -EILSEQ);
	assert_int_equal(begins, BASE + 4);
	assert_int_equal(instruction_check_boundary(file, BASE, BASE + 12, &begins), -EFAULT);
	elf_file_close(file);
	file = file_of(&image, EM_RISCV, code, sizeof(code));
	assert_int_equal(instruction_check_boundary(file, BASE, BASE, &begins), -ENOTSUP);
	elf_file_close(file);
}

static const char source[] =
	"#include <stdio.h>\n#include <math.h>\n"
	"struct shape { double x[8]; long tag; };\n"
	"double area(struct shape *s, int n) { double sum = 0; for (int i = 0; i < n; i++)\n"
	"  sum += sqrt(s->x[i & 7]) * (double)(s->tag ^ 0x123456789abcdefl); return sum; }\n"
	"int pick(int x) { switch (x) { case 0: return puts(\"a\"); case 1: return 7; case 2: return x * x;\n"
	"  case 3: return printf(\"%d\", x); case 4: return x << 3; case 5: return getchar(); } return -1; }\n"
	"int main(int argc, char **argv) { struct shape s = { { argc }, 3 };\n"
	"  return pick(argc) + (int)area(&s, argc) + (argv[0] == NULL); }\n";

/* The addresses at which objdump sees instructions of a function, as a map of bytes. */
static void mark_instructions(const char *folder, const char *flags_name, const char *function,
			      uint64_t start, uint8_t *marks, size_t size)
{
	FILE *output = output_of("objdump -d --no-show-raw-insn --disassemble=%s %s/%s | "
				 "sed -n 's/^ *\\([0-9a-f]*\\):.*/\\1/p'",
				 function, folder, flags_name);
	uint64_t at;

	while (fscanf(output, "%" SCNx64, &at) == 1) {
		if (at >= start && at - start < size)
			marks[at - start] = 1;
	}
	pclose(output);
}

static size_t compare_function(const char *folder, const char *program, struct elf_file *file,
			       const struct elf_symbol *function)
{
	uint8_t *marks = calloc(1, function->size);
	uint64_t begins, last = function->vaddr;
	size_t instructions = 0;

	assert_non_null(marks);
	mark_instructions(folder, program, function->name, function->vaddr, marks, function->size);
	for (uint64_t i = 0; i < function->size; i++) {
		uint64_t at = function->vaddr + i;
		int got = instruction_check_boundary(file, function->vaddr, at, &begins);

		assert_int_equal(got, marks[i] ? 0 : -EILSEQ);
		if (marks[i])
			last = at;
		else
			assert_int_equal(begins, last);
		instructions += marks[i];
	}
	free(marks);
	return instructions;
}

static void test_against_objdump(void **state)
{
	static const char *const flags[] = { "-O0", "-O2 -fcf-protection=full",
					     "-O3 -march=native" };
	char *folder = folder_new(), path[PATH_MAX];
	size_t instructions = 0, count;

	(void)state;
	write_file(folder, "program.c", source);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		const struct elf_symbol *symbols;
		struct elf_file *file;

		run("cd %s && gcc %s program.c -o program%zu -lm", folder,
#ifndef __x86_64__
		    i == 1 ? "-O2" :
#endif
			     flags[i],
		    i);
		snprintf(path, sizeof(path), "%s/program%zu", folder, i);
		assert_int_equal(elf_file_open(path, &file), 0);
		symbols = elf_file_symbols(file, &count);
		for (size_t s = 0; s < count; s++) {
			if (!strcmp(symbols[s].name, "main") || !strcmp(symbols[s].name, "pick") ||
			    !strcmp(symbols[s].name, "area"))
				instructions += compare_function(folder, strrchr(path, '/') + 1,
								 file, &symbols[s]);
		}
		elf_file_close(file);
	}
	assert_true(instructions > 100);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_by_hand),
		cmocka_unit_test(test_x86_long),
		cmocka_unit_test(test_arm64_and_others),
		cmocka_unit_test(test_against_objdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
