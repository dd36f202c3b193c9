// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a probe on an entry may be put, for code laid out by hand; and for whatever gcc made, by objdump. */
#include "test_folder.h"

#include <errno.h>

#include "code_file.h"
#include "object/entry_place.h"

#define ENDBR64	     "\xf3\x0f\x1e\xfa"
#define CODE(text)   text, sizeof(text) - 1
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void check_place(const char *what, const char *code, size_t size, size_t symbol_size,
			enum entry_moves moves, int wanted, unsigned wanted_moved)
{
	struct elf_symbol function = { .name = "f", .vaddr = BASE, .size = symbol_size };
	struct image *image = malloc(sizeof(*image));
	struct elf_file *file = file_of(image, EM_X86_64, code, size);
	unsigned moved = 77;
	int result = entry_place(file, &function, moves, &moved);

	if (result != wanted || moved != wanted_moved)
		fail_msg("%s: %d, moved by %u", what, result, moved);
	elf_file_close(file);
	free(image);
}

static void test_by_hand(void **state)
{
	static const struct {
		const char *what, *code;
		size_t size;
		unsigned moved;
	} cases[] = {
		{ "push", CODE(ENDBR64 "\x55\x5d\xc3"), 4 },
		{ "push of a high register", CODE(ENDBR64 "\x41\x57\x41\x5f\xc3"), 4 },
		{ "nop", CODE(ENDBR64 "\x90\xc3"), 4 },
		{ "a tail call", CODE(ENDBR64 "\xe9\x00\x01\x00\x00"), 4 },
		{ "a call", CODE(ENDBR64 "\xe8\x00\x01\x00\x00\xc3"), 4 },
		{ "no endbr64", CODE("\x55\x5d\xc3"), 0 },
		{ "what is not emulated", CODE(ENDBR64 "\x48\x83\xec\x08\xc3"), 0 },
		{ "ret", CODE(ENDBR64 "\xc3"), 0 },
		{ "pop with REX", CODE(ENDBR64 "\x41\x5f\xc3"), 0 },
		{ "only endbr64", CODE(ENDBR64), 0 },
		/* jumps to the push: a loop */
		{ "jmp rel8 back", CODE(ENDBR64 "\x55\x5d\xeb\xfc"), 0 },
		{ "jcc rel8 back", CODE(ENDBR64 "\x55\x5d\x75\xfc\xc3"), 0 },
		{ "loop back", CODE(ENDBR64 "\x55\x5d\xe2\xfc\xc3"), 0 },
		{ "jmp rel32 back", CODE(ENDBR64 "\x55\x5d\xe9\xf9\xff\xff\xff"), 0 },
		{ "jcc rel32 back", CODE(ENDBR64 "\x55\x5d\x0f\x84\xf8\xff\xff\xff\xc3"), 0 },
		{ "call back", CODE(ENDBR64 "\x55\x5d\xe8\xf9\xff\xff\xff\xc3"), 0 },
		{ "bnd jmp back", CODE(ENDBR64 "\x55\x5d\xf2\xe9\xf8\xff\xff\xff"), 0 },
		/* to the entry, and to elsewhere in the function */
		{ "jmp to the entry", CODE(ENDBR64 "\x55\x5d\xeb\xf8"), 4 },
		{ "jcc to behind the push", CODE(ENDBR64 "\x55\x5d\x75\xfd\xc3"), 4 },
		/* who knows where */
		{ "a jump table", CODE(ENDBR64 "\x55\x5d\x3e\xff\xe0"), 0 },
		{ "an indirect tail call", CODE(ENDBR64 "\x55\x5d\xff\xe0"), 4 },
		{ "what cannot be decoded", CODE(ENDBR64 "\x55\x06\xc3"), 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		check_place(cases[i].what, cases[i].code, cases[i].size, cases[i].size,
			    ENTRY_CHEAPEST, 0, cases[i].moved);
		check_place(cases[i].what, cases[i].code, cases[i].size, cases[i].size,
			    ENTRY_IF_NEEDED, 0, 0);
	}
}

/* No probe may be on these, and behind them only when they did nothing that a probe would show. */
static void test_avx(void **state)
{
	static const struct {
		const char *what, *code;
		size_t size;
		int result;
		unsigned moved;
	} cases[] = {
		{ "vmovdqu from memory", CODE("\xc5\xfe\x6f\x06\x48\x89\xf8\xc3"), 0, 4 },
		{ "EVEX, then VEX",
		  CODE("\x62\xe1\xfe\x28\x6f\x06\xc5\xf9\x6f\xc1\x48\x89\xf8\xc3"), 0, 10 },
		{ "vmovd from a register", CODE("\xc5\xf9\x6e\xc6\xc3"), 0, 4 },
		{ "vmovdqu to memory", CODE("\xc5\xfe\x7f\x07\xc3"), -ENOTSUP, 0 },
		{ "vpmovmskb to a register", CODE("\xc5\xf9\xd7\xc0\xc3"), -ENOTSUP, 0 },
		{ "BMI2's shlx", CODE("\xc4\xe2\xf9\xf7\xc7\xc3"), -ENOTSUP, 0 },
		{ "a loop behind it", CODE("\xc5\xfe\x6f\x06\x48\x89\xf8\xeb\xfb"), -ENOTSUP, 0 },
		{ "nothing behind it", CODE("\xc5\xfe\x6f\x06"), -ENOTSUP, 0 },
		{ "endbr64 before it", CODE(ENDBR64 "\xc5\xfe\x6f\x06\xc3"), 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		check_place(cases[i].what, cases[i].code, cases[i].size, cases[i].size,
			    ENTRY_IF_NEEDED, cases[i].result, cases[i].moved);
		if (cases[i].moved || cases[i].result)
			check_place(cases[i].what, cases[i].code, cases[i].size, cases[i].size,
				    ENTRY_EXACT, -ENOTSUP, 0);
	}
	/* of unknown size: what follows is looked at as far as it is code */
	check_place("unsized", CODE("\xc5\xfe\x6f\x06\x48\x89\xf8\xc3"), 0, ENTRY_CHEAPEST, 0, 4);
	check_place("unsized, rubbish behind", CODE("\xc5\xfe\x6f\x06\xc3\x06\x06\x06"), 0,
		    ENTRY_CHEAPEST, 0, 4);
	check_place("unsized, a loop", CODE("\xc5\xfe\x6f\x06\x48\x89\xf8\xeb\xfb"), 0,
		    ENTRY_CHEAPEST, -ENOTSUP, 0);
}

static const char source[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) int add(int a, int b) { return a + b; }\n"
	"__attribute__((noinline)) void say(int a) { printf(\"%d\", add(a, 1)); puts(\"\"); }\n"
	"__attribute__((noinline)) int sum(int n) { int s = 0; while (n--) { say(n); s += n; } return s; }\n"
	"int main(void) { return sum(3); }\n";

/* Wherever it says 4 objdump shows endbr64, and push or a jump behind it. */
static void test_gcc(void **state)
{
	char *folder = folder_new(), path[PATH_MAX], wanted[64];
	const struct elf_symbol *symbols;
	struct elf_file *file;
	size_t count, moved_count = 0;

	(void)state;
	write_file(folder, "p.c", source);
	run("cd %s && gcc -O2 -fcf-protection=full p.c -o p && objdump -d --no-show-raw-insn p | "
	    "sed -n 's/^0*\\([0-9a-f]*\\) <\\(.*\\)>:$/= \\2/p; s/^ *[0-9a-f]*:\\t\\([a-z0-9]*\\).*/\\1/p' > code",
	    folder);
	snprintf(path, sizeof(path), "%s/p", folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		unsigned moved;

		if (symbols[i].type != STT_FUNC || !symbols[i].size)
			continue;
		assert_int_equal(entry_place(file, &symbols[i], ENTRY_CHEAPEST, &moved), 0);
		snprintf(wanted, sizeof(wanted), "%s", moved ? "push\\|jmp\\|call\\|nop" : ".*");
		run("cd %s && grep -x -A2 '= %s' code | tail -1 | grep -x '%s' >/dev/null", folder,
		    symbols[i].name, wanted);
		moved_count += moved > 0;
	}
	/* sum or say, at least, has something to save */
	assert_true(moved_count > 0);
	elf_file_close(file);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_avx),
		cmocka_unit_test(test_gcc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
