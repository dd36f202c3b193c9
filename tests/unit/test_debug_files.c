// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files of all sorts: without DWARF, in other forms of it, of other languages, and damaged. */
#include "debug_program.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>

#include "debug_walk.h"
#include "random.h"

static const char some_c[] =
	"struct point { int x : 3; long y; } point; __thread int t;\n"
	"static inline __attribute__((always_inline)) int step(int x) { return x * point.x + t; }\n"
	"__attribute__((noinline)) int f(struct point *p, int n) {\n"
	"  static int calls;\n"
	"  return step(n) + ++calls + p->x; }\n"
	"int main(int c, char **v) { (void)v; return f(&point, step(c)); }\n";

static const char *const functions[] = { "main", "step", "f", "main.main", NULL };
static const char *const variables[] = { "point", "t", "calls", NULL };
static const char *const files[] = { "some.c", "none/some.c", NULL };

static void test_no_dwarf(void **state)
{
	struct debug_info *info;
	char path[PATH_MAX];

	write_file(*state, "some.c", some_c);
	run("cd %s && gcc -O1 -o bare some.c && strip -g bare", (char *)*state);
	snprintf(path, sizeof(path), "%s/bare", (char *)*state);
	assert_int_equal(debug_info_open(path, &info), -ENODATA);
	assert_null(info);
	snprintf(path, sizeof(path), "%s/some.c", (char *)*state);
	assert_int_equal(debug_info_open(path, &info), -ENOEXEC);
	snprintf(path, sizeof(path), "%s/missing", (char *)*state);
	assert_int_equal(debug_info_open(path, &info), -ENOENT);
	assert_int_equal(debug_info_open("/dev/null", &info), -ENOEXEC);
	assert_int_equal(debug_info_open("/", &info), -ENOEXEC);
	debug_info_close(NULL);
}

/* The same answers from each form. */
static void test_forms(void **state)
{
	static const char *const commands[] = {
		"gcc -O1 -g -o program some.c",
		"gcc -O1 -g -gz -o program some.c",
		"gcc -O1 -g -fdebug-types-section -o program some.c",
		"gcc -O1 -gdwarf-4 -fdebug-types-section -o program some.c",
		"gcc -O1 -gdwarf-2 -gstrict-dwarf -o program some.c",
		"gcc -O1 -gdwarf-5 -gsplit-dwarf -o program some.c",
		"gcc -O1 -g -flto -o program some.c",
		"gcc -O1 -g -o full some.c && objcopy --only-keep-debug full program",
		"gcc -O1 -g -ffunction-sections -Wl,--gc-sections -o program some.c",
		"clang -O1 -g -o program some.c",
	};

	write_file(*state, "some.c", some_c);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct debug_functions found;
		struct debug_variables placed;
		struct debug_info *info;
		struct debug_member member;

		print_message("%s\n", commands[i]);
		run("cd %s && %s", (char *)*state, commands[i]);
		info = open_program(*state, "program");
		assert_int_equal(debug_functions_named(info, "step", &found), 0);
		assert_int_equal(found.count, 2);
		debug_functions_free(&found);
		assert_int_equal(debug_variables_named(info, "point", &placed), 0);
		assert_int_equal(placed.count, 1);
		assert_int_equal(debug_type_member_named(placed.list[0].type, "y", &member), 0);
		assert_int_equal(member.offset, 8);
		debug_variables_free(&placed);
		debug_info_close(info);
	}
}

/* A program of another language: its main function has a signature. */
static void check_language(const char *folder, const char *name, const char *function)
{
	struct debug_info *info = open_program(folder, name);
	struct debug_functions found;

	assert_int_equal(debug_functions_named(info, function, &found), 0);
	walk_function(info, &found.list[0]);
	debug_functions_free(&found);
	walk_debug_info(info, functions, variables, files);
	debug_info_close(info);
}

static void test_go(void **state)
{
	if (!has_tool("go")) {
		print_message("no go\n");
		skip();
	}
	write_file(*state, "work.go",
		   "package main\ntype T struct { a int; s string }\n"
		   "//go:noinline\nfunc work(t *T, s string, b []int) (n int, err error) {\n"
		   "\treturn len(s) + len(b) + t.a, nil }\n"
		   "func main() { n, _ := work(&T{1, \"x\"}, \"abc\", []int{1}); println(n) }\n");
	run("cd %s && GOCACHE=$PWD/cache GO111MODULE=off go build -o go-program work.go",
	    (char *)*state);
	check_language(*state, "go-program", "main.work");
}

static void test_rust(void **state)
{
	if (!has_tool("rustc")) {
		print_message("no rustc\n");
		skip();
	}
	write_file(
		*state, "work.rs",
		"pub enum Shape { Round(f64), Square { side: u32 }, None }\n"
		"#[inline(never)] pub fn work(shape: &Shape, name: &str, n: Option<u8>) -> usize {\n"
		"    name.len() + n.unwrap_or(1) as usize + match shape { Shape::Round(r) => *r as usize,\n"
		"    Shape::Square { side } => *side as usize, Shape::None => 0 } }\n"
		"fn main() { println!(\"{}\", work(&Shape::Square { side: 2 }, \"abc\", Some(3))); }\n");
	run("cd %s && rustc -g -o rust-program work.rs 2>/dev/null", (char *)*state);
	check_language(*state, "rust-program", "work::work");
}

/* ---- damage ---- */

static void walk_image(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("damaged", MFD_CLOEXEC);
	struct debug_info *info;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	if (!debug_info_open_fd(fd, &info)) {
		walk_debug_info(info, functions, variables, files);
		debug_info_close(info);
	}
	close(fd);
}

/* Where a section lies in the file. */
static bool find_section(const uint8_t *bytes, const char *wanted, size_t *offset, size_t *size)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
	const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;

	for (int i = 0; i < header->e_shnum; i++) {
		if (strcmp(names + sections[i].sh_name, wanted) != 0)
			continue;
		*offset = sections[i].sh_offset;
		*size = sections[i].sh_size;
		return true;
	}
	return false;
}

static void damage_section(const uint8_t *bytes, size_t size, const char *name, int rounds)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	uint8_t *mutant = malloc(size);
	size_t offset, length;

	assert_non_null(mutant);
	for (; rounds && find_section(bytes, name, &offset, &length) && length; rounds--) {
		memcpy(mutant, bytes, size);
		for (uint32_t n = 1 + next_random(&seed) % 8; n; n--)
			mutant[offset + next_random(&seed) % length] =
				next_random(&seed) & 1 ? (uint8_t)next_random(&seed) : 0xff;
		walk_image(mutant, size);
	}
	free(mutant);
}

static void test_damage(void **state)
{
	static const char *const sections[] = { ".debug_info",	   ".debug_abbrev",
						".debug_line",	   ".debug_str",
						".debug_rnglists", ".debug_loclists",
						".debug_aranges",  ".debug_line_str" };
	char path[PATH_MAX];
	uint8_t *bytes;
	size_t size;

	write_file(*state, "some.c", some_c);
	run("cd %s && gcc -O2 -gdwarf-5 -o program some.c", (char *)*state);
	snprintf(path, sizeof(path), "%s/program", (char *)*state);
	bytes = read_file(path, &size);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		damage_section(bytes, size, sections[i], 150);
	for (size_t cut = 0; cut < size; cut += 173)
		walk_image(bytes, cut);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_dwarf), cmocka_unit_test(test_forms),
		cmocka_unit_test(test_go),	 cmocka_unit_test(test_rust),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
