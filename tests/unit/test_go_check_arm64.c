// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How Go's functions begin on arm64: by hand, and of a program that Go has made, by what its disassembler says. */
#include "test_folder.h"

#include "object/elf_file.h"
#include "object/entry_place.h"
#include "object/go_check_arm64.h"

#define RET 0xd65f03c0

static void check(const char *what, const uint32_t *words, size_t count, size_t wanted)
{
	size_t found = go_check_arm64((const uint8_t *)words, count * sizeof(*words));

	if (found != wanted)
		fail_msg("%s: %zu, want %zu", what, found, wanted);
}

#define CHECK(what, wanted, ...)                                            \
	do {                                                                \
		const uint32_t words[] = { __VA_ARGS__ };                   \
		check(what, words, sizeof(words) / sizeof(*words), wanted); \
	} while (0)

static void test_by_hand(void **state)
{
	(void)state;
	CHECK("a small frame", 12, 0xf9400b90, 0xeb3063ff, 0x54000289, 0xf81c0ffe, RET);
	CHECK("a larger one", 16, 0xf9400b90, 0xd10383f1, 0xeb10023f, 0x540004e9, 0xd10583f4, RET);
	CHECK("a huge one", 24, 0xf9400b90, 0xd28bac1b, 0xeb3b63f1, 0x54000603, 0xeb10023f,
	      0x540005c9, 0xd28bbc1b, RET);
	CHECK("of an old compiler", 16, 0xf9400b90, 0x910003f1, 0xeb10023f, 0x54000289, 0xf81c0ffe,
	      RET);
	CHECK("none", 0, 0xf81c0ffe, RET);
	CHECK("not of x28", 0, 0xf9400b50, 0xeb3063ff, 0x54000289, 0xf81c0ffe, RET);
	CHECK("another condition", 0, 0xf9400b90, 0xeb3063ff, 0x54000288, 0xf81c0ffe, RET);
	CHECK("a store between", 0, 0xf9400b90, 0xf81c0ffe, 0xeb3063ff, 0x54000289, RET);
	CHECK("a jump behind it", 0, 0xf9400b90, 0xeb3063ff, 0x54000289, 0xf81c0ffe, 0x17ffffff);
	CHECK("a jump to the beginning", 12, 0xf9400b90, 0xeb3063ff, 0x54000289, 0xf81c0ffe,
	      0x17fffffc);
	CHECK("cbz behind it", 0, 0xf9400b90, 0xeb3063ff, 0x54000289, 0xf81c0ffe, 0xb4ffffe0, RET);
	CHECK("tbz behind it", 0, 0xf9400b90, 0xeb3063ff, 0x54000289, 0xf81c0ffe, 0x3607ffe0, RET);
	CHECK("cut short", 0, 0xf9400b90, 0xeb3063ff, 0x54000289);
	CHECK("cut shorter", 0, 0xf9400b90);
}

static const char program[] =
	"package main\n"
	"import \"fmt\"\n"
	"//go:noinline\n"
	"func leaf(n int) int { return n + 1 }\n"
	"//go:noinline\n"
	"func small(n int) { fmt.Println(n) }\n"
	"//go:noinline\n"
	"func larger(n int) int { var a [40]int; small(n); a[n%40] = n; return a[n*n%40] }\n"
	"//go:noinline\n"
	"func huge(n int) int { var a [3000]int; small(n); a[n%3000] = n; return a[n*n%3000] }\n"
	"func main() { small(leaf(larger(huge(3)))) }\n";

/* The probe stands on what comes after the only b.ls to the call of morestack. */
static void check_program(struct elf_file *file)
{
	const struct elf_symbol *symbols;
	size_t count, with_look = 0, of_main = 0;

	assert_true(elf_file_is_go(file));
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++) {
		unsigned moved = 0;
		uint32_t before = 0;

		/* what begins with main.. is data */
		if (strncmp(symbols[i].name, "main.", 5) != 0 || symbols[i].name[5] == '.')
			continue;
		of_main++;
		assert_int_equal(entry_place(file, &symbols[i], ENTRY_EXACT, &moved), 0);
		assert_int_equal(moved, 0);
		assert_int_equal(entry_place(file, &symbols[i], ENTRY_IF_NEEDED, &moved), 0);
		assert_int_equal(moved > 0, strcmp(symbols[i].name, "main.leaf") != 0);
		if (!moved)
			continue;
		with_look++;
		elf_file_read(file, symbols[i].vaddr + moved - sizeof(before), &before,
			      sizeof(before));
		assert_int_equal(before & 0xff00001f, 0x54000009);
	}
	assert_int_equal(of_main, 5);
	assert_int_equal(with_look, 4);
}

static void test_of_go(void **state)
{
	char *folder = folder_new(), path[512];
	struct elf_file *file = NULL;

	(void)state;
	if (system("command -v go >/dev/null 2>&1")) {
		print_message("[ SKIPPED ] no go here\n");
		skip();
	}
	write_file(folder, "main.go", program);
	run("cd %s && GOCACHE=$PWD/cache GO111MODULE=off GOARCH=arm64 CGO_ENABLED=0 go build -o program main.go",
	    folder);
	snprintf(path, sizeof(path), "%s/program", folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	check_program(file);
	elf_file_close(file);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_of_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
