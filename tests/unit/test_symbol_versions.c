// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Symbol versions against readelf: of the C library, and of a library of ours that has functions of one name
 * for programs of different times, whole, stripped and damaged.
 */
#include "test_folder.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "object/elf_file.h"
#include "random.h"
#include "aim/symbol_find.h"

static const char source[] =
	"int first(void) { return 1; } int second(void) { return 2; } int third(void) { return 3; }\n"
	"__asm__(\".symver first, f@V1\\n.symver second, f@V2\\n.symver third, f@@V3\");\n"
	"int alone(void) { return 4; } int table[4] = { 1 };\n"
	"static __attribute__((noinline, used)) int local(void) { return 5; }\n"
	"int old(void) { return 6; } __asm__(\".symver old, gone@V1\");\n";

static const char script[] = "V1 { global: alone; }; V2 { global: table; } V1; V3 { } V2;\n"
			     "V4 { local: first; second; third; old; } V3;\n";

static int build(void **state)
{
	char *folder = folder_new();

	write_file(folder, "library.c", source);
	write_file(folder, "script", script);
	run("cd %s && gcc -O1 -shared -fPIC -Wl,--version-script=script library.c -o whole.so && "
	    "strip -o stripped.so whole.so && cp $(gcc -print-file-name=libc.so.6) libc.so",
	    folder);
	*state = folder;
	return 0;
}

static int clean(void **state)
{
	folder_remove(*state);
	return 0;
}

static struct elf_file *open_file(const char *folder, const char *name)
{
	struct elf_file *file;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(elf_file_open(path, &file), 0);
	return file;
}

/* The only symbol of that name and address. */
static const struct elf_symbol *find(struct elf_file *file, const char *name, uint64_t vaddr)
{
	size_t count, found = 0;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count), *symbol = NULL;

	for (size_t i = 0; i < count; i++) {
		if (symbols[i].vaddr != vaddr || strcmp(symbols[i].name, name) != 0)
			continue;
		symbol = &symbols[i];
		found++;
	}
	assert_int_equal(found, 1);
	return symbol;
}

static void check_version(struct elf_file *file, uint64_t vaddr, char *name)
{
	char *version = strchr(name, '@');
	bool is_default = version && version[1] == '@';
	const struct elf_symbol *symbol;

	if (version) {
		*version = '\0';
		version += 1 + is_default;
	}
	symbol = find(file, name, vaddr);
	if (!version) {
		assert_null(symbol->version);
		assert_false(symbol->is_default_version);
		return;
	}
	assert_non_null(symbol->version);
	assert_string_equal(symbol->version, version);
	assert_int_equal(symbol->is_default_version, is_default);
}

/*
 * Every symbol of .dynsym that readelf shows with an address. One address may have a name in several versions: of
 * these the default is told, or else the first, and so they are sorted.
 */
static size_t check_versions(const char *folder, const char *name)
{
	FILE *output =
		output_of("readelf --dyn-syms -W %s/%s | awk '$7 ~ /^[0-9]+$/ && $8 != \"\" && "
			  "$4 ~ /^(FUNC|OBJECT|IFUNC|TLS)$/ { print $2, $8 }' | LC_ALL=C sort | "
			  "awk '{ name = $2; sub(/@.*/, \"\", name) } !seen[$1, name]++'",
			  folder, name);
	struct elf_file *file = open_file(folder, name);
	size_t count, checked = 0, told = 0;
	const struct elf_symbol *symbols = elf_file_symbols(file, &count);
	char text[1024];
	uint64_t vaddr;

	while (fscanf(output, "%" SCNx64 " %1023s", &vaddr, text) == 2) {
		told += strchr(text, '@') != NULL;
		check_version(file, vaddr, text);
		checked++;
	}
	assert_int_equal(pclose(output), 0);
	assert_true(checked && told);
	for (size_t i = 0; i < count; i++)
		assert_null(strchr(symbols[i].name, '@'));
	elf_file_close(file);
	return told;
}

