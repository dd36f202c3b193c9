// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of Go's functions in programs that were linked without symbols (-s -w): those that Go's own nm tells of
 * the same program with symbols. And tables of other versions of Go, made by hand.
 */
#include "test_folder.h"

#include <elf.h>
#include <inttypes.h>

#include "elf_in_folder.h"
#include "random.h"

static const char source[] =
	"package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\ntype list[T any] struct{ all []T }\n\n"
	"//go:noinline\nfunc (l *list[T]) add(one T) { l.all = append(l.all, one) }\n\n"
	"func main() {\n\tl := list[string]{}\n\tl.add(os.Args[0])\n\tfmt.Println(l.all)\n}\n";

static const char *const builds[][2] = {
	{ "", "" },
	{ "", "-buildmode=pie" },
	{ "GOARCH=arm64", "" },
};

#define BUILDS (sizeof(builds) / sizeof(*builds))

static bool no_go(void)
{
	if (!system("go version >/dev/null 2>&1"))
		return false;
	print_message("[ SKIPPED ] no Go here\n");
	return true;
}

static void build(const char *folder, size_t i, const char *flags, const char *name)
{
	write_file(folder, "go.mod", "module program\n\ngo 1.18\n");
	write_file(folder, "program.go", source);
	run("cd %s && CGO_ENABLED=0 %s GOCACHE=%s/cache GOFLAGS=-mod=mod go build %s %s -o %s .",
	    folder, builds[i][0], folder, builds[i][1], flags, name);
}

/* Only nm has the ABI in a name, and the types that a function was made for. */
static void make_alike(char *name)
{
	char *abi = strstr(name, ".abi0"), *open = strchr(name, '['), *close = strrchr(name, ']');
	char rest[1024];

	if (abi && !abi[5])
		*abi = '\0';
	if (!open || !close)
		return;
	snprintf(rest, sizeof(rest), "%s", close);
	snprintf(open, (size_t)(1024 - (open - name)), "[...%s", rest);
}

static size_t check_functions(const char *folder, struct elf_file *file)
{
	FILE *output = output_of(
		"cd %s && GOFLAGS= go tool nm -size whole | "
		"awk '$3 ~ /^[Tt]$/ && $2 > 0 { at = $1 \" \" $2; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +/, \"\"); print at, $0 }'",
		folder);
	char name[1024], ours[1024];
	size_t checked = 0;
	uint64_t vaddr, size;

	while (fscanf(output, "%" SCNx64 " %" SCNu64 " %1023[^\n]", &vaddr, &size, name) == 3) {
		const struct elf_symbol *symbol = elf_file_function_at(file, vaddr + size / 2);

		assert_non_null(symbol);
		snprintf(ours, sizeof(ours), "%s", symbol->name);
		make_alike(ours);
		make_alike(name);
		assert_string_equal(ours, name);
		assert_int_equal(symbol->vaddr, vaddr);
		assert_int_equal(symbol->type, STT_FUNC);
		/* Up to the next function, which is aligned. */
		assert_in_range(symbol->size, size, size + 63);
		checked++;
	}
	assert_int_equal(pclose(output), 0);
	return checked;
}

static void test_names_are_those_of_nm(void **state)
{
	for (size_t i = 0; i < BUILDS && !no_go(); i++) {
		size_t count, functions = 0, checked;
		const struct elf_symbol *symbols;
		struct elf_file *file;

		build(*state, i, "", "whole");
		build(*state, i, "-ldflags='-s -w'", "bare");
		run("! readelf -SW %s/bare | grep -q '[.]symtab'", (char *)*state);
		file = open_in(*state, "bare");
		checked = check_functions(*state, file);
		assert_true(checked > 1000);
		symbols = elf_file_symbols(file, &count);
		for (size_t k = 0; k < count; k++)
			functions += symbols[k].type == STT_FUNC;
		assert_int_equal(functions, checked);
		elf_file_close(file);
	}
}

/* With a .symtab the table is not asked: names are as Go's linker wrote them. */
static void test_symbols_come_first(void **state)
{
	struct elf_file *file;
	size_t count, abi = 0;
	const struct elf_symbol *symbols;

	if (no_go())
		return;
	build(*state, 0, "", "whole");
	file = open_in(*state, "whole");
	symbols = elf_file_symbols(file, &count);
	for (size_t i = 0; i < count; i++)
		abi += !strcmp(symbols[i].name, "runtime.systemstack.abi0");
	assert_int_equal(abi, 1);
	for (size_t i = 0; i < count; i++)
		assert_string_not_equal(symbols[i].name, "runtime.systemstack");
	elf_file_close(file);
}

struct table {
	uint8_t bytes[1024];
	size_t size;
};

static void put(struct table *table, uint64_t value, unsigned size)
{
	assert_true(table->size + size <= sizeof(table->bytes));
	memcpy(table->bytes + table->size, &value, size);
	table->size += size;
}

#define NAMES "\0main.first\0main.second\0main.third"

/* A function's entry; what is not looked at is 0. */
static void put_function(struct table *table, uint32_t magic, uint64_t entry, uint32_t name)
{
	put(table, entry, magic == 0xfffffffa ? 8 : 4);
	put(table, name, 4);
	for (int i = 0; i < 7; i++)
		put(table, 0, 4); /* args, deferreturn, pcsp, pcfile, pcln, npcdata, cuOffset */
	if (magic == 0xfffffff1)
		put(table, 1, 4);
	put(table, 0, 4); /* funcID, flag, _, nfuncdata */
}

