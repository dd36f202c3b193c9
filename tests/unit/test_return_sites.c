// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ways out of functions, for code laid out by hand; and for all that gcc made of a program, by objdump. */
#include "test_folder.h"

#include <errno.h>
#include <inttypes.h>

#include "code_file.h"
#include "object/return_sites.h"

#define CODE(text)   text, sizeof(text) - 1
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_by_hand(void **state)
{
	static const struct {
		const char *what, *code;
		size_t size;
		uint16_t machine;
		int result;
		size_t count;
		uint64_t first; /* from the function's begin */
		bool has_tail_calls;
	} cases[] = {
		{ "one", CODE("\x55\x5d\xc3"), EM_X86_64, 0, 1, 2, false },
		{ "two, and a branch", CODE("\x85\xff\x74\x01\xc3\x90\xc3"), EM_X86_64, 0, 2, 4,
		  false },
		{ "rep ret", CODE("\xf3\xc3"), EM_X86_64, 0, 1, 0, false },
		{ "ret imm16", CODE("\xc2\x08\x00"), EM_X86_64, 0, 1, 0, false },
		{ "a loop", CODE("\x90\xeb\xfd"), EM_X86_64, 0, 0, 0, false },
		{ "a tail call", CODE("\xe9\x00\x01\x00\x00"), EM_X86_64, 0, 0, 0, true },
		{ "a conditional one", CODE("\x0f\x84\x00\x01\x00\x00\xc3"), EM_X86_64, 0, 1, 6,
		  true },
		{ "one through a register", CODE("\xff\xe0"), EM_X86_64, 0, 0, 0, true },
		{ "a call is none", CODE("\xe8\x00\x01\x00\x00\xc3"), EM_X86_64, 0, 1, 5, false },
		{ "an immediate that looks like ret", CODE("\xb8\xc3\xc3\xc3\xc3\xc3"), EM_X86_64,
		  0, 1, 5, false },
		{ "rubbish", CODE("\x90\x06\xc3"), EM_X86_64, -ENOEXEC, 0, 0, false },
		{ "arm64: ret", CODE("\x1f\x20\x03\xd5\xc0\x03\x5f\xd6"), EM_AARCH64, 0, 1, 4,
		  false },
		{ "arm64: a tail call", CODE("\x00\x01\x00\x14"), EM_AARCH64, 0, 0, 0, true },
		{ "arm64: br", CODE("\x00\x00\x1f\xd6"), EM_AARCH64, 0, 0, 0, true },
		{ "arm64: cbz inside", CODE("\x40\x00\x00\xb4\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6"),
		  EM_AARCH64, 0, 2, 4, false },
		{ "arm64: a call is none", CODE("\x00\x01\x00\x94\xc0\x03\x5f\xd6"), EM_AARCH64, 0,
		  1, 4, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct elf_symbol function = { .name = "f", .vaddr = BASE, .size = cases[i].size };
		struct image *image = malloc(sizeof(*image));
		struct elf_file *file =
			file_of(image, cases[i].machine, cases[i].code, cases[i].size);
		struct return_sites found;
		int result = return_sites_find(file, &function, &found);

		if (result != cases[i].result ||
		    (!result && (found.count != cases[i].count ||
				 found.has_tail_calls != cases[i].has_tail_calls ||
				 (found.count && found.vaddr[0] != BASE + cases[i].first))))
			fail_msg("%s: %d, %zu found, tail calls %d", cases[i].what, result,
				 found.count, found.has_tail_calls);
		return_sites_free(&found);
		function.size = 0;
		assert_int_equal(return_sites_find(file, &function, &found), -ENODATA);
		return_sites_free(&found);
		elf_file_close(file);
		free(image);
	}
}

static const char source[] =
	"#include <stdio.h>\n"
	"#define KEEP __attribute__((noinline))\n"
	"KEEP int add(int a, int b) { return a + b; }\n"
	"KEEP int many(int n) { switch (n) { case 1: return add(n, 2) + 1; case 2: puts(\"2\"); return 7;\n"
	"\tcase 3: return 9; default: if (n > 100) return -1; } return printf(\"%d\", n) + 2; }\n"
	"KEEP int jumps(int n) { return add(n, 3); }\n"
	"int main(void) { return many(3) + jumps(4); }\n";

/* Of each function as many as objdump shows. */
static void test_gcc(void **state)
{
	char *folder = folder_new(), path[PATH_MAX];
	const struct elf_symbol *symbols;
	struct elf_file *file;
	size_t count, checked = 0;

	(void)state;
	write_file(folder, "p.c", source);
	run("cd %s && gcc -O2 p.c -o p", folder);
	snprintf(path, sizeof(path), "%s/p", folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		struct return_sites found;

		if (symbols[i].type != STT_FUNC || !symbols[i].size)
			continue;
		assert_int_equal(return_sites_find(file, &symbols[i], &found), 0);
		run("test \"$(objdump -d --no-show-raw-insn --start-address=0x%" PRIx64
		    " --stop-address=0x%" PRIx64 " %s | grep -cw 'ret')\" = %zu",
		    symbols[i].vaddr, symbols[i].vaddr + symbols[i].size, path, found.count);
		checked++;
		return_sites_free(&found);
	}
	assert_true(checked >= 5);
	elf_file_close(file);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_gcc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