static void test_versions_are_those_of_readelf(void **state)
{
	assert_int_equal(check_versions(*state, "stripped.so"), 6);
	assert_int_equal(check_versions(*state, "whole.so"), 6);
	assert_true(check_versions(*state, "libc.so") > 2000);
}

/* A name in .symtab that no .dynsym tells the version of. */
static void test_version_in_a_name(void **state)
{
	const struct elf_symbol *symbol;
	struct elf_file *file;
	uint64_t vaddr;
	FILE *output;

	run("cd %s && objcopy --redefine-sym local=local@@V9 --redefine-sym first=first@here@there "
	    "--redefine-sym second=second@@ whole.so renamed.so",
	    (char *)*state);
	output = output_of("nm %s/renamed.so | sed -n 's/ t local@@V9$//p'", (char *)*state);
	assert_int_equal(fscanf(output, "%" SCNx64, &vaddr), 1);
	pclose(output);
	file = open_file(*state, "renamed.so");
	symbol = find(file, "local", vaddr);
	assert_string_equal(symbol->version, "V9");
	assert_true(symbol->is_default_version);
	/* No versions: these stay as they are. */
	assert_null(elf_file_function_at(file, UINT64_MAX));
	elf_file_close(file);
}

static uint64_t address_of(struct elf_file *file, const char *name)
{
	const struct elf_symbol *symbol = NULL;

	assert_int_equal(symbol_find("test", file, name, true, &symbol), 0);
	return symbol->vaddr;
}

/* Programs that are linked today get the default; any can be named with its version. */
static void test_default_is_meant(void **state)
{
	struct elf_file *file = open_file(*state, "stripped.so");
	uint64_t vaddr = address_of(file, "f"), old = address_of(file, "f@V1");
	const struct elf_symbol *none;

	check_version(file, vaddr, (char[]){ "f@@V3" });
	check_version(file, old, (char[]){ "f@V1" });
	check_version(file, address_of(file, "f@V2"), (char[]){ "f@V2" });
	assert_int_equal(address_of(file, "f@@V3"), vaddr);
	check_version(file, address_of(file, "gone"), (char[]){ "gone@V1" });
	assert_int_equal(symbol_find("test", file, "f@V4", true, &none), -ENOENT);
	elf_file_close(file);
}

/* Changes bytes of the sections of versions, and of .dynsym before them. */
static void test_damaged_versions(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15, offset, end;
	char path[PATH_MAX];
	uint8_t *bytes, *mutant;
	size_t size, count;
	FILE *output;

	output = output_of("readelf -SW %s/stripped.so | sed 's/^ *\\[ *[0-9]*\\]//' | "
			   "awk '$1 == \".dynsym\" || $1 == \".gnu.version_d\" { print $4, $5 }'",
			   (char *)*state);
	assert_int_equal(fscanf(output, "%" SCNx64 " %*x %" SCNx64 " %zx", &offset, &end, &size),
			 3);
	end += size;
	pclose(output);
	snprintf(path, sizeof(path), "%s/stripped.so", (char *)*state);
	bytes = read_file(path, &size);
	mutant = malloc(size);
	assert_non_null(mutant);
	assert_true(offset < end && end < size);
	for (int i = 0; i < 2000; i++) {
		struct elf_file *file;

		memcpy(mutant, bytes, size);
		for (int k = 0; k < 6; k++)
			mutant[offset + next_random(&seed) % (end - offset)] =
				(uint8_t)next_random(&seed);
		assert_int_equal(elf_file_open_memory(mutant, size, &file), 0);
		const struct elf_symbol *symbols = elf_file_symbols(file, &count);

		for (size_t k = 0; k < count; k++) {
			assert_true(strlen(symbols[k].name) > 0);
			assert_true(!symbols[k].version || strlen(symbols[k].version) < size);
		}
		elf_file_close(file);
	}
	free(mutant);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions_are_those_of_readelf),
		cmocka_unit_test(test_version_in_a_name),
		cmocka_unit_test(test_default_is_meant),
		cmocka_unit_test(test_damaged_versions),
	};

	return cmocka_run_group_tests(tests, build, clean);
}