/* Three functions of 16, 32 and 48 bytes, from text on. */
static void make_table(struct table *table, uint32_t magic, uint64_t text)
{
	static const uint64_t starts[] = { 0, 16, 48, 96 };
	static const uint32_t names[] = { 1, 12, 24 };
	unsigned size = magic == 0xfffffffa ? 8 : 4;
	uint64_t header = 8 + (magic == 0xfffffffa ? 7 : 8) * 8, functab = header + sizeof(NAMES);
	uint64_t base = magic == 0xfffffffa ? text : 0;

	table->size = 0;
	put(table, magic, 4);
	put(table, 0x08010000, 4); /* quantum 1, pointers of 8 bytes */
	put(table, 3, 8);
	put(table, 0, 8);
	if (magic != 0xfffffffa)
		put(table, text, 8);
	put(table, header, 8);
	put(table, header, 8);
	put(table, header, 8);
	put(table, header, 8);
	put(table, functab, 8);
	memcpy(table->bytes + table->size, NAMES, sizeof(NAMES));
	table->size += sizeof(NAMES);
	for (uint64_t i = 0; i < 4; i++) {
		put(table, base + starts[i], size);
		put(table, 7 * size + size + i * 64, size);
	}
	for (uint64_t i = 0; i < 3; i++) {
		table->size = functab + 8 * size + i * 64;
		put_function(table, magic, base + starts[i], names[i]);
	}
}

static void write_table(const char *folder, const struct table *table)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/table", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(table->bytes, 1, table->size, file), table->size);
	assert_int_equal(fclose(file), 0);
}

static void test_headers_of_all_versions(void **state)
{
	static const uint32_t magics[] = { 0xfffffffa, 0xfffffff0, 0xfffffff1, 0xfffffff2 };
	static const char *const names[] = { "main.first", "main.second", "main.third" };
	static const uint64_t sizes[] = { 16, 32, 48 };
	const uint64_t text = 0x401000;

	write_file(*state, "empty.c", "int main(void) { return 0; }\n");
	run("cd %s && gcc -s -no-pie empty.c -o empty", (char *)*state);
	for (int i = 0; i < 4; i++) {
		struct table table = {};
		struct elf_file *file;
		uint64_t at = text;

		make_table(&table, magics[i], text);
		write_table(*state, &table);
		run("cd %s && objcopy --add-section .gopclntab=table empty made", (char *)*state);
		file = open_in(*state, "made");
		for (int k = 0; k < 3; at += sizes[k++]) {
			const struct elf_symbol *symbol = elf_file_function_at(file, at + 3);

			if (i == 3) {
				assert_null(symbol);
				continue;
			}
			assert_non_null(symbol);
			assert_string_equal(symbol->name, names[k]);
			assert_int_equal(symbol->vaddr, at);
			assert_int_equal(symbol->size, sizes[k]);
		}
		assert_null(elf_file_function_at(file, at + 16));
		elf_file_close(file);
	}
}

/* A table that is damaged, or cut, tells other functions or none. */
static void test_damaged_tables(void **state)
{
	static const uint32_t magics[] = { 0xfffffffa, 0xfffffff0, 0xfffffff1 };
	uint64_t seed = 0x2545f4914f6cdd1d;
	uint8_t *image;
	size_t size, whole, at = 0, told = 0;
	char path[PATH_MAX];
	struct table table = {};

	write_file(*state, "empty.c", "int main(void) { return 0; }\n");
	make_table(&table, magics[0], 0x401000);
	write_table(*state, &table);
	run("cd %s && gcc -s -no-pie empty.c -o empty && "
	    "objcopy --add-section .gopclntab=table empty made",
	    (char *)*state);
	snprintf(path, sizeof(path), "%s/made", (char *)*state);
	image = read_file(path, &size);
	whole = table.size;
	while (at + whole <= size && memcmp(image + at, table.bytes, whole) != 0)
		at++;
	assert_true(at + whole <= size);
	for (int i = 0; i < 3000; i++) {
		const struct elf_symbol *symbols;
		struct elf_file *file;
		size_t count;

		/* The first of them is the largest. */
		memset(image + at, 0, whole);
		make_table(&table, magics[i % 3], 0x401000);
		assert_true(table.size <= whole);
		memcpy(image + at, table.bytes, table.size);
		for (int k = 0; k < 3; k++)
			image[at + next_random(&seed) % whole] = (uint8_t)next_random(&seed);
		assert_int_equal(elf_file_open_memory(image, size, &file), 0);
		symbols = elf_file_symbols(file, &count);
		for (size_t k = 0; k < count; k++) {
			assert_true(strlen(symbols[k].name) < size);
			elf_file_function_at(file, symbols[k].vaddr);
		}
		told += count > 0;
		elf_file_close(file);
	}
	assert_true(told > 300 && told < 3000);
	free(image);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_names_are_those_of_nm),
		IN_FOLDER(test_symbols_come_first),
		IN_FOLDER(test_headers_of_all_versions),
		IN_FOLDER(test_damaged_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
