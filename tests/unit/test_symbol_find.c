// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names as people write them, against a C++ program whose mangled names nm knows. */
#include "test_folder.h"

#include <errno.h>

#include "aim/symbol_find.h"
#include "object/elf_file.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char source[] =
	"#include <new>\n"
	"#include <cstddef>\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"namespace ns {\n"
	"struct Point {\n"
	"\tint x;\n"
	"\tKEEP Point(int v) : x(v) {}\n"
	"\tKEEP int get() const { return x; }\n"
	"\tKEEP void set(int v) { x = v; }\n"
	"\tKEEP void set(long v, char c) { x = (int)v + c; }\n"
	"\tKEEP int operator*(int v) { return x * v; }\n"
	"\tKEEP int operator[](int v) { return x + v; }\n"
	"\tKEEP int operator()(int v) { return x - v; }\n"
	"\tKEEP void *operator new(std::size_t n) { return ::operator new(n); }\n"
	"};\n"
	"template <typename T> KEEP T twice(T v) { return v + v; }\n"
	"KEEP int count_all(int v) { return twice(v) + (int)twice((long)v); }\n"
	"namespace { KEEP int hidden(int v) { return v + 3; } }\n"
	"}\n"
	"KEEP static int local_count(int v) { return v + 1; }\n"
	"extern \"C\" KEEP int plain_count(int v) { return v + 2; }\n"
	"int total_count;\n"
	"int main() { ns::Point p(1); p.set(2); p.set(2L, 'a');\n"
	"\treturn p.get() + p * 3 + p[4] + p(5) + ns::count_all(6) + local_count(7) + plain_count(8) +\n"
	"\t\tns::hidden(9) + total_count + (new ns::Point(3))->x; }\n";

static int build(void **state)
{
	char *folder = folder_new();

	write_file(folder, "p.cpp", source);
	run("cd %s && g++ -O1 p.cpp -o p", folder);
	*state = folder;
	return 0;
}

static int clean(void **state)
{
	folder_remove(*state);
	return 0;
}

static struct elf_file *open_program(const char *folder)
{
	struct elf_file *file;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/p", folder);
	assert_int_equal(elf_file_open(path, &file), 0);
	return file;
}

struct row {
	const char *name, *symbols; /* mangled, in the order of the alphabet; NULL: none */
};

static int compare_names(const void *left, const void *right)
{
	return strcmp((*(const struct elf_symbol *const *)left)->name,
		      (*(const struct elf_symbol *const *)right)->name);
}

static void check_row(struct elf_file *file, const struct row *row)
{
	struct symbol_matches matches;
	char names[1024] = "";

	if (!symbol_find_functions("option", file, row->name, &matches)) {
		qsort(matches.symbols, matches.count, sizeof(matches.symbols[0]), compare_names);
		for (size_t i = 0; i < matches.count; i++) {
			strcat(names, i ? " " : "");
			strcat(names, matches.symbols[i]->name);
		}
	}
	if (strcmp(names, row->symbols ? row->symbols : ""))
		fail_msg("%s: \"%s\", not \"%s\"", row->name, names, row->symbols);
	symbol_matches_free(&matches);
}

static void test_names(void **state)
{
	static const struct row rows[] = {
		{ "plain_count", "plain_count" },
		{ "local_count", "_ZL11local_counti" },
		{ "local_count(int)", "_ZL11local_counti" },
		{ "_ZL11local_counti", "_ZL11local_counti" },
		{ "ns::count_all", "_ZN2ns9count_allEi" },
		{ "ns::Point::get", "_ZNK2ns5Point3getEv" },
		{ "ns::Point::get() const", "_ZNK2ns5Point3getEv" },
		{ "ns::Point::set(int)", "_ZN2ns5Point3setEi" },
		{ "ns::Point::set(long, char)", "_ZN2ns5Point3setElc" },
		{ "ns::Point::operator*", "_ZN2ns5PointmlEi" },
		{ "ns::Point::operator[]", "_ZN2ns5PointixEi" },
		{ "ns::Point::operator()", "_ZN2ns5PointclEi" },
		{ "ns::Point::operator new", "_ZN2ns5PointnwEm" },
		{ "int ns::twice<int>", "_ZN2ns5twiceIiEET_S1_" },
		{ "ns::twice<long>", "_ZN2ns5twiceIlEET_S1_" },
		{ "ns::twice<long>(long)", "_ZN2ns5twiceIlEET_S1_" },
		{ "ns::twice", NULL }, /* of which type? */
		{ "ns::twice<*", "_ZN2ns5twiceIiEET_S1_ _ZN2ns5twiceIlEET_S1_" },
		{ "ns::(anonymous namespace)::hidden", "_ZN2ns12_GLOBAL__N_16hiddenEi" },
		/* a beginning, an end or a part of a name is no name, and variables are no functions */
		{ "count_all", NULL },
		{ "ns::count", NULL },
		{ "ns::Point", NULL },
		{ "total_count", NULL },
		{ "", NULL },
		/* overloads: which? */
		{ "ns::Point::set", NULL },
		/* globs, over mangled names, demangled ones, and these without parameters */
		{ "*_count", "_ZL11local_counti plain_count" },
		{ "plain_c?unt", "plain_count" },
		{ "[pq]lain_count", "plain_count" },
		{ "ns::Point::set*", "_ZN2ns5Point3setEi _ZN2ns5Point3setElc" },
		{ "ns::Point::[gs]et",
		  "_ZN2ns5Point3setEi _ZN2ns5Point3setElc _ZNK2ns5Point3getEv" },
		{ "_ZN2ns5Point3set*", "_ZN2ns5Point3setEi _ZN2ns5Point3setElc" },
		{ "ns::Point::operator[[]*", "_ZN2ns5PointixEi" },
		{ "*::hidden", "_ZN2ns12_GLOBAL__N_16hiddenEi" },
		{ "nothing*", NULL },
		/* regular expressions are extended ones, and anchored only where they say so */
		{ "/^plain/", "plain_count" },
		{ "/_count$/", "_ZL11local_counti plain_count" },
		{ "/^ns::Point::(get|set)$/",
		  "_ZN2ns5Point3setEi _ZN2ns5Point3setElc _ZNK2ns5Point3getEv" },
		{ "/set\\(long/", "_ZN2ns5Point3setElc" },
		{ "/^nothing/", NULL },
		{ "/(/", NULL },
	};
	struct elf_file *file = open_program(*state);

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(file, &rows[i]);
	elf_file_close(file);
}

static void test_variables(void **state)
{
	struct elf_file *file = open_program(*state);
	const struct elf_symbol *symbol = NULL;

	assert_int_equal(symbol_find("option", file, "total_count", false, &symbol), 0);
	assert_string_equal(symbol->name, "total_count");
	assert_int_equal(symbol_find("option", file, "plain_count", false, &symbol), -ENOENT);
	assert_int_equal(symbol_find("option", file, "ns::Point::set", true, &symbol), -ENOTUNIQ);
	elf_file_close(file);
}

/* All functions of libc by one pattern: each address once, and none that is no function. */
static void test_everything(void **state)
{
	struct symbol_matches matches;
	struct elf_file *file = open_program(*state);

	assert_int_equal(symbol_find_functions("option", file, "*", &matches), 0);
	assert_true(matches.count > 12);
	for (size_t i = 1; i < matches.count; i++)
		assert_true(matches.symbols[i - 1]->vaddr < matches.symbols[i]->vaddr);
	symbol_matches_free(&matches);
	elf_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_everything),
	};

	return cmocka_run_group_tests(tests, build, clean);
}
